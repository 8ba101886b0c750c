import type { IncomingMessage } from 'node:http'
import type { ConversationId } from '../core/ids.ts'
import { RUN_HEADER, type RouteName } from '../protocol/route-paths.ts'
import { findSender, type FoundSender, type Sender } from '../person/request-sender.ts'
import { personOnly, TO_PERSON, turnOfPerson, type WantedRun } from '../person/person-only.ts'
import type { Author } from '../core/message.ts'
import { authorOfCommand } from '../runtime/control/speaker.ts'
import type { Caller } from './access.ts'
import { Problem } from './problem.ts'
import type { DirectoryRuntimes, Store } from './directory-runtimes.ts'

/** Routes on which only a person may decide, whatever the body contains, with the decision's name. */
const DECIDING: Readonly<Partial<Record<RouteName, string>>> = {
  answerApproval: 'an answer',
  answerQuestion: 'an answer',
  giveTrust: 'trust in a directory',
  revokeTrust: 'trust in a directory',
  endSession: 'the end of a session',
  endSessions: 'the end of a session',
}

/** The decision in a request that is reserved for a person; undefined: an agent may send it too. */
export function decisionIn(name: RouteName, input: object): string | undefined {
  if (name === 'changeInboxItem' && 'text' in input) return 'a change to a message'
  return DECIDING[name] ?? personOnly(wantedIn(input))
}

/** Routes that start or steer a turn. */
const SPEAKING: ReadonlySet<RouteName> = new Set<RouteName>([
  'sendMessage',
  'spawnOnBranch',
  'continueBranch',
  'continueRun',
  'steerBranch',
  'steerRun',
  'forkMessage',
  'editMessage',
  'regenerateMessage',
  'changeInboxItem',
])

/** The turn that a request starts or steers, if a person set a mode wider than `ask` for its conversation. */
export function turnIn(
  name: RouteName,
  input: object,
  row: object | undefined,
  directoryRuntimes: Pick<DirectoryRuntimes, 'modesOf'>,
): string | undefined {
  if (!SPEAKING.has(name) || !row || !('conversationId' in row)) return undefined
  if (name === 'forkMessage' && !('text' in input)) return undefined // it is a branch without a run
  return turnOfPerson(directoryRuntimes.modesOf(row.conversationId as ConversationId))
}

/** The `mode` of a message is something else: when it is read. */
function wantedIn(input: WantedRun): WantedRun {
  return { ...input, mode: DELIVERIES.has(input.mode ?? '') ? undefined : input.mode }
}

const DELIVERIES: ReadonlySet<string> = new Set(['steer', 'follow_up'])

/** Credential of a request: the installation's token, a session's token, or the key of a link. */
export type Shown = Caller['kind'] | 'key'

/** Refuses a decision that does not come from a person. @throws Problem 403 */
export async function checkPerson(
  what: string | undefined,
  incoming: IncomingMessage | undefined,
  shown: Shown,
): Promise<void> {
  if (what === undefined || !incoming) return // without a socket, the sender is the program that embeds the server
  const { sender } = await senderOf(incoming)
  const problem = refusal(what, sender, shown)
  if (problem) throw problem
}

async function senderOf({ socket }: IncomingMessage): Promise<FoundSender> {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket
  const own = { address: remoteAddress, port: remotePort }
  return await findSender({ own, other: { address: localAddress, port: localPort } })
}

/**
 * The author of a request, found by the process at the other end of the connection. The header only proves that it is
 * some agent: anybody can send it.
 */
export async function authorOfRequest(
  name: RouteName,
  incoming: IncomingMessage | undefined,
  { shown, store }: { readonly shown: Shown; readonly store: Pick<Store, 'get' | 'find'> },
): Promise<Author> {
  if (!incoming || !(SPEAKING.has(name) || name === 'createConversation')) return 'person'
  const { sender, agentPid } = await senderOf(incoming)
  if (agentPid !== undefined) return authorOfCommand(store, agentPid)
  if (incoming.headers[RUN_HEADER] !== undefined) return 'unknown'
  return sender !== 'person' && shown === 'token' ? 'unknown' : 'person'
}

/**
 * The installation's token does not distinguish a person from an agent, because an agent with a shell can read it. So
 * it does not identify an invisible sender; a session or a key does, because the server gives those only to people.
 */
export function refusal(what: string, sender: Sender, shown: Shown): Problem | undefined {
  if (sender === 'agent')
    return new Problem(
      403,
      'forbidden',
      `${what} is reserved for a person, and a run started the caller`,
      TO_PERSON,
    )
  if (sender === 'unknown' || (sender === 'hidden' && shown === 'token'))
    return new Problem(
      403,
      'forbidden',
      `${what} is reserved for a person, and the calling process cannot be identified`,
      'it exited, hides its open files, or runs in another container; see docs/server.md, Trust',
    )
  return undefined
}
