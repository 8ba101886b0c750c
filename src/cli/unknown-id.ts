import type { Conversation } from '../core/conversation.ts'
import { cutText } from '../core/cut-text.ts'
import { OffshootError } from '../core/errors.ts'
import { nearestName } from '../core/nearest-name.ts'
import { terminalLine } from '../core/terminal-text.ts'
import { findConversation, resolveId, type ResolvedId } from '../runtime/views/resolve-id.ts'
import type { Reader } from '../store/port.ts'
import { idKinds, type IdCandidate, type IdKind } from './id-kinds.ts'
import { startingWith, SUBJECTS } from './typed-id.ts'

/** The conversation, branch or run of a whole id. @throws OffshootError `not_found` that says what the command takes. */
export function requireSubject(store: Reader, id: string, kinds: readonly IdKind[] = SUBJECTS): ResolvedId {
  return orUnknown(store, id, kinds, () => resolveId(store, id))
}

/** @throws OffshootError `not_found`; `usage` for the id of something else. */
export function requireConversation(store: Reader, id: string): Conversation {
  return orUnknown(store, id, ['cnv'], () => findConversation(store, id))
}

/** Replaces the `not_found` of a lookup, which does not know what the command takes. */
export function orUnknown<T>(store: Reader, typed: string, kinds: readonly IdKind[], lookUp: () => T): T {
  try {
    return lookUp()
  } catch (error) {
    if (error instanceof OffshootError && error.code === 'not_found') throw unknownId(store, typed, kinds)
    throw error
  }
}

/** An error names this many candidates. */
const NAMED = 3
/** The candidates are looked for among so many of each kind. */
const SEARCHED = 200
const ABOUT_CHARS = 40
/** Letters of an id that may be wrong. */
const MISTYPED = 3
const ID_CHARS = 100

/**
 * What was looked for, what the person may have meant, and the command that lists the ids. Of approvals, questions and
 * waiting messages only the open ones can be meant.
 */
export function unknownId(store: Reader, typed: string, kinds: readonly IdKind[]): OffshootError {
  const other = otherThing(store, typed, kinds)
  if (other) return other
  const named = [...kinds, ...SUBJECTS].find((kind) => typed.startsWith(`${kind}_`))
  const meant = named === undefined ? kinds : [named]
  const [first] = meant
  const hint = [...candidatesText(store, typed, meant), idKinds[first!].listedBy].join('; ')
  const what = `there is no ${nounsOf(meant)} ${typed.slice(0, ID_CHARS) || '""'}`
  return new OffshootError('not_found', what, { hint })
}

function nounsOf(kinds: readonly IdKind[]): string {
  const nouns = kinds.map((kind) => idKinds[kind].noun)
  return [nouns.slice(0, -1).join(', '), nouns.at(-1)!].filter((each) => each !== '').join(' or ')
}

/** The id of something that the command does not take, with the branch that it belongs to. */
function otherThing(store: Reader, typed: string, kinds: readonly IdKind[]): OffshootError | undefined {
  const kind = KINDS.find((each) => typed.startsWith(`${each}_`))
  if (kind === undefined || kinds.includes(kind)) return undefined
  const found = startingWith(store, kind, typed).find(({ id }) => id === typed)
  if (!found?.branchId) return undefined
  const what = `${typed} is ${withArticle(idKinds[kind].noun)}, and this command takes ${withArticle(nounsOf(kinds))}`
  return new OffshootError('usage', what, { hint: `it is on the branch ${found.branchId}` })
}

function withArticle(words: string): string {
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`
}

const KINDS = Object.keys(idKinds) as readonly IdKind[]

/** What the person may have meant: something with the typed text in its title, or a similar id. Else the newest. */
function candidatesText(store: Reader, typed: string, kinds: readonly IdKind[]): string[] {
  const all = kinds.flatMap((kind) => idKinds[kind].find(store, { limit: SEARCHED, isOpen: true }))
  const words = typed.trim().toLowerCase()
  const titled = words === '' ? [] : all.filter(({ about }) => about.toLowerCase().includes(words))
  const similar = nearestName(
    typed,
    all.map(({ id }) => id),
    () => MISTYPED,
  )
  const meant = titled.length > 0 ? titled : all.filter(({ id }) => id === similar)
  if (meant.length > 0) return [`did you mean ${listText(meant)}?`]
  return all.length > 0 ? [`the latest: ${listText(all)}`] : []
}

function listText(found: readonly IdCandidate[]): string {
  return found
    .slice(0, NAMED)
    .map(({ id, about }) => `${id} (${terminalLine(cutText(about, ABOUT_CHARS))})`)
    .join(', ')
}
