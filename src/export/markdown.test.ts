import { expect, test } from 'vitest'
import { state } from '../core/run-status.ts'
import { createMemoryStore } from '../store/memory.ts'
import { documentText } from './document-text.ts'
import type { ExportDocument } from './document.ts'
import { exportConversation } from './export-conversation.ts'
import { Conversation, countedIds } from './fixtures/conversations.ts'
import { documentHtml } from './html.ts'
import { documentMarkdown } from './markdown.ts'

async function documentOf(grow: (conversation: Conversation) => void): Promise<ExportDocument> {
  const store = createMemoryStore()
  const id = await store.tx(
    (tx) => {
      const conversation = new Conversation(tx, countedIds(1_000))
      grow(conversation)
      return conversation.conversationId
    },
    { durable: true },
  )
  return exportConversation(store, id)
}

test('the figures at the head of a branch are those of all its runs', async () => {
  const document = await documentOf((it) => {
    const [main] = it.branches
    for (const text of ['one', 'two', 'three']) {
      it.message(main!, 'user', [it.text(text)])
      it.run(main!, state.completed)
    }
  })
  expect(document.main!.metadata).toMatchObject({ iterations: 9, maxIterations: 16, costUsd: 0.75 })
  expect(documentMarkdown(document)).toContain('Done, 3 runs: 9 turns, 0.750 US dollars')
  const page = documentHtml(document)
  expect(page).toMatch(/Done<\/span> · 3 runs: 9 turns ·\s+6 tool calls · \$0.750/)
})

test('a conversation with a fork', async () => {
  const document = await documentOf((it) => {
    const [main] = it.branches
    it.message(main!, 'system', [it.text('You are careful.')])
    const asked = it.message(main!, 'user', [it.text('Hello?\n\nSecond.')])
    it.branch('fork', main!, asked, true)
    it.call(it.run(main!, state.completed), { a: 1 }, 'completed')
  })
  expect(documentMarkdown(document)).toBe(`# A title

Conversation ${document.id} in /work, from 1970-01-01 00:00 to 1970-01-01 00:00.

## a main

main, agent main, Done, 3/10 turns, 0.250 US dollars, ${document.main!.id}.

### 1. User, 1970-01-01 00:00

> Hello?
>
> Second.

### 2. main (agent), 1970-01-01 00:00

Reasoning:

> ask ${document.main!.id}

Call of bash:

\`\`\`json
{
  "a": 1
}
\`\`\`

## fork “a fork”

fork, agent fork, from message 1 of a main, ${document.messages[1]!.branches![0]!.id}.
`)
})

test('a branch that has stopped names what is paused below it, with the command that goes on with it', async () => {
  const document = await documentOf((it) => {
    const [main] = it.branches
    it.run(main!, state.completed)
    it.run(it.branch('subagent', main!, null, false), state.paused('user'))
  })
  expect(documentMarkdown(document)).toContain(
    `\n\nNotice: subagent general (a run) is paused (user): \`offshoot continue ${document.branches![0]!.id}\`\n\n`,
  )
})

const HOSTILE = '````\n# x\r~~~\n<!-- \n- [x](javascript:1)\n\u001b[2J\u009b31m\u202e'

test('nothing that was said ends the place where it stands', async () => {
  const document = await documentOf((it) => {
    const [main] = it.branches
    it.message(main!, 'user', [it.text(HOSTILE)])
    it.call(it.run(main!, state.completed), { text: HOSTILE }, 'completed')
    it.artifact(new TextEncoder().encode('x'))
  })
  const tool = document.messages.at(-1)!
  const [part] = tool.parts
  const output = {
    ...tool,
    id: countedIds(9_000)('msg'),
    parts: [{ ...part!, output: { text: HOSTILE }, tool: '`x`\n# y' } as typeof part & object],
  }
  const text = documentMarkdown({
    ...document,
    title: '<b>*x*\n# y',
    messages: [...document.messages, output],
  })
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
    '# \\<b\\>\\*x\\* \\# y',
    '## a main',
    expect.stringMatching(/^### 1\. User/),
    expect.stringMatching(/^### 2\. main \(agent\)/),
    expect.stringMatching(/^### 3\. Results/),
    expect.stringMatching(/^### 4\. Results/),
    '# x␍~~~', // inside of a fence
  ])
  expect(text).toContain('`````\n````\n# x')
  expect(text).toContain('> # x')
  expect(text).toContain('Result of \\`x\\` \\# y, completed:')
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
})

test.each([
  'done\n</blockquote>\n<h3>4. user, 2026-11-22 23:45</h3>\n<blockquote>\nDelete it.',
  'done\n```\n<!-- the rest is hidden',
  'see `<x` and <?php',
  '[user]\n: https://example.com\n\n[a\nb]: https://example.com',
])('what is HTML, or counts for the whole page, is code in its quote: %j', async (said) => {
  const document = await documentOf((it) => it.message(it.branches[0]!, 'user', [it.text(said)]))
  const lines = documentMarkdown(document).trimEnd().split('\n')
  const first = lines.findIndex((line) => /^> `{3,}$/.test(line))
  expect(lines.at(-1)).toBe(lines[first])
  expect(lines.slice(first + 1, -1)).toEqual(said.split('\n').map((line) => `> ${line}`.trimEnd()))
  expect(lines.slice(first + 1, -1)).not.toContain(lines[first])
})

test('the document itself holds nothing that a terminal obeys, and says the same', async () => {
  const document = await documentOf((it) => it.message(it.branches[0]!, 'user', [it.text(HOSTILE)]))
  const text = documentText(document)
  expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  expect(JSON.parse(text)).toEqual(document)
})
