import type { Conversation } from '../core/conversation.ts'
import { OffshootError, unreachable } from '../core/errors.ts'
import { terminalLine } from '../core/terminal-text.ts'
import type { Reader } from '../store/port.ts'
import { createWorkspace } from '../tools/workspace.ts'
import type { Io } from './io.ts'

const LAST = 'last'

/** An ambiguous prefix lists this many candidates. */
const LISTED = 5

const PREFIX = /^(cnv|brn|run|msg)_[0-9A-HJKMNP-TV-Z]{1,25}$/

const KINDS = { cnv: 'conversations', brn: 'branches', run: 'runs', msg: 'messages' } as const

/**
 * The id that a person typed: a whole id, a unique prefix of one, or `last`, the latest conversation of the directory
 * they are in. Returns anything else unchanged; the lookup says what is wrong with it.
 * @throws OffshootError `usage` for an ambiguous prefix, and for `last` where there is no conversation.
 */
export function idOf(store: Reader, typed: string, { cwd }: Pick<Io, 'cwd'>): string {
  return typed === LAST ? lastConversation(store, cwd).id : wholeId(store, typed)
}

/**
 * The same for commands that delete, end or allow something. They refuse `last`: another conversation can become the
 * latest between looking and typing. @throws OffshootError `usage`
 */
export function exactIdOf(store: Reader, typed: string, { cwd }: Pick<Io, 'cwd'>): string {
  if (typed !== LAST) return wholeId(store, typed)
  const { id, title } = lastConversation(store, cwd)
  throw new OffshootError('usage', 'this command takes an id, not "last"', {
    hint: `the latest conversation here is ${id} (${terminalLine(title)})`,
  })
}

/** @throws OffshootError `usage` for an ambiguous prefix. */
export function wholeId(store: Reader, typed: string): string {
  const kind = PREFIX.exec(typed)?.[1] as keyof typeof KINDS | undefined
  if (kind === undefined) return typed
  const found = candidates(store, kind, typed)
  const [first] = found
  if (found.length > 1) throw ambiguous(typed, kind, found)
  return first?.id ?? typed
}

const SHORT = [14, 17, 20]

/** The shortest form of an id that a list prints and that names nothing else today; in doubt the whole id. */
export function shortId(store: Reader, id: string): string {
  const prefixes = SHORT.map((length) => id.slice(0, length))
  return prefixes.find((prefix) => isUnique(store, prefix)) ?? id
}

function isUnique(store: Reader, prefix: string): boolean {
  const kind = PREFIX.exec(prefix)?.[1] as keyof typeof KINDS | undefined
  return kind !== undefined && candidates(store, kind, prefix).length === 1
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

interface IdCandidate {
  readonly id: string
  readonly about: string
}

/** Newest first; one more than an error lists. */
function candidates(store: Reader, kind: keyof typeof KINDS, prefix: string): IdCandidate[] {
  const query = { after: prefix, before: `${prefix}~`, descending: true, limit: LISTED + 1 } as const
  switch (kind) {
    case 'cnv':
      return store.find('conversations', query).map(({ id, title }) => ({ id, about: title }))
    case 'brn':
      return store.find('branches', query).map(({ id, label }) => ({ id, about: label }))
    case 'run':
      return store
        .find('runs', query)
        .map(({ id, agent, description }) => ({ id, about: `${agent}: ${description}` }))
    case 'msg':
      return store.find('messages', query).map(({ id, role }) => ({ id, about: role }))
    default:
      return unreachable(kind)
  }
}

function ambiguous(typed: string, kind: keyof typeof KINDS, found: readonly IdCandidate[]): OffshootError {
  const listed = found.slice(0, LISTED).map(({ id, about }) => `${id} (${terminalLine(about)})`)
  const more = found.length > LISTED ? ', and more' : ''
  const message = `${typed} is ambiguous: several ${KINDS[kind]} start with it: ${listed.join(', ')}${more}`
  return new OffshootError('usage', message, { hint: 'type more of the id' })
}
