import { OffshootError } from '../core/errors.ts'

const PLACE_CHARS = 160

/**
 * An export that an import refuses, and the place: a path such as `messages[3].branches[0].id`; '' for the whole file.
 */
export class DamagedExport extends OffshootError {
  readonly place: string

  constructor(place: string, what: string, hint = 'nothing was imported; export the conversation again') {
    const near = shortPlace(place)
    super('usage', `the export is damaged${near === '' ? '' : ` at ${near}`}: ${what}`, { hint })
    this.place = place
  }
}

export function damaged(place: string, what: string): DamagedExport {
  return new DamagedExport(place, what)
}

/** The end of a long place. */
export function shortPlace(place: string): string {
  return place.length > PLACE_CHARS ? `…${place.slice(-PLACE_CHARS)}` : place
}
