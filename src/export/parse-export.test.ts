import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { OffshootError } from '../core/errors.ts'
import { state } from '../core/run-status.ts'
import { createMemoryStore } from '../store/memory.ts'
import { tables } from '../store/tables.ts'
import type { Store, Table } from '../store/port.ts'
import { documentText } from './document-text.ts'
import { exportConversation } from './export-conversation.ts'
import { noReceipts } from '../core/receipt.ts'
import { noSetup } from '../core/run.ts'
import { countedIds } from './fixtures/conversations.ts'
import { importConversation } from './import-conversation.ts'
import { parseExport } from './parse-export.ts'
import { lastSeq, readEvents } from '../runtime/log/stored-events.ts'

const golden = readFileSync(new URL('fixtures/small.json', import.meta.url), 'utf8')
const small = JSON.stringify(JSON.parse(golden))

describe('a small document', () => {
  test('is read, imported and exported as it was', async () => {
    const store = createMemoryStore()
    const id = await importConversation(store, parseExport(golden), countedIds(1))
    expect(documentText(exportConversation(store, id))).toBe(small)
    expect(store.get('branches', 'brn_01J0000000000000000000000G')).toMatchObject({
      kind: 'fork',
      parentBranchId: 'brn_01J00000000000000000000002',
      originMessageId: 'msg_01J00000000000000000000004',
    })
    expect(store.get('artifacts', 'art_01J0000000000000000000000H')!.content).toEqual(
      new TextEncoder().encode('two'),
    )
    expect(lastSeq(store, id)).toBe(31)
    expect(readEvents(store, id, 0)).toMatchObject([{ type: 'conversation.updated', seq: 31 }])
  })

  test('may hold what this program does not know', () => {
    expect(() => parseExport(put('stars', 5))).not.toThrow()
    expect(() => parseExport(put('messages.0.branches.0.type', 'review'))).not.toThrow()
  })

  test.each(['/', '/home/ann', 'C:\\work', 'c:/work', '\\\\server\\share'])(
    'may work on %s, wherever that is',
    (directory) => {
      expect(parseExport(put('directory', directory))).toMatchObject({ directory })
    },
  )

  test('may lack what only this program knows', async () => {
    const { version, id, title, directory, created, updated, messages } = parseExport(golden)
    const { branches: _, ...first } = messages[0]!
    const bare = { version, id, title, directory, created, updated, messages: [first] }
    const store = createMemoryStore()
    await importConversation(store, parseExport(JSON.stringify(bare)), countedIds(1))
    expect(store.find('branches', { where: { conversationId: id } })).toMatchObject([
      { kind: 'main', agent: 'main', label: 'main', parentBranchId: null },
    ])
    expect(exportConversation(store, id).messages).toEqual([first])
  })
})

const FORK = 'brn_01J0000000000000000000000G'
const RUN = 'run_01J00000000000000000000003'
const reportPart = { id: 'prt_01J000000000000000000000ZZ', type: 'report', text: 'x' }
const reportFacts = {
  fromRunId: RUN,
  branchId: FORK,
  agent: 'a',
  description: 'b',
  status: 'completed',
  reason: null,
  endReason: null,
  figures: null,
  note: null,
  error: null,
  form: 'text',
  lacks: null,
  receipts: null,
}
const NOBODY = '_00000000000000000000000000'

