import { beforeAll, describe, expect, test } from 'vitest'
import { ProviderError } from '../src/core/errors.ts'
import { textOf } from '../src/core/message.ts'
import { buildContext } from '../src/core/build-context.ts'
import { documentHtml } from '../src/export/html.ts'
import { documentMarkdown } from '../src/export/markdown.ts'
import { exportConversation } from '../src/export/export-conversation.ts'
import { transcriptLines } from '../src/cli/terminal/transcript-lines.ts'
import type { BranchId, ConversationId } from '../src/core/ids.ts'
import type { ModelRequest } from '../src/model/port.ts'
import { messagePageOf } from '../src/runtime/views/message-page.ts'
import { readMessages } from '../src/runtime/run/messages.ts'
import { itemsOf } from '../web/src/chat/transcript-items.ts'
import { authorOfMessage, authorWords } from '../src/core/message.ts'
import { cutStore, beginsAfterMs, type CutStore } from './support/cut-store.ts'
import {
  agent,
  called,
  finish,
  handClock,
  harness,
  rawModel,
  said,
  streamOf,
  tool,
} from './support/runtime-harness.ts'

const WINDOW = 20_000
const FOUND = 'found something '.repeat(600)
const never = () => new Promise<never>(() => {})

type Pieces = ReturnType<Parameters<typeof rawModel>[0]>
const text = (what: string): Pieces => [...said(what), finish()]
const calls = (what: string, name: string, input = {}, tokens = 10): Pieces => [
  ...said(what),
  called(name, JSON.stringify(input)),
  full(tokens),
]
/** The provider counts so many tokens of the request. */
function full(total: number) {
  const end = finish('tool-calls')
  return {
    ...end,
    usage: { ...end.usage, inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 } },
  }
}
/** Cut by the network in the middle. */
function cut(what: string): Pieces {
  const pieces = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: what },
  ]
  const open = streamOf(pieces, 'open').getReader()
  let left = pieces.length
  return Promise.resolve(
    new ReadableStream({
      async pull(controller) {
        if (left-- > 0) controller.enqueue((await open.read()).value)
        else controller.error(new ProviderError('the line was cut', { retryable: true }))
      },
    }),
  ) as Pieces
}

const SPAWN = { prompt: 'Count the files.', subagent_type: 'counter', run_in_background: true }
/** What each agent answers, one process after the other. */
const FIRST = {
  main: [
    calls('I ask a counter.', 'task', SPAWN),
    calls('Meanwhile I look.', 'look'),
    calls('I may not remove it.', 'remove'),
    calls('I send it.', 'send'),
  ],
  counter: [text('I guess four.'), text('There are four <files>.')],
}
const SECOND = {
  main: [
    cut('This is cut'),
    calls('I look once more.', 'look', { at: 2 }, WINDOW * 0.9),
    text('All is done.'),
    text('The counter is done too.'),
  ],
}

const tools = [
  tool('look', { execute: () => FOUND }),
  tool('remove', { effects: 'write' }),
  tool('send', { effects: 'write', idempotent: false, execute: never }),
]
const layers = [
  {
    name: 'user',
    rules: [
      { tool: '*', action: 'allow' as const },
      { tool: 'remove', action: 'deny' as const },
    ],
  },
]

function life(store: CutStore, answers: Readonly<Record<string, readonly Pieces[]>>) {
  const left = new Map(Object.entries(answers).map(([name, list]) => [name, [...list]]))
  const isSummary = ({ messages }: ModelRequest) =>
    textOf(messages[0]!.parts).startsWith('You summarise the older part')
  const model = rawModel(
    (_, request) =>
      isSummary(request)
        ? text('Files were counted.')
        : (left.get(request.agent)?.shift() ?? text(`${request.agent} done`)),
    { window: WINDOW },
  )
  const agents = [agent('main'), agent('counter', { firstTurnReminder: true })]
  return harness({ clock: handClock(beginsAfterMs(store)), store, model, agents, tools, layers })
}

/** One conversation with all that somebody may be taken for somebody else in. */
async function conversation() {
  const first = life(cutStore(), FIRST)
  const { conversationId } = await first.start('Find the files.')
  await first.perform(conversationId, {
    verb: 'steer',
    target: conversationId,
    args: { text: 'Mind the tests.' },
  })
  await first.clock.settle()
  const left = first.store as CutStore
  const second = life(await left.cut(left.commits), SECOND)
  await second.recover()
  return { h: second, conversationId }
}

let h: Awaited<ReturnType<typeof conversation>>['h']
let conversationId: ConversationId
let main: BranchId
let counter: BranchId

beforeAll(async () => {
  ;({ h, conversationId } = await conversation())
  const branches = h.store.find('branches', { where: { conversationId }, orderBy: 'id' })
  main = branches.find(({ kind }) => kind === 'main')!.id
  counter = branches.find(({ kind }) => kind === 'subagent')!.id
})

const messagesOf = (id: BranchId) => readMessages(h.store, id).filter(({ role }) => role !== 'system')

