import { OffshootError } from '../core/errors.ts'

const PLACE_CHARS = 160

/** `place` is a path such as `messages[3].branches[0].id`; '' for the document itself. */
export function damaged(place: string, what: string): OffshootError {
  const near = shortPlace(place)
  return new OffshootError('usage', `the export is damaged${near === '' ? '' : ` at ${near}`}: ${what}`, {
    hint: 'nothing was imported; export the conversation again',
  })
}

/** The end of a long place. */
export function shortPlace(place: string): string {
  return place.length > PLACE_CHARS ? `…${place.slice(-PLACE_CHARS)}` : place
}