describe('a damaged document is one error that names the place', () => {
  const first = 'main.metadata.runs.0'
  const fork = 'messages.0.branches.0'
  const subagent = 'messages.1.branches.0'
  const circle = put(`${fork}.parentBranchId`, 'brn_01J0000000000000000000000C')
  const stop = { fromRunId: RUN, stopNo: 1 }
  const item = parseExport(golden).main!.metadata.inbox![0]!
  const twice = [
    { ...item, ...stop },
    { ...item, ...stop, id: `inb${NOBODY}` },
  ]
  const cases: [string, string, RegExp][] = [
    ['nothing', '', /damaged: it is empty/],
    ['no JSON', 'hello', /it is not JSON: .*hello/],
    ['a part of it', small.slice(0, 2_000), /it ends too early/],
    ['a cut in a string', small.slice(0, small.indexOf('Which') + 3), /it ends too early/],
    ['another value', '[]', /damaged: .*expected an object/],
    ['null', 'null', /damaged: .*expected an object/],
    ['a number', '7', /damaged: .*expected an object/],
    ['no version', put('version', undefined), /damaged at version/],
    ['a newer version', put('version', 3), /has version 3, but this program reads only up to 2/],
    ['no messages', put('messages', undefined), /damaged at messages: .*expected a list/],
    ['an id of another kind', put('id', FORK), /at id: expected an id cnv_…/],
    ['a wrong time', put('created', -1), /at created/],
    ['a relative directory', put('directory', '../rel'), /at directory: expected an absolute path/],
    ['a directory of a drive', put('directory', 'C:rel'), /at directory: expected an absolute path/],
    ['a wrong role', put('messages.1.role', 'boss'), /at messages\[1\]\.role/],
    ['a main branch of another kind', put('main.type', 'human'), /at main\.type: the main branch is "main"/],
    ['a second main branch', put(`${fork}.type`, 'main'), /branches\[0\]\.type: the main branch is "main"/],
    ['a part of no kind', put('messages.0.parts.0.type', 'x'), /at messages\[0\]\.parts\[0\]\.type/],
    ['no input', put('messages.1.parts.0.input', undefined), /parts\[0\]\.input: expected a value/],
    [
      'a wrong field far inside',
      put(`${subagent}.messages.0.created`, '1'),
      /at messages\[1\]\.branches\[0\]\.messages\[0\]\.created/,
    ],
    ['a wrong run', put(`${first}.status`, 'ready'), /at main\.metadata\.runs\[0\]\.status/],
    [
      'a reason of another status',
      put(`${first}.reason`, 'approval'),
      /at main\.metadata\.runs\[0\]\.status: the status completed does not fit the reason approval/,
    ],
    ['an end of another status', put(`${first}.endReason`, 'user'), /does not fit .* the endReason user/],
    [
      'an id twice',
      put(`${subagent}.id`, FORK),
      /at messages\[1\]\.branches\[0\]\.id: brn_\w+ also appears at messages\[0\]\.branches\[0\]\.id/,
    ],
    [
      'no such run',
      put('messages.3.runId', `run${NOBODY}`),
      /at messages\[3\]\.runId: there is no run_0+ in/,
    ],
    ['no such parent', put(`${fork}.parentBranchId`, `brn${NOBODY}`), /parentBranchId: there is no brn_0+/],
    [
      'no such call',
      put(`${subagent}.originToolCallId`, `cal${NOBODY}`),
      /originToolCallId: there is no cal_0+/,
    ],
    [
      'no such report',
      put(`${first}.reportMessageId`, `msg${NOBODY}`),
      /reportMessageId: there is no msg_0+ on the branch/,
    ],
    [
      'a report with a reason that there is not',
      put('messages.0.parts.0', { ...reportPart, report: { ...reportFacts, reason: 'HIDDEN' } }),
      /at messages\[0\]\.parts\[0\]\.report\.reason/,
    ],
    [
      'a report with a broken receipt',
      put('messages.0.parts.0', {
        ...reportPart,
        report: { ...reportFacts, receipts: { ...noReceipts, changed: [{}] } },
      }),
      /at messages\[0\]\.parts\[0\]\.report\.receipts\.changed\[0\]\.path/,
    ],
    [
      'a report with a denial that names nothing',
      put('messages.0.parts.0', {
        ...reportPart,
        report: { ...reportFacts, receipts: { ...noReceipts, denied: [{ tool: 'bash' }] } },
      }),
      /receipts\.denied\[0\]\.title/,
    ],
    ['no such artifact', put('artifacts', undefined), /output\.artifactId: there is no art_/],
    [
      'an artifact that is not whole',
      put('artifacts.0.data', 'dHdvAAAA'),
      /at artifacts\[0\]\.data: the content/,
    ],
    ['its own parent', put(`${fork}.parentBranchId`, FORK), /is among its own parents/],
    ['a circle of parents', put(`${subagent}.parentBranchId`, FORK, circle), /is among its own parents/],
    [
      'a run below itself',
      put(`${first}.parentRunId`, RUN),
      /runs\[0\]\.parentRunId: run_\w+ is among its own/,
    ],
    [
      'two results of one stop',
      put('main.metadata.inbox', twice),
      /at main\.metadata\.inbox\[1\]: stop 1 of run_/,
    ],
  ]
  test.each(cases)('%s', (_, text, message) => {
    const error = errorOf(text)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('\n')
    expect(error.code).toBe('usage')
  })

  test('100 MB of it', () => {
    const filler = 'x'.repeat(100_000_000)
    expect(errorOf(`"${filler}"`).message).toMatch(/expected an object/)
    expect(errorOf(filler).message.length).toBeLessThan(300)
    expect(errorOf(`[${'{},'.repeat(33_000_000)}`).message).toBe('the export has more than 10000000 values')
  })

  test('nesting without end', () => {
    expect(errorOf(nested(1_000_000)).message).toMatch(/expected an object/)
    const inside = put(`${fork}.messages`, ['@']).replace('"@"', nested(1_000_000))
    expect(errorOf(inside).message).toMatch(
      /at messages\[0\]\.branches\[0\]\.messages\[0\]: .*expected an object/,
    )
  })
})

