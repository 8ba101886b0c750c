import { textOf, type Part } from '../../src/core/message.ts'
import type { StoredRun, ToolCall } from '../../src/core/run.ts'
import type { ModelRequest } from '../../src/model/port.ts'
import type { EventRow, InboxRow, LeaseRow, MessageRow, PartRow } from '../../src/store/port.ts'
import { runProblem } from '../support/run-problem.ts'
import type { Write } from './engine.ts'
import type { SimProcess } from './process.ts'
import { openBelow } from './watch-tree.ts'
import { storedOf, type World } from './world.ts'

/** Checks every commit as it happens: the invariants that each transaction has to keep by itself. */
export class Watch {
  readonly problems: string[] = []
  /** Who began each call, and who wrote its result. */
  readonly begun = new Map<string, string>()
  readonly ended = new Map<string, string>()
  lastCommitAt = 0
  readonly #world: World
  readonly #seq = new Map<string, number>()
  /** Words of answers that were cut: no model reads them (invariant R3). */
  readonly #cut = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  /** An invariant does not hold. */
  report(invariant: string, what: string): void {
    this.#world.note('!', () => `${invariant}: ${what}`)
    this.problems.push(`${invariant}: ${what}`)
  }

  committed(process: SimProcess, writes: readonly Write[]): void {
    this.#world.note(process.name, () => `commits ${writes.map(shown).filter(Boolean).join(', ')}`)
    if (writes.some(({ table, after }) => table !== 'leases' || after?.['renewedAt'] === 0))
      this.lastCommitAt = this.#world.timeline.now
    for (const write of writes) {
      this.#owned(process, write)
      switch (write.table) {
        case 'leases':
          this.#lease(write.before as unknown as LeaseRow | undefined, write.after as unknown as LeaseRow)
          break
        case 'runs':
          this.#run(write, writes)
          break
        case 'tool_calls':
          this.#call(process, write)
          break
        case 'inbox':
          this.#inbox(write, writes)
          break
        case 'events':
          this.#event(write.after as unknown as EventRow)
          break
        case 'messages':
          this.#message(write)
          break
        case 'approvals':
          if (write.before?.['answer'] && write.after?.['answer'] !== write.before['answer'])
            this.report(
              'A2',
              `${write.key} was ${worded(write.before['answer'])} and is ${worded(write.after?.['answer'])}`,
            )
          break
        default:
      }
    }
  }

