import { join } from 'node:path'
import { NOT_YET } from '../support/not-yet.ts'
import { draftProblems, grantProblems, orderProblems, ratingProblems } from './check-wider.ts'
import {
  ledgerOf,
  readRecords,
  temporaryFiles,
  textOf,
  type CallRecord,
  type Records,
  type RunRecord,
} from './records.ts'
import { LEAVE, putText, reportOf, type Story, type StoryCall } from './story.ts'

/** What somebody outside the program has seen of it. */
export interface Witness {
  /** Durable events as `--output-format events` printed them. */
  readonly told: readonly ToldEvent[]
  /** All else that a person could read. */
  readonly said: string
  readonly acknowledged: readonly Acknowledged[]
  /** Ids of approvals that were open when a program was killed. */
  readonly openApprovals: ReadonlySet<string>
  readonly sent: readonly Sent[]
  readonly granted: readonly Granted[]
  /** Whether a run was begun on a fork at a terminal. */
  readonly hasForked: boolean
}

/** Something that a person has said to a branch; `toldAt`: when an answer said that it was taken. */
export interface Sent {
  readonly text: string
  readonly sentAt: number
  toldAt?: number
  /** To be read at once: before what was said earlier, for later. */
  readonly isSteer: boolean
}

/** What was allowed for more than one call, and acknowledged. */
export interface Granted {
  readonly answer: 'run' | 'always'
  readonly run: string
  readonly conversation: string
  readonly at: number
}

export interface ToldEvent {
  readonly conversationId: string
  readonly seq: number
  readonly type: string
}

export type Acknowledged =
  | { readonly type: 'message'; readonly id: string; readonly text: string }
  | { readonly type: 'approval'; readonly id: string; readonly answer: string }

export interface Evidence {
  readonly database: string
  readonly directory: string
  readonly stories: readonly Story[]
  readonly witness: Witness
  /** Whether what is known to be broken is checked too. */
  readonly isAll?: boolean | undefined
}

/**
 * Compares what is stored with what was seen, once everything is quiet. Each line names the
 * invariant that does not hold (docs/invariants.md); none: all hold.
 */
export function violations(evidence: Evidence): string[] {
  const records = readRecords(evidence.database)
  const found = { ...evidence, records, calls: callsByKey(records, evidence.stories) }
  const { directory, isAll, witness } = evidence
  const checks = (name: 'reading order' | 'temporary files') => isAll || !NOT_YET.has(name)
  const left = checks('temporary files') ? temporaryFiles(directory) : []
  return [
    ...records.damage.map((text) => `store: ${text}`),
    ...eventsInOrder(records),
    ...acknowledgements(found),
    ...deliveries(found),
    ...runs(found),
    ...effects(found),
    ...unknownOutcomes(found),
    ...approvals(found),
    ...streaming(found),
    ...draftProblems(directory, found.calls),
    ...ratingProblems(found.calls, records),
    ...grantProblems(witness.granted, records),
    ...(checks('reading order') ? orderProblems(witness.sent, records) : []),
    ...left.map((name) => `files: ${name} is left in the workspace`),
  ]
}

interface Found extends Evidence {
  readonly records: Records
  readonly calls: ReadonlyMap<string, readonly CallRecord[]>
}

function callsByKey({ calls }: Records, stories: readonly Story[]): Map<string, CallRecord[]> {
  const byKey = new Map(allCalls(stories).map(({ key }): [string, CallRecord[]] => [key, []]))
  for (const call of calls) byKey.get(keyOf(call) ?? '')?.push(call)
  return byKey
}

const allCalls = (stories: readonly Story[]): StoryCall[] =>
  stories.flatMap(({ parts }) => [...parts.values()].flatMap(({ turns }) => turns.flat()))

function keyOf({ input }: CallRecord): string | undefined {
  return /\b([a-z]\d\dg*-\d)\b/.exec(input)?.[1]
}

/** Invariant S2: `seq` counts from 1 without a gap. */
function eventsInOrder({ events }: Records): string[] {
  return events.flatMap(({ conversationId, seq }, at) => {
    const before = events[at - 1]
    const expected = before?.conversationId === conversationId ? before.seq + 1 : 1
    return seq === expected ? [] : [`events: ${conversationId} has ${seq} where ${expected} is due`]
  })
}