describe('what no program writes is refused at its place', () => {
  const put1 = (part: object) => put('messages.0.parts.0', part)
  const report = (more: object) => put1({ ...reportPart, report: { ...reportFacts, ...more } })
  const answer = (more: object) =>
    put('messages.2.parts.0.output.subagent', { type: 'report', ...reportFacts, ...more })
  const receipts = (more: object) => report({ receipts: { ...noReceipts, ...more } })
  const text = (id: string, author?: unknown) => ({
    id: `prt_01J000000000000000000000${id}`,
    type: 'text',
    text: 'go',
    author,
  })
  const agentAuthor = { agent: 'evil', branchId: FORK }
  const mainRun = parseExport(golden).main!.metadata.runs[0]!
  const onFork = (more: object) =>
    put('messages.0.branches.0.metadata.runs', [{ ...mainRun, id: `run${NOBODY}`, calls: [], ...more }])
  const ofMain = parseExport(golden).messages[0]!.id
  const figures = { turns: 1, maxTurns: 5, toolCalls: 0, durationMs: 1, costUsd: 0 }
  test.each([
    [
      'a message of two authors',
      put('messages.0.parts', [text('ZX', agentAuthor), text('ZY', 'person')]),
      /at messages\[0\]\.parts\[1\]\.author: the texts of one message have one author: evil on brn_\w+, and not person/,
    ],
    [
      'a message of a person and the runtime',
      put('messages.0.parts', [text('ZX', 'person'), text('ZY', 'runtime')]),
      /parts\[1\]\.author/,
    ],
    [
      'a message of two agents of one name',
      put('messages.0.parts', [
        text('ZX', agentAuthor),
        text('ZY', { ...agentAuthor, branchId: 'brn_01J00000000000000000000002' }),
      ]),
      /parts\[1\]\.author/,
    ],
    [
      'an author of a text of a model',
      put('messages.1.parts.0', text('ZX', 'person')),
      /role assistant has no author/,
    ],
    ['an agent without a name', put1(text('ZX', { agent: '', branchId: FORK })), /parts\[0\]\.author/],
    ['a report of no run', report({ fromRunId: `run${NOBODY}` }), /report\.fromRunId: there is no run_0+/],
    ['a report of no branch', report({ branchId: `brn${NOBODY}` }), /report\.branchId: there is no brn_0+/],
    [
      'a report of no artifact',
      report({ artifactId: `art${NOBODY}` }),
      /report\.artifactId: there is no art_0+/,
    ],
    ['an answer about no run', answer({ fromRunId: `run${NOBODY}` }), /subagent\.fromRunId: there is no/],
    ['an answer about no branch', answer({ branchId: `brn${NOBODY}` }), /subagent\.branchId: there is no/],
    [
      'an answer with no artifact',
      answer({ artifactId: `art${NOBODY}` }),
      /subagent\.artifactId: there is no/,
    ],
    [
      'a report that is completed and at a limit',
      report({ status: 'completed', reason: 'limit', endReason: 'max_turns' }),
      /at messages\[0\]\.parts\[0\]\.report\.status: .* does not fit the reason limit/,
    ],
    [
      'an answer that is failed and done',
      answer({ status: 'failed', endReason: 'done' }),
      /subagent\.status/,
    ],
    ['a cost below zero', report({ figures: { ...figures, costUsd: -1 } }), /figures\.costUsd/],
    [
      'a time below zero',
      report({ figures: { ...figures, durationMs: -1 } }),
      /at messages\[0\]\.parts\[0\]\.report\.figures\.durationMs: .*at least 0/,
    ],
    [
      'a fraction of a millisecond',
      report({ figures: { ...figures, durationMs: 0.5 } }),
      /durationMs: .*whole number/,
    ],
    [
      'lines below zero',
      receipts({ changed: [{ path: 'a', before: null, after: null, added: -1, removed: 0 }] }),
      /receipts\.changed\[0\]\.added: .*at least 0/,
    ],
    [
      'a time that no date can name',
      put('created', 9_007_199_254_740_991),
      /created: .*at most 8640000000000000/,
    ],
    [
      'tokens below zero',
      put('main.metadata.runs.0.usage.input', -1),
      /runs\[0\]\.usage\.input: .*at least 0/,
    ],
    ['half a token', put('main.metadata.runs.0.usage.reasoning', 0.5), /usage\.reasoning: .*multiple of 1/],
    ['the cost of a run below zero', put('main.metadata.runs.0.costUsd', -0.01), /costUsd: .*at least 0/],
    [
      'the cost of a branch below zero',
      put('main.metadata.costUsd', -0.01),
      /metadata\.costUsd: .*at least 0/,
    ],
    [
      'a share below zero',
      put('main.metadata.runs.0.limits.growsTo', { maxTokens: -1, maxCostUsd: null }),
      /limits\.growsTo\.maxTokens: .*at least 0/,
    ],
    [
      'a budget below zero',
      put('main.metadata.runs.0.setup', { ...noSetup, maxCostUsd: -1 }),
      /setup\.maxCostUsd: .*at least 0/,
    ],
    [
      'a changed file of lines below zero',
      put('main.metadata.runs.0.calls.0.facts', [
        { type: 'changed', path: 'a', before: null, after: null, added: 1, removed: -1 },
      ]),
      /facts\[0\]\.removed: .*at least 0/,
    ],
    ['entries left out of an empty list', receipts({ more: { changed: 3 } }), /receipts\.more\.changed/],
    [
      'a denial by nobody',
      receipts({ denied: [{ tool: 'bash', title: 'x', code: 'because', why: 'x' }] }),
      /receipts\.denied\[0\]\.code: expected one of denied_by_rule/,
    ],
    [
      'a partial report from nowhere',
      put('main.metadata.runs.0.partialFrom', `msg${NOBODY}`),
      /partialFrom: there is no/,
    ],
    ['a report of another branch', onFork({ reportMessageId: ofMain }), /reportMessageId: .* on the branch/],
    [
      'turns beyond any sense',
      put('main.metadata.runs.0.turns', 1e15),
      /runs\[0\]\.turns: .*at most 1000000000/,
    ],
    [
      'calls beyond any sense',
      put('main.metadata.runs.0.toolCalls', 2e9),
      /runs\[0\]\.toolCalls: .*at most /,
    ],
    ['attempts beyond any sense', put('main.metadata.runs.0.attempt', 2e9), /runs\[0\]\.attempt: .*at most /],
    [
      'turns of a branch beyond any sense',
      put('main.metadata.iterations', 2e9),
      /metadata\.iterations: .*at most /,
    ],
    ['tokens beyond any sense', put('main.metadata.runs.0.usage.input', 1e300), /usage\.input: .*at most /],
    [
      'tokens of a message',
      put('messages.1.usage', { ...mainRun.usage, output: 1e19 }),
      /usage\.output: .*at most /,
    ],
    ['a cost beyond any sense', put('main.metadata.runs.0.costUsd', 1e15), /runs\[0\]\.costUsd: .*at most /],
    [
      'a report of turns beyond any sense',
      report({ figures: { ...figures, turns: 2e9 } }),
      /figures\.turns: .*at most /,
    ],
    [
      'a report of a time beyond any sense',
      report({ figures: { ...figures, durationMs: 9e15 } }),
      /figures\.durationMs: .*at most /,
    ],
    [
      'a run that a cut answer has paused, whose last answer was whole',
      put('main.metadata.runs.0', { ...mainRun, ...state.paused('max_output_tokens'), finishReason: 'stop' }),
      /finishReason: the endReason max_output_tokens does not fit/,
    ],
    [
      'a run that a refusal has failed, whose last answer was whole',
      put('main.metadata.runs.0', {
        ...mainRun,
        ...state.failed,
        error: { code: 'refusal', message: 'no' },
        finishReason: 'stop',
      }),
      /finishReason: the error refusal does not fit/,
    ],
    [
      'a partial report of another branch',
      onFork({ reportMessageId: null, partialFrom: ofMain }),
      /partialFrom: .* on the branch/,
    ],
  ])('%s', (_, document, message) => {
    const error = errorOf(document)
    expect(error.message).toMatch(message)
    expect(error.code).toBe('usage')
  })

  test.each(['max_output_tokens', 'context_window', 'refusal', 'content_filter'] as const)(
    'a run that is completed by an answer that ended with %s',
    (finishReason) => {
      const run = { ...mainRun, ...state.completed, finishReason }
      const at = 'the export is damaged at main.metadata.runs[0].finishReason'
      const how = 'the status completed does not fit a last answer that ended with'
      expect(errorOf(put('main.metadata.runs.0', run)).message).toBe(`${at}: ${how} ${finishReason}`)
    },
  )

  test('a report of which an older program kept little is read', () => {
    expect(() => parseExport(report({}))).not.toThrow()
    expect(() => parseExport(report({ status: 'paused' }))).not.toThrow()
    expect(() => parseExport(report({ figures }))).not.toThrow()
    expect(() => parseExport(answer({}))).not.toThrow()
  })
})

