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

/** Routes on which a person alone decides, whatever the body says, and what is decided there. */
const DECIDING: Readonly<Partial<Record<RouteName, string>>> = {
  answerApproval: 'an answer',
  answerQuestion: 'an answer',
  giveTrust: 'trust in a directory',
  revokeTrust: 'trust in a directory',
  endSession: 'the end of a session',
  endSessions: 'the end of a session',
}

/** What of a request a person alone decides; undefined: an agent may send it too. */
export function decisionIn(name: RouteName, input: object): string | undefined {
  if (name === 'changeInboxItem' && 'text' in input) return 'a change of what somebody has said'
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

/** The turn that a request starts or steers, where a person has given its conversation a mode wider than `ask`. */
export function turnIn(
  name: RouteName,
  input: object,
  row: object | undefined,
  directoryRuntimes: Pick<DirectoryRuntimes, 'modesOf'>,
): string | undefined {
  if (!SPEAKING.has(name) || !row || !('conversationId' in row)) return undefined
  if (name === 'forkMessage' && !('text' in input)) return undefined // it is a branch, and nothing runs on it
  return turnOfPerson(directoryRuntimes.modesOf(row.conversationId as ConversationId))
}

/** `mode` of a message is another thing: when it is read. */
function wantedIn(input: WantedRun): WantedRun {
  return { ...input, mode: DELIVERIES.has(input.mode ?? '') ? undefined : input.mode }
}

const DELIVERIES: ReadonlySet<string> = new Set(['steer', 'follow_up'])

/** What a request shows: the token of the installation, that of a page's session, or the key of a link. */
export type Shown = Caller['kind'] | 'key'

/** Refuses a decision that does not come from a person. @throws Problem 403 */
export async function checkPerson(
  what: string | undefined,
  incoming: IncomingMessage | undefined,
  shown: Shown,
): Promise<void> {
  if (what === undefined || !incoming) return // without a socket it is the program that holds the server
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
 * Who says what a request says. The process at the other end of the connection tells. The header says that it is an
 * agent, and not which: anybody can send it.
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
 * The token of the installation does not tell a person from an agent: an agent with a shell can read it. So it does not
 * help a sender that cannot be seen; a session and a key do, which the server gives to persons alone.
 */
export function refusal(what: string, sender: Sender, shown: Shown): Problem | undefined {
  if (sender === 'agent')
    return new Problem(
      403,
      'forbidden',
      `${what} is not for an agent: a run has started the caller`,
      TO_PERSON,
    )
  if (sender === 'unknown' || (sender === 'hidden' && shown === 'token'))
    return new Problem(
      403,
      'forbidden',
      `${what} is for a person, and the process that asks cannot be found`,
      'it has ended, it hides what it holds open, or it is in a container of its own; docs/server.md, Trust',
    )
  return undefined
}
