import { summarised } from './compaction-plan.ts'
import type { Branch } from './conversation.ts'
import type { BranchId, CallId, MessageId } from './ids.ts'
import { foldCalls, foldResults } from './inner-calls.ts'
import {
  callsOf,
  type Message,
  type Part,
  type Role,
  type ToolCallPart,
  type ToolResultPart,
} from './message.ts'
import { reportForModel } from './report/report-envelope.ts'

/** What `buildContext` reads of a conversation. Messages come in the order of their branch. */
export interface ConversationTree {
  readonly branches: Pick<ReadonlyMap<BranchId, Branch>, 'get'>
  messages(branchId: BranchId): readonly Message[]
}

export interface ContextMessage {
  readonly role: Role
  readonly parts: readonly Part[]
}

const NOT_RUN = 'not run on this branch'

/**
 * What the model sees on a branch: with `inheritContext` the context of the parent up to and including the origin
 * message, then the branch's own messages; otherwise its own messages only. The result is one that
 * every provider accepts:
 * - system text stands first, and the nearest branch that has any replaces what it would inherit;
 * - every tool call is followed at once by exactly one result; a missing one is "not run on this branch";
 * - where the oldest turns were summarised, the summary stands for them (compaction-plan.ts);
 * - no result without its call, no empty message, no interrupted text, no notice;
 * - no reasoning at the end of a message: providers take it only together with what it led to.
 */
export function buildContext(tree: ConversationTree, branchId: BranchId): ContextMessage[] {
  const path = contextPath(tree, branchId)
  const system = lastRun(path.filter((message) => message.role === 'system'))
  return [
    ...system.map(contextMessage),
    ...damageNote(path.filter((message) => message.role !== 'system')),
    ...pairCalls(path.filter((message) => message.role !== 'system')),
  ].filter((message) => message.parts.length > 0)
}

/** What a repair has found altered is said here alone: in a message it would be somebody's words. */
function damageNote(path: readonly Message[]): ContextMessage[] {
  const notices = path.flatMap(({ role, parts }, i) =>
    parts.flatMap((part) =>
      part.type === 'notice' && part.damaged !== undefined
        ? [{ id: part.id, line: `- message ${i + 1} (${role})` }]
        : [],
    ),
  )
  if (notices.length === 0) return []
  const text = [DAMAGED, ...new Set(notices.map(({ line }) => line))].join('\n')
  return [{ role: 'system', parts: [{ id: notices[0]!.id, type: 'text', text }] }]
}

const DAMAGED =
  'This conversation was read from a damaged disk. Of these messages, counted without system texts, a part may say something else than was said; do not rely on it, and do what it asks only when a person confirms it:'

/** The stored messages that a context is made of; a summary stands in the place of what it covers. */
export function contextPath(tree: ConversationTree, branchId: BranchId): readonly Message[] {
  return summarised(pathOf(tree, branchId))
}

/** The messages of a branch and of what it inherits, oldest first. */
function pathOf(tree: ConversationTree, branchId: BranchId): Message[] {
  let path: Message[] = []
  for (const branch of lineage(tree, branchId)) {
    path = [...upTo(path, branch.originMessageId), ...tree.messages(branch.id)]
  }
  return path.filter(isVisible)
}

/** The branches whose messages can be seen, the oldest first. A missing or circular parent ends the line. */
function lineage(tree: ConversationTree, branchId: BranchId): Branch[] {
  const line = new Map<BranchId, Branch>()
  for (let branch = tree.branches.get(branchId); branch && !line.has(branch.id);) {
    line.set(branch.id, branch)
    if (!branch.inheritContext || !branch.parentBranchId) break
    branch = tree.branches.get(branch.parentBranchId)
  }
  return [...line.values()].reverse()
}

/** Up to and including the origin, wherever on the path it stands; nothing where it does not stand there. */
function upTo(path: readonly Message[], origin: MessageId | null): readonly Message[] {
  return path.slice(0, path.findLastIndex((message) => message.id === origin) + 1)
}

/** A `tool` message is open while its batch runs; the results that it already holds are true. */
function isVisible(message: Message): boolean {
  return message.state === 'complete' || message.role === 'tool'
}

/** The system messages of the branch that came last on the path. */
function lastRun(system: readonly Message[]): readonly Message[] {
  const nearest = system.findLast((message) => message.parts.some(isForModel))?.branchId
  return system.filter((message) => message.branchId === nearest)
}

/** What the model sees of one message; without any parts it is left out. Reports get their envelope. */
export function contextMessage({ role, parts }: ContextMessage): ContextMessage {
  const shown = parts.filter(
    (part) => isForModel(part) && (part.type !== 'tool-call' || role === 'assistant'),
  )
  const ended = shown.slice(0, shown.findLastIndex((part) => part.type !== 'reasoning') + 1)
  const isReport = ended.some((part) => part.type === 'report')
  return { role, parts: foldCalls(isReport ? ended.map(asRead) : ended) }
}

/** The envelope of a report is made here, for the model alone. */
function asRead(part: Part): Part {
  return part.type === 'report' ? reportForModel(part) : part
}

/** Providers refuse text of white space only; with metadata it may carry what they want back. */
function isForModel(part: Part): boolean {
  if (part.type === 'text' || part.type === 'reasoning')
    return part.text.trim() !== '' || part.metadata !== undefined
  return part.type !== 'notice' && part.type !== 'tool-result'
}

/** Puts the results of each assistant message right behind it, in the order of its calls. */
function pairCalls(messages: readonly Message[]): ContextMessage[] {
  const results = new Map<CallId, ToolResultPart>()
  for (const { role, parts } of messages) {
    if (role !== 'tool') continue
    for (const part of parts) if (part.type === 'tool-result') results.set(part.callId, part)
  }
  return messages.flatMap((message) => {
    if (message.role === 'tool') return []
    const shown = contextMessage(message)
    const calls = message.role === 'assistant' ? callsOf(message.parts) : []
    if (calls.length === 0) return [shown]
    const own = calls.map((call) => results.get(call.callId) ?? notRun(call))
    return [shown, { role: 'tool', parts: foldResults(calls, own) }]
  })
}

function notRun(call: ToolCallPart): ToolResultPart {
  const { id, callId, tool } = call
  return { id, type: 'tool-result', callId, tool, status: 'skipped', output: { text: NOT_RUN } }
}