test('any change of one character is an error or a document', () => {
  for (let at = 0; at < small.length; at += 37) {
    for (const char of ['"', '}', '9', '\u0000', '']) {
      const text = small.slice(0, at) + char + small.slice(at + 1)
      try {
        parseExport(text)
      } catch (error) {
        expect(error).toBeInstanceOf(OffshootError)
      }
    }
  }
})

test('a store that refuses a row keeps nothing of the document', async () => {
  const store = createMemoryStore()
  const document = parseExport(put('messages.1.parts.0.input', '@').replace('"@"', nested(20_000)))
  await expect(importConversation(store, document, countedIds(1))).rejects.toMatchObject({ code: 'usage' })
  expect(rowCount(store)).toBe(0)
})

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

function rowCount(store: Store): number {
  return (Object.keys(tables) as Table[]).reduce((sum, table) => sum + store.count(table, {}), 0)
}

function errorOf(text: string): OffshootError {
  try {
    parseExport(text)
  } catch (error) {
    if (error instanceof OffshootError) return error
    throw error
  }
  throw new Error('it was read')
}

/** A document with another value at a path such as `messages.0.id`; undefined takes it away. */
function put(path: string, value: unknown, text = small): string {
  const document: unknown = JSON.parse(text)
  const keys = path.split('.')
  const last = keys.pop()!
  const parent = keys.reduce((inside, key) => Reflect.get(inside as object, key) as unknown, document)
  Reflect.set(parent as object, last, value)
  return JSON.stringify(document)
}