function acknowledgements({ records, witness }: Found): string[] {
  const stored = new Map(records.events.map((event) => [`${event.conversationId} ${event.seq}`, event.type]))
  const untrue = witness.told.filter(
    ({ conversationId, seq, type }) => stored.get(`${conversationId} ${seq}`) !== type,
  )
  const lost = witness.acknowledged.flatMap((one) =>
    one.type === 'message' ? messageProblems(one, records) : answerProblems(one, records),
  )
  return [...untrue.map(({ seq, type }) => `D1: ${type} (${seq}) was told and is not stored`), ...lost]
}

function messageProblems({ id, text }: { id: string; text: string }, { inbox, parts }: Records): string[] {
  const item = inbox.find((row) => row.id === id)
  if (!item) return [`D1: ${id} was acknowledged and is not in the store`]
  const times = parts.filter(
    (row) => row.branch === item.branch && row.role === 'user' && row.part.includes(text),
  ).length
  const due = item.deliveredAt === null ? 0 : 1
  return times === due
    ? []
    : [`D3: ${id} is ${due ? 'delivered' : 'waiting'} and stands ${times} times in its branch`]
}

function answerProblems(
  { id, answer }: { id: string; answer: string },
  { approvals: rows }: Records,
): string[] {
  const stored = rows.find((row) => row.id === id)?.answer
  return stored === answer
    ? []
    : [`D1: ${id} was answered "${answer}", and the store has ${stored ?? 'nothing'}`]
}

/** An answer that is being written belongs to a run that goes on. */
function streaming({ records: { messages, runs: all } }: Found): string[] {
  const isPaused = (run: string | null) => all.find(({ id }) => id === run)?.status === 'paused'
  return messages
    .filter(({ state, role, run }) => state === 'streaming' && role === 'assistant' && !isPaused(run))
    .map(({ id, run }) => `R3: ${id} of ${run} is streaming, and nobody drives it`)
}

/**
 * Invariants D2 and D3: what a run owes at its end is delivered once, and is once in its parent's messages. A pause is
 * told to a parent that waits; what the run owes at its end it owes all the same.
 */
function deliveries({ records, stories }: Found): string[] {
  const reports = records.events.filter(({ type }) => type === 'report.delivered')
  const delivered = reports.map(({ fromRunId }) => fromRunId)
  // the report of a fork goes to nobody
  const forks = new Set(records.branches.filter(({ kind }) => kind === 'fork').map(({ id }) => id))
  const counts = records.runs
    .filter(({ depth, status, branch }) => depth > 0 && status !== 'paused' && !forks.has(branch))
    .flatMap((run) => {
      const own = reports.filter(({ fromRunId }) => fromRunId === run.id)
      const times = own.filter(({ status }) => status !== 'paused').length
      return times === 1 || (times === 0 && run.status === 'cancelled')
        ? []
        : [`D3: the report of ${run.id} (${run.status}) was delivered ${times} times`]
    })
  const pauses = records.runs.flatMap(({ id }) => {
    const told = reports.filter(({ fromRunId, status }) => fromRunId === id && status === 'paused').length
    const times = records.events.filter(({ type, runId }) => type === 'run.paused' && runId === id).length
    return told <= times ? [] : [`D3: ${id} paused ${times} times, and its parent was told ${told} times`]
  })
  const names = stories.flatMap(({ parts }) => [...parts.keys()])
  return [...counts, ...pauses, ...names.flatMap((name) => timesRead(name, records, delivered))]
}

function timesRead(
  name: string,
  { branches, runs: all, parts }: Records,
  delivered: readonly unknown[],
): string[] {
  const own = branches.filter(({ label, kind }) => label === name && kind !== 'fork')
  if (own.length > 1) return [`R2: ${name} was started ${own.length} times`]
  const branch = own[0]
  if (!branch) return []
  const due = all.filter(
    (run) => run.branch === branch.id && delivered.includes(run.id) && run.report !== null,
  ).length
  const above = parts.filter((row) => row.branch === branch.parent && row.role !== 'assistant')
  const times = above.reduce((sum, { part }) => sum + part.split(reportOf(name)).length - 1, 0)
  return times === due ? [] : [`D3: its parent reads the report of ${name} ${times} times, not ${due}`]
}

/** Invariants D5, R4 and R7. Nothing waits for a person when this is called. */
function runs({ records, witness }: Found): string[] {
  return records.runs.flatMap((run) => {
    const { id, status, reason, attempt, report, note } = run
    const at = `${id} is ${status}${reason ? ` (${reason})` : ''}`
    if (['running', 'queued', 'waiting'].includes(status)) return [`R4: ${at}, and nobody drives it`]
    if (status === 'completed' && report === null && !note) return [`D5: ${at} with no report and no reason`]
    if (attempt > 3) return [`R7: ${at} in attempt ${attempt}`]
    return status === 'failed' && !isGivenUp(run) && !isRefused(run, witness)
      ? [`R4: ${at}: ${run.error}`]
      : []
  })
}

