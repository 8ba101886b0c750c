import { createIds, type ConversationId, type IdPrefix, type NewId } from '../../core/ids.ts'
import { noSetup } from '../../core/run.ts'
import { noUsage } from '../../core/usage.ts'
import type { ArtifactRow, InboxRow, MessageRow, PartRow, Rows, Table, Tx } from '../port.ts'

/** Rows with every column set, of one conversation with one branch. Ids are the same each time. */
export function sampleRows(time = 1_000) {
  const id = createIds(
    () => time,
    (bytes) => new Uint8Array(bytes),
  )
  const conversation = sampleConversation(id)
  const branch = sampleBranch(id, conversation.id)
  const run = sampleRun(id, branch)
  return {
    id: <P extends IdPrefix>(prefix: P) => id(prefix),
    conversation,
    branch,
    run,
    ...makers(id, branch),
  }
}

export type Sample = ReturnType<typeof sampleRows>

function sampleConversation(id: NewId): Rows['conversations'] {
  return {
    id: id('cnv'),
    directory: '/work',
    title: 'A title',
    budget: { usd: 5, tokens: 2_000_000 },
    mode: 'plan',
    sandbox: 'required',
    number: 1,
    createdAt: 1,
    updatedAt: 2,
  }
}

function sampleBranch(id: NewId, conversationId: ConversationId): Rows['branches'] {
  return {
    id: id('brn'),
    conversationId,
    kind: 'main',
    inheritContext: false,
    parentBranchId: null,
    originMessageId: null,
    originToolCallId: null,
    agent: 'main',
    label: 'main',
    outputSchema: { type: 'object', required: ['a'] },
    number: 0,
    createdAt: 1,
    updatedAt: 1,
  }
}

function sampleRun(id: NewId, { id: branchId, conversationId }: Rows['branches']): Rows['runs'] {
  return {
    id: id('run'),
    conversationId,
    branchId,
    parentRunId: null,
    originCallId: null,
    depth: 0,
    agent: 'main',
    model: 'scripted/test',
    description: 'a run',
    background: false,
    status: 'waiting',
    reason: 'approval',
    waitingFor: { what: 'approval', detail: 'bash', since: 5 },
    endReason: null,
    attempt: 1,
    stopNo: 0,
    limits: { maxTurns: 50, maxTokens: null, maxCostUsd: 0.5, timeoutMs: null, stallMs: 300_000 },
    setup: { ...noSetup, directory: '/project/src', effort: 'low', contextFiles: ['/project/a.md'] },
    turns: 1,
    toolCalls: 1,
    usage: { ...noUsage, input: 10 },
    costUsd: 0.25,
    lastAction: { tool: 'bash', title: 'ls', at: 6 },
    reportMessageId: null,
    reportNote: null,
    error: null,
    queuedAt: 3,
    startedAt: 4,
    output: { a: [1, null] },
    finishReason: 'tool_calls',
    pausing: 'user',
    partialFrom: null,
    unreported: true,
    endedAt: null,
  }
}

/** Rows of which a test needs several. */
function makers(id: NewId, { id: branchId, conversationId }: Rows['branches']) {
  const message = (position: number, change: Partial<MessageRow> = {}): MessageRow => ({
    id: id('msg'),
    conversationId,
    branchId,
    position,
    role: 'user',
    state: 'complete',
    runId: null,
    usage: null,
    createdAt: 10 + position,
    ...change,
  })
  const part = (messageId: MessageRow['id'], position: number, text: string): PartRow => {
    const partId = id('prt')
    return { id: partId, messageId, conversationId, position, part: { id: partId, type: 'text', text } }
  }
  const item = (change: Partial<InboxRow> = {}): InboxRow => ({
    id: id('inb'),
    conversationId,
    branchId,
    kind: 'result',
    mode: 'follow_up',
    text: 'hello',
    fromRunId: null,
    stopNo: null,
    createdAt: 7,
    deliveredAt: null,
    withdrawnAt: null,
    author: null,
    report: null,
    ...change,
  })
  const artifact = (hash: string, content: Uint8Array): ArtifactRow => ({
    id: id('art'),
    conversationId,
    hash,
    mediaType: 'text/plain',
    size: content.length,
    content,
    createdAt: 8,
  })
  const event = (seq: number): Rows['events'] => ({
    conversationId,
    seq,
    events: [
      {
        type: 'conversation.updated',
        seq,
        at: seq,
        conversationId,
        branchId: null,
        runId: null,
        parentRunId: null,
        depth: 0,
        title: `title ${seq}`,
      },
    ],
  })
  return { message, part, item, artifact, event }
}

/** The conversation, its branch and a run, which most rows refer to. */
export function seed(tx: Tx, sample: Sample): void {
  tx.insert('conversations', sample.conversation)
  tx.insert('branches', sample.branch)
  tx.insert('runs', sample.run)
}