  /** A request is made: what was cut is not in it. */
  asked(process: SimProcess, { agent, messages }: ModelRequest): void {
    if (process.isGone || this.#cut.size === 0) return
    const spoken = messages.filter(({ role }) => role === 'assistant').map(({ parts }) => textOf(parts))
    for (const word of spoken.flatMap(words))
      if (this.#cut.has(word)) this.report('R3', `${agent} reads ${word}, whose answer was cut`)
  }

  /** Invariant R5: only the owner of a conversation changes it. */
  #owned(process: SimProcess, { table, key, before, after }: Write): void {
    if (table === 'leases' || table === 'commands' || this.#world.off.has('leases')) return
    const row = after ?? before
    const id = table === 'conversations' ? key : (row?.['conversationId'] as string | null)
    const lease = id ? storedOf(this.#world).get('leases', id) : undefined
    if (id && lease?.owner !== process.owner)
      this.report('R5', `${process.name} changes ${table} ${key}, and ${lease?.owner ?? 'nobody'} owns it`)
  }

  /** Invariant R5: another process acquires a lease only after it was released, has expired, or its process is gone. */
  #lease(before: LeaseRow | undefined, after: LeaseRow): void {
    if (!before || before.owner === after.owner) return
    const holder = this.#world.processes.find(({ owner }) => owner === before.owner)
    const age = this.#world.timeline.now - before.renewedAt
    if (!holder?.isGone && age < 15_000)
      this.report('R5', `${after.owner} takes the lease of ${before.owner}, ${age} ms old`)
    if (after.epoch !== before.epoch + 1)
      this.report('R5', `epoch ${before.epoch} is followed by ${after.epoch}`)
    if (before.renewedAt > 0) this.#world.count(holder?.isGone ? 'lease of a dead process' : 'lease run out')
  }

  #run(write: Write, writes: readonly Write[]): void {
    const before = write.before as StoredRun | undefined
    const after = write.after as StoredRun | undefined
    if (!after) return
    const problem = runProblem(after)
    if (problem) this.report('S1', problem)
    if (after.attempt > 3) this.report('R7', `${after.id} is tried for the ${after.attempt}th time`)
    if (before && this.#goesOn(before, after, writes))
      this.report(
        'pause',
        `${after.id} was paused by a person, and is ${after.status} though nobody goes on with it`,
      )
    if (!before || before.status === after.status) return
    if (!LEGAL[before.status].includes(after.status))
      this.report('S1', `${after.id} goes from ${before.status} to ${after.status}`)
    if (!isOpen(after.status)) this.#stop(before, after, writes)
    if (after.status === 'cancelled')
      for (const { id, status } of openBelow(storedOf(this.#world), after))
        this.report('P6', `${id} is ${status} below ${after.id}, which is cancelled`)
  }

  /** What a person has paused goes on in a change that says something on its branch, and in no other. */
  #goesOn(before: StoredRun, after: StoredRun, writes: readonly Write[]): boolean {
    if (before.status !== 'paused' || before.reason !== 'user' || after.status === 'cancelled') return false
    if (after.status === 'paused' && after.reason === 'user') return false
    return !writes.some(
      ({ table, after: row }) =>
        (table === 'inbox' || (table === 'messages' && row?.['role'] === 'user')) &&
        row?.['branchId'] === after.branchId,
    )
  }

  /** Invariants D2 and D3: a stop and what the parent is owed for it are one transaction, and are delivered once. */
  #stop(before: StoredRun, after: StoredRun, writes: readonly Write[]): void {
    if (!after.parentRunId) return
    const answered = writes.filter(
      ({ table, key, before: was, after: is }) =>
        table === 'tool_calls' &&
        !after.background &&
        key === after.originCallId &&
        !was?.['resultPartId'] &&
        is?.['resultPartId'],
    ).length
    const items = writes.filter(
      ({ table, before: was, after: is }) =>
        table === 'inbox' && !was && is?.['fromRunId'] === after.id && is['stopNo'] === after.stopNo,
    ).length
    const given = answered + items
    const wasGiven = before.status === 'paused' && isOwed(before)
    const isTold = wasGiven || (after.status === 'cancelled' && after.endReason === 'parent')
    const how = `${after.id} ${after.status} (${after.reason ?? after.endReason})`
    if (given > 1) this.report('D3', `${how} is handed over ${given} times`)
    if (given === 0 && isOwed(after) && !isTold) this.report('D2', `${how} is not handed over`)
    if (given > 0 && !isOwed(after)) this.report('D2', `${how} is handed over`)
  }

  #call(process: SimProcess, write: Write): void {
    const before = write.before as ToolCall | undefined
    const after = write.after as ToolCall | undefined
    if (!after) return
    const { id, tool, status } = after
    if (before && ENDS.includes(before.status) && before.status !== status)
      this.report('R1', `${tool} ${id} was ${before.status} and is ${status}`)
    if (
      before?.status === 'running' &&
      status === 'running' &&
      ONCE.includes(tool) &&
      before.startedAt !== after.startedAt
    )
      this.report('R2', `${tool} ${id} begins again`)
    if (status === 'unknown' && DELEGATES.includes(tool)) this.report('R2', `${tool} ${id} is unknown`)
    if (status === 'running') {
      this.begun.set(id, process.name)
      const run = storedOf(this.#world).get('runs', after.runId)
      if (run && FINAL.includes(run.status))
        this.report('S1', `${tool} ${id} begins in a run that is ${run.status}`)
    }
    if (ENDS.includes(status) && before?.status !== status) {
      this.ended.set(id, process.name)
      if (!after.resultPartId) this.report('R1', `${tool} ${id} is ${status} without a result`)
    }
  }

  /** Invariant D3: what is marked delivered is appended to its branch in the same transaction. */
  #inbox(write: Write, writes: readonly Write[]): void {
    const before = write.before as InboxRow | undefined
    const after = write.after as unknown as InboxRow
    if (before?.deliveredAt && after.deliveredAt !== before.deliveredAt)
      this.report('D3', `${after.id} is delivered again`)
    if (!after.deliveredAt || before?.deliveredAt) return
    if (after.withdrawnAt) this.report('D1', `${after.id} is delivered after it was withdrawn`)
    const stored = storedOf(this.#world)
    const appended = writes.some(({ table, after: row }) => {
      if (table !== 'parts' || !row) return false
      const { part, messageId } = row as unknown as PartRow
      return (
        (part.type === 'text' || part.type === 'report') &&
        part.text === after.text &&
        stored.get('messages', messageId)?.branchId === after.branchId
      )
    })
    if (!appended) this.report('D3', `${after.id} is marked delivered and not appended`)
  }

  #event({ conversationId, seq, events }: EventRow): void {
    const last = this.#seq.get(conversationId) ?? 0
    if (seq !== last + 1) this.report('S2', `event ${seq} follows ${last}`)
    this.#seq.set(conversationId, seq + events.length - 1)
  }

  /** Invariant R2: a run is driven once at a time, so that it has one answer at a time. */
  #alone({ id, runId }: MessageRow): void {
    const where = { runId, role: 'assistant', state: 'streaming' } as const
    const others = storedOf(this.#world).find('messages', { where }).length
    if (others > 1) this.report('R2', `${id} is not the only answer that ${runId} gets`)
  }

  #message(write: Write): void {
    const before = write.before as MessageRow | undefined
    const after = write.after as MessageRow | undefined
    if (!after || before?.state === after.state) return
    if (!before && after.state === 'streaming' && after.role === 'assistant') this.#alone(after)
    if (before && before.state !== 'streaming')
      this.report('R3', `${after.id} was ${before.state} and is ${after.state}`)
    if (after.state !== 'interrupted') return
    const parts = storedOf(this.#world).find('parts', { where: { messageId: after.id } })
    for (const word of words(textOf(parts.map(({ part }) => part)))) this.#cut.add(word)
  }
}

const FINAL: readonly string[] = ['completed', 'failed', 'cancelled']

/** What an agent says has a word of its own in it (World.token). */
function words(text: string): string[] {
  return text.match(/say#\d+\./g) ?? []
}

const LEGAL: Record<StoredRun['status'], readonly StoredRun['status'][]> = {
  queued: ['running', 'completed', 'failed', 'cancelled', 'paused'],
  running: ['waiting', 'completed', 'failed', 'cancelled', 'paused'],
  waiting: ['running', 'queued', 'completed', 'failed', 'cancelled', 'paused'],
  paused: ['queued', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

const ENDS: readonly string[] = ['completed', 'failed', 'denied', 'skipped', 'unknown']
const ONCE: readonly string[] = ['append', 'sign']
const DELEGATES: readonly string[] = ['task', 'rate']

function isOpen(status: StoredRun['status']): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting'
}

/** Whether the parent is owed something at this status (invariant D2). */
function isOwed({ status, reason }: StoredRun): boolean {
  return status !== 'paused' || reason === 'limit' || reason === 'budget' || reason === 'stall'
}

/** One change in a few words; empty: nobody wants to read of it. */
function shown({ table, key, before, after }: Write): string {
  switch (table) {
    case 'events':
    case 'branches':
    case 'conversations':
      return before ? '' : `+${table}`
    case 'parts':
      return before ? '' : shownPart(after as unknown as PartRow)
    case 'messages':
      return `${worded(after?.['role'])} ${key} ${worded(after?.['state'])}`
    case 'leases':
      return `lease of ${worded(after?.['owner']).replace(/ of world .*/, '')}, epoch ${worded(after?.['epoch'])}, renewed ${worded(after?.['renewedAt'])}`
    case 'inbox':
      return `inbox ${key} ${after?.['withdrawnAt'] ? 'withdrawn' : after?.['deliveredAt'] ? 'delivered' : 'waits'}`
    case 'runs':
      return `${key} ${worded(after?.['status'])}${after?.['reason'] ? `(${worded(after['reason'])})` : ''}`
    default:
      return `${table} ${key} ${worded(after?.['status'] ?? after?.['answer'] ?? '')}`.trim()
  }
}

function shownPart({ part }: PartRow): string {
  const text = part.type === 'tool-call' ? part.tool : shownText(part)
  return `${part.type}(${text.replaceAll('\n', ' ').slice(0, 60)})`
}

function shownText(part: Part): string {
  return part.type === 'tool-result' ? part.output.text : textOf([part])
}

function worded(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