function isGivenUp({ error, attempt }: RunRecord): boolean {
  return attempt >= 3 && (error ?? '').includes('"crashed"')
}

/** The store took none of its writes for a while, and somebody was told so. */
function isRefused({ error }: RunRecord, { said }: Witness): boolean {
  return (error ?? '').includes('"store_full"') && said.includes('cannot take more')
}

/** Invariants R1 and R2: an effect has its row, a completed call has its effect, and nothing happens twice. */
function effects({ directory, stories, calls, records }: Found): string[] {
  const ledger = ledgerOf(directory)
  return allCalls(stories).flatMap(({ key, effect }) => {
    const rows = calls.get(key)!
    if (rows.length > 1) return [`R2: ${key} was called ${rows.length} times`]
    const call = rows[0]
    const times = ledger.filter((line) => line === key).length
    if (times > 1) return [`R2: ${key} stands ${times} times in the ledger`]
    const put = textOf(join(directory, effect === 'leave' ? LEAVE : 'put', key))
    if (!call) return times > 0 || put ? [`R1: ${key} took effect without a row`] : []
    if (call.status === 'completed') return effectOf(effect, key, times, put)
    const allowed = ['append', 'ask'].includes(effect) ? ['unknown'] : []
    const may = [...allowed, ...(call.repeatable ? ['failed', 'skipped', 'denied'] : [])]
    const isCut = ['failed', 'skipped'].includes(call.status) && isInterrupted(call, records)
    if (times > 0 && !may.includes(call.status) && !isCut)
      return [`R2: ${key} took effect and its call is ${call.status}`]
    const isOver = records.runs.find(({ id }) => id === call.run)!.status !== 'paused'
    return isOver && ['running', 'awaiting_approval', 'pending'].includes(call.status)
      ? [`R2: ${key} is ${call.status} in a run that has ended`]
      : []
  })
}

/** A person has stopped it in the middle, and its result says so. */
function isInterrupted({ resultPart }: CallRecord, { parts }: Records): boolean {
  return /interrupted|cancelled|stopped/i.test(parts.find(({ id }) => id === resultPart)?.part ?? '')
}

function effectOf(effect: StoryCall['effect'], key: string, times: number, put: string): string[] {
  if (effect === 'put' || effect === 'leave')
    return put === putText(key) ? [] : [`R1: the file of ${key} is not as it was put`]
  if (effect !== 'append' && effect !== 'ask') return []
  return times === 1 ? [] : [`R1: ${key} is completed and stands ${times} times in the ledger`]
}

/** Invariant R2: the model and a person read that the effect of a call is not known. */
function unknownOutcomes({ records, witness, isAll }: Found): string[] {
  const mayBeUntold = (run: RunRecord) =>
    !isAll &&
    NOT_YET.has('untold unknowns') &&
    (witness.hasForked || (run.error ?? '').includes('"store_full"'))
  return records.calls
    .filter(({ status }) => status === 'unknown')
    .flatMap(({ id, run, tool, title, repeatable, resultPart }) => {
      const own = records.runs.find((one) => one.id === run)!
      const goesOn = own.status === 'completed'
      const result = records.parts.find((part) => part.id === resultPart)?.part ?? ''
      return [
        ...(tool === 'task' ? [`R2: the task ${id} is unknown`] : []),
        ...(repeatable && goesOn ? [`R2: ${title} may be repeated and is unknown`] : []),
        ...(result.includes('its effect is unknown') ? [] : [`R2: the model was not told of ${title}`]),
        ...(isSaid(witness.said, title) || mayBeUntold(own) ? [] : [`R2: nobody was told of ${title}`]),
      ]
    })
}

function isSaid(said: string, title: string): boolean {
  return said.split('\n').some((line) => line.includes('not known') && line.includes(title))
}

/** Invariant R2: a call has one approval, which keeps its id. A stopped run asks anew. */
function approvals({ records, witness }: Found): string[] {
  const rows = records.approvals
  const lasting = rows.filter(({ answeredBy }) => answeredBy !== 'stop')
  const twice = lasting.filter(({ call, id }) =>
    lasting.some((other) => other.call === call && other.id !== id),
  )
  const gone = [...witness.openApprovals].filter((id) => !rows.some((row) => row.id === id))
  return [
    ...twice.map(({ id, call }) => `R2: ${id} is not the only approval of ${call}`),
    ...gone.map((id) => `R2: the approval ${id} did not survive`),
  ]
}