/** At least one row of each table, with every kind of reference. Returns the inserted rows. */
export function seedEverything(tx: Tx, sample: Sample): Map<Table, object[]> {
  const rows = new Map<Table, object[]>()
  const insert: Insert = (table, row) => {
    rows.set(table, [...(rows.get(table) ?? []), row])
    tx.insert(table, row)
  }
  insert('conversations', sample.conversation)
  insert('branches', sample.branch)
  insert('runs', sample.run)
  const turn = seedTurn(insert, sample)
  seedChild(insert, sample, turn)
  seedAsks(insert, sample, turn)
  seedOthers(insert, sample)
  return rows
}

type Insert = <T extends Table>(table: T, row: Rows[T]) => void

interface Turn {
  readonly message: MessageRow
  readonly call: Rows['tool_calls']
}

/** Where most rows belong. */
function placeOf({ conversation, branch }: Sample) {
  return { conversationId: conversation.id, branchId: branch.id }
}

/** A message with a call and its result. */
function seedTurn(insert: Insert, sample: Sample): Turn {
  const { run } = sample
  const base = placeOf(sample)
  const message = sample.message(0, { role: 'assistant', runId: run.id, usage: noUsage })
  const input = sample.part(message.id, 0, 'call')
  const result = sample.part(message.id, 1, 'result')
  const call: Rows['tool_calls'] = {
    ...base,
    id: sample.id('cal'),
    runId: run.id,
    messageId: message.id,
    partId: input.id,
    resultPartId: result.id,
    tool: 'bash',
    title: 'ls',
    status: 'failed',
    repeatable: true,
    exitCode: 1,
    facts: [{ type: 'command', command: 'npm test', exitCode: 1 }],
    error: { code: 'exit', message: 'it failed' },
    startedAt: 9,
    endedAt: 10,
  }
  insert('messages', message)
  insert('parts', input)
  insert('parts', result)
  insert('tool_calls', call)
  return { message, call }
}

/** A branch that the call started, with a run. */
function seedChild(insert: Insert, sample: Sample, { message, call }: Turn): void {
  const { branch, run } = sample
  const fork = {
    number: 1,
    kind: 'fork',
    inheritContext: true,
    parentBranchId: branch.id,
    originMessageId: message.id,
  } as const
  const child = { ...branch, ...fork, id: sample.id('brn'), originToolCallId: call.id }
  insert('branches', child)
  const childRun = { parentRunId: run.id, originCallId: call.id, reportMessageId: message.id, costUsd: null }
  insert('runs', { ...run, ...childRun, id: sample.id('run'), branchId: child.id })
}

function seedAsks(insert: Insert, sample: Sample, { call }: Turn): void {
  const { run } = sample
  const base = placeOf(sample)
  insert('approvals', {
    ...base,
    id: sample.id('apr'),
    number: 1,
    runId: run.id,
    callId: call.id,
    tool: 'bash',
    title: 'ls',
    detail: 'ls -l',
    directory: '/work',
    path: ['main', 'explore'],
    rule: 'bash asks',
    answer: null,
    answeredBy: null,
    note: null,
    requestedAt: 11,
    answeredAt: null,
    offered: { tool: 'bash', pattern: 'ls *' },
    sandbox: { force: 'no-network', writes: ['/work'] },
  })
  insert('questions', {
    ...base,
    id: sample.id('que'),
    number: 2,
    runId: run.id,
    callId: call.id,
    question: 'Which one?',
    options: ['this', 'that'],
    path: ['main'],
    answer: null,
    answeredBy: null,
    askedAt: 11,
    answeredAt: null,
  })
}

function seedOthers(insert: Insert, sample: Sample): void {
  const { conversation, run } = sample
  const base = placeOf(sample)
  insert('inbox', sample.item({ fromRunId: run.id, stopNo: 1 }))
  insert('rules', {
    ...base,
    id: 'rul_1',
    kind: 'grant',
    tool: 'bash',
    pattern: null,
    action: 'allow',
    createdAt: 12,
    directory: null,
  })
  insert('todos', { ...base, items: [{ text: 'look', status: 'pending' }], updatedAt: 13 })
  insert('events', sample.event(1))
  insert('artifacts', sample.artifact('hash', new Uint8Array([1, 2, 3])))
  insert('leases', {
    conversationId: conversation.id,
    owner: 'owner',
    host: 'host',
    bootId: 'boot',
    pid: 1,
    pidStart: 2,
    epoch: 3,
    takenAt: 13,
    renewedAt: 14,
  })
  const command = { conversationId: conversation.id, verb: 'cancel', target: run.id, args: { force: true } }
  insert('commands', { ...command, id: 'cmd_1', createdAt: 15, answer: null, answeredAt: null })
  insert('idempotency', { id: 'key', request: 'hash', answer: { status: 201 }, createdAt: 16 })
}