describe('of each block a reader can say who wrote it', () => {
  test('in `log`', () => {
    expect(writersInLog(main)).toMatchInlineSnapshot(`
      [
        "User: Find the files.",
        "main (agent): I ask a counter.",
        "  → task {"prompt":"Count the files.","subagent_type":"count",
        "  ← task of counter (Count the files.) started, 1 line",
        "User: Mind the tests.",
        "main (agent): Meanwhile I look.",
        "  → look {}",
        "  ← look completed, 1 line",
        "main (agent): I may not remove it.",
        "  → remove {}",
        "  ← remove denied, by user: remove",
        "main (agent): I send it.",
        "  → send {}",
        "  ← send outcome unknown, this call was interrupted; its eff",
        "main (agent) (interrupted): This is cut",
        "main (agent): I look once more.",
        "  → look {"at":2}",
        "  ← look completed, 1 line",
        "Runtime, summary of earlier messages, written by a model: Su",
        "main (agent): All is done.",
        "Report of counter: completed (Count the files. · 2/10 turns,",
        "main (agent): The counter is done too.",
      ]
    `)
    expect(writersInLog(counter)).toMatchInlineSnapshot(`
      [
        "Task from main (agent): Count the files.",
        "counter (agent): I guess four.",
        "Runtime: You ended your first turn without a single call of ",
        "counter (agent): There are four <files>.",
      ]
    `)
  })

  test('in Markdown', () => {
    const document = exportConversation(h.store, conversationId)
    const markdown = documentMarkdown(document).replaceAll(counter, 'BRANCH')
    expect(markdown.match(/^(## .*|### .*|\*\*Report.*|Summary of what.*)$/gm)).toMatchInlineSnapshot(`
      [
        "## main",
        "### 1. User, 2027-01-15 08:00",
        "### 2. main (agent), 2027-01-15 08:00",
        "### 3. Results, 2027-01-15 08:00",
        "### 4. User, 2027-01-15 08:00",
        "### 5. main (agent), 2027-01-15 08:00",
        "### 6. Results, 2027-01-15 08:00",
        "### 7. main (agent), 2027-01-15 08:00",
        "### 8. Results, 2027-01-15 08:00",
        "### 9. main (agent), 2027-01-15 08:00",
        "### 10. Results, 2027-01-15 08:02",
        "### 11. main (agent) (interrupted), 2027-01-15 08:02",
        "### 12. main (agent), 2027-01-15 08:02",
        "### 13. Results, 2027-01-15 08:02",
        "### 14. Runtime, 2027-01-15 08:02",
        "### 15. main (agent), 2027-01-15 08:02",
        "### 16. Reports of subagents, 2027-01-15 08:02",
        "**Report of counter: completed** (Count the files. · 2/10 turns, 0 tool calls, 0.0 s, $0.00), BRANCH:",
        "### 17. main (agent), 2027-01-15 08:02",
        "## subagent “Count the files.”",
        "### 1. Task from main (agent), 2027-01-15 08:00",
        "### 2. counter (agent), 2027-01-15 08:00",
        "### 3. Runtime, 2027-01-15 08:00",
        "### 4. counter (agent), 2027-01-15 08:00",
      ]
    `)
  })

  test('in HTML', () => {
    const html = documentHtml(exportConversation(h.store, conversationId))
    const heads = [...html.matchAll(/<h3>([^<]*)<\/h3>|<p class="title">(Report[^<]*)/g)]
    expect(heads.map(([, who, report]) => who ?? report)).toMatchInlineSnapshot(`
      [
        "User",
        "main (agent)",
        "User",
        "main (agent)",
        "main (agent)",
        "main (agent)",
        "main (agent)",
        "main (agent)",
        "Runtime",
        "main (agent)",
        "Reports of subagents",
        "Report of counter: completed ",
        "main (agent)",
        "Task from main (agent)",
        "counter (agent)",
        "Runtime",
        "counter (agent)",
      ]
    `)
  })

  test('in the page', () => {
    expect(writersInPage(main)).toMatchInlineSnapshot(`
      [
        "You",
        "text",
        "agents",
        "You",
        "text",
        "tool",
        "text",
        "tool",
        "text",
        "tool",
        "text",
        "text",
        "tool",
        "Runtime",
        "text",
        "Report of counter",
        "text",
      ]
    `)
    expect(writersInPage(counter)).toMatchInlineSnapshot(`
      [
        "main (agent)",
        "text",
        "Runtime",
        "text",
      ]
    `)
  })

  test('and nobody reads an envelope but the model', () => {
    const document = exportConversation(h.store, conversationId)
    const branches = [main, counter].map((id) => h.store.get('branches', id)!)
    const pages = branches.map((branch) => messagePageOf(h.store, branch, { limit: 200 }))
    h.flush()
    for (const shown of [
      transcriptLines(messagesOf(main), { agent: 'main', factsOf: () => undefined }),
      documentMarkdown(document),
      documentHtml(document),
      document,
      pages,
      h.told,
      h.store.find('inbox', { where: { conversationId } }),
    ])
      expect(JSON.stringify(shown)).not.toMatch(
        /subagent_report|subagent_receipts|from a subagent, not instructions/,
      )
    const tree = {
      branches: { get: (id: BranchId) => h.store.get('branches', id) },
      messages: (id: BranchId) => readMessages(h.store, id),
    }
    const context = JSON.stringify(buildContext(tree, main))
    expect(context.match(/<subagent_report agent=/g)).toHaveLength(1)
  })
})

/** The beginning of each line at the margin. */
function writersInLog(id: BranchId): string[] {
  const { agent, kind } = h.store.get('branches', id)!
  const messages = messagesOf(id)
  const taskId = kind === 'subagent' ? messages[0]?.id : undefined
  return transcriptLines(messages, { agent, taskId, factsOf: () => undefined }).map((line) =>
    line.split('\n')[0]!.slice(0, 60),
  )
}

/** What stands above each item of the page. */
function writersInPage(id: BranchId): string[] {
  const items = itemsOf(messagesOf(id), { callOf: () => undefined, branchOfCall: new Map() })
  return items.map((item) => {
    if (item.kind === 'report') return `Report of ${item.part.report.agent}`
    if (item.kind === 'user') return 'You'
    if (item.kind === 'told') return authorWords(authorOfMessage(item.message) ?? null)
    return item.kind
  })
}
