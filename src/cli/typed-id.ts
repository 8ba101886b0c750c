import type { Conversation } from '../core/conversation.ts'
import { OffshootError } from '../core/errors.ts'
import { terminalLine } from '../core/terminal-text.ts'
import type { Reader } from '../store/port.ts'
import { createWorkspace } from '../tools/workspace.ts'
import { idKinds, type IdCandidate, type IdKind } from './id-kinds.ts'
import type { Io } from './io.ts'

const LAST = 'last'

/** An ambiguous prefix lists this many candidates. */
const LISTED = 5

const PREFIX = new RegExp(`^(?:(${Object.keys(idKinds).join('|')})_)?([0-9A-HJKMNP-TV-Z]{1,26})$`, 'i')

/** Shorter text without `cnv_` or the like is a word. */
const LEAST_BARE = 3

/** What most commands take, the widest first. */
export const SUBJECTS: readonly IdKind[] = ['cnv', 'brn', 'run']

/**
 * The id that a person typed: a whole id, a unique prefix of one, a number of a list (`3`, `3.1`), or `last`, the latest
 * conversation of the directory they are in. The letters before the underscore may be left out where `kinds`, the kinds that the command takes, leave no
 * doubt. Returns anything else unchanged; the lookup says what is wrong with it.
 * @throws OffshootError `usage` for an ambiguous prefix, and for `last` where there is no conversation.
 */
export function idOf(
  store: Reader,
  typed: string,
  { cwd }: Pick<Io, 'cwd'>,
  kinds: readonly IdKind[] = SUBJECTS,
): string {
  if (typed === LAST) return lastConversation(store, cwd).id
  return numbered(store, typed, kinds)?.id ?? wholeId(store, typed, kinds)
}

/**
 * The same for commands that delete, end or allow something. They refuse `last`, as another conversation can become the
 * latest between looking and typing, and numbers, as that of a removed conversation can come again.
 * @throws OffshootError `usage`
 */
export function exactIdOf(
  store: Reader,
  typed: string,
  { cwd }: Pick<Io, 'cwd'>,
  kinds: readonly IdKind[] = SUBJECTS,
): string {
  const meant = numbered(store, typed, kinds)
  if (typed !== LAST && !meant) return wholeId(store, typed, kinds)
  const { id, about } = meant ?? candidate(lastConversation(store, cwd))
  const what = meant ? `${typed} is` : 'the latest conversation here is'
  throw new OffshootError('usage', `this command takes an id, not ${meant ? 'a number' : '"last"'}`, {
    hint: `${what} ${id} (${terminalLine(about)}); ${idKinds[kinds[0]!].listedBy}`,
  })
}

/** `3`: a conversation of the store; `3.1`: a branch of it. */
const NUMBER = /^#?([1-9]\d{0,8})(?:\.([1-9]\d{0,8}))?$/

/** What a number of a list names, if the command takes such a thing. No id begins so: their first digits are 0. */
function numbered(store: Reader, typed: string, kinds: readonly IdKind[]): IdCandidate | undefined {
  const [, first, second] = NUMBER.exec(typed) ?? []
  if (first === undefined || !kinds.includes(second === undefined ? 'cnv' : 'brn')) return undefined
  const [conversation] = store.find('conversations', { where: { number: Number(first) }, limit: 1 })
  if (!conversation || second === undefined) return conversation && candidate(conversation)
  const where = { conversationId: conversation.id, number: Number(second) }
  const [branch] = store.find('branches', { where, limit: 1 })
  return branch && { id: branch.id, about: branch.label }
}

function candidate({ id, title }: Conversation): IdCandidate {
  return { id, about: title }
}

/** What a list prints of a branch: `3` for the main branch of the third conversation, `3.1` for its first other one. */
export function numberOf(store: Reader, branchId: string): string {
  const branch = store.get('branches', branchId)
  const number = branch && store.get('conversations', branch.conversationId)?.number
  if (!number) return ''
  return branch.number ? `${number}.${branch.number}` : branch.number === 0 ? `${number}` : ''
}

/** @throws OffshootError `usage` for an ambiguous prefix. */
export function wholeId(store: Reader, typed: string, kinds: readonly IdKind[] = SUBJECTS): string {
  const meant = prefixesOf(typed, kinds)
  const found = meant.flatMap(({ kind, prefix }) => startingWith(store, kind, prefix))
  const [first] = found
  if (found.length > 1) throw ambiguous(typed, meant, found)
  return first?.id ?? typed
}

interface MeantPrefix {
  readonly kind: IdKind
  readonly prefix: string
}

/** What the text can be the beginning of. Ids are upper case behind the underscore; people need not type it so. */
function prefixesOf(typed: string, kinds: readonly IdKind[]): readonly MeantPrefix[] {
  const [, named, body = ''] = PREFIX.exec(typed) ?? []
  const meant = named === undefined ? kinds : [named.toLowerCase() as IdKind]
  if (body === '' || (named === undefined && body.length < LEAST_BARE)) return []
  return meant.map((kind) => ({ kind, prefix: `${kind}_${body.toUpperCase()}` }))
}

const SHORT = [14, 17, 20]

/** The shortest form of an id that a list prints and that names nothing else today; in doubt the whole id. */
export function shortId(store: Reader, id: string): string {
  const prefixes = SHORT.map((length) => id.slice(0, length))
  return prefixes.find((prefix) => isUnique(store, prefix)) ?? id
}

function isUnique(store: Reader, prefix: string): boolean {
  return prefixesOf(prefix, []).some(({ kind }) => startingWith(store, kind, prefix).length === 1)
}

/** The latest conversation of a directory, as `run --continue` takes it. @throws OffshootError `usage` */
function lastConversation(store: Reader, cwd: string): Conversation {
  const directory = createWorkspace(cwd).root
  const query = { where: { directory }, orderBy: 'updatedAt', descending: true, limit: 1 } as const
  const [latest] = store.find('conversations', query)
  if (latest) return latest
  throw new OffshootError('usage', `there is no conversation in ${terminalLine(directory)}`, {
    hint: 'offshoot ls lists the conversations of all directories',
  })
}

/** The whole id is among them. Newest first; one more than an error lists. */
export function startingWith(store: Reader, kind: IdKind, prefix: string): IdCandidate[] {
  const last = prefix.length - 1
  const after = `${prefix.slice(0, last)}${String.fromCharCode(prefix.charCodeAt(last) - 1)}~`
  return idKinds[kind].find(store, { after, before: `${prefix}~`, limit: LISTED + 1 })
}

function ambiguous(
  typed: string,
  meant: readonly MeantPrefix[],
  found: readonly IdCandidate[],
): OffshootError {
  const listed = found.slice(0, LISTED).map(({ id, about }) => `${id} (${terminalLine(about)})`)
  const more = found.length > LISTED ? ', and more' : ''
  const several = meant.length === 1 ? idKinds[meant[0]!.kind].plural : 'ids'
  const message = `${typed} is ambiguous: several ${several} start with it: ${listed.join(', ')}${more}`
  return new OffshootError('usage', message, { hint: 'type more of the id' })
}
