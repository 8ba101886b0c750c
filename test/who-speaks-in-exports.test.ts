import { expect, test } from 'vitest'
import { transcriptFactsIn } from '../src/cli/terminal/transcript-facts.ts'
import { transcriptLines } from '../src/cli/terminal/transcript-lines.ts'
import { documentHtml } from '../src/export/html.ts'
import { documentMarkdown } from '../src/export/markdown.ts'
import { exportConversation } from '../src/export/export-conversation.ts'
import { readMessages } from '../src/runtime/run/messages.ts'
import { callFactsIn } from '../src/runtime/views/call-facts.ts'
import { itemsOf } from '../web/src/chat/transcript-items.ts'
import { messagePageOf } from '../src/runtime/views/message-page.ts'
import { call, foreground, slow, spawn, stage, use, type Staged } from './support/stage.ts'
import type { Part } from './support/actor.ts'
import { agent, finish, harness, rawModel, said, tool } from './support/runtime-harness.ts'

type Played = Pick<Staged, 'store'>

function views({ store }: Played) {
  const { conversationId, id } = store.find('branches', { where: { kind: 'main' } })[0]!
  const document = exportConversation(store, conversationId)
  const page = messagePageOf(store, store.get('branches', id)!, { limit: 100 })
  const known = { callOf: () => undefined, branchOfCall: new Map() }
  return {
    log: transcriptLines(readMessages(store, id), { agent: 'main', factsOf: callFactsIn(store) }).join('\n'),
    markdown: documentMarkdown(document),
    html: documentHtml(document),
    page: JSON.stringify(itemsOf(page.messages, known)),
  }
}

test('each result says of which subagent it is, and a cancelled one is not called failed', async () => {
  const main: Part[] = [
    {
      calls: [
        foreground('a', { description: 'count files' }),
        foreground('b', { description: 'count lines' }),
      ],
    },
  ]
  const h = stage({ main, a: [{ text: 'five' }], b: [{ text: 'six' }] })
  await h.run('go')
  const { log, markdown } = views(h)
  expect(log).toContain('  ← task of a (count files) completed, 1 line')
  expect(log).toContain('  ← task of b (count lines) completed, 1 line')
  expect(markdown).toContain('Result of task, a (count files), completed:')
  expect(markdown).toContain('Result of task, b (count lines), completed:')
})

test('a subagent cannot be described as the main branch, nor spread over lines', async () => {
  const main: Part[] = [{ calls: [spawn('a', { description: 'main' })] }, call('task_status', 0, {})]
  const h = stage({ main, a: [{ text: 'found' }] })
  await h.run('go')
  const { markdown, html } = views(h)
  expect(markdown.match(/^## .*$/gm)).toEqual(['## main', '## subagent “main”'])
  expect([...html.matchAll(/<h2[^>]*>([^<]*)<\/h2>/g)].map(([, name]) => name)).toEqual([
    'Branches',
    'main',
    'subagent “main”',
  ])
})

test('an agent called User is an agent where it answers', async () => {
  const agents = [agent('main'), agent('general'), agent('User'), agent('Runtime')]
  const main: Part[] = [{ calls: [foreground('User')] }, { calls: [foreground('Runtime')] }]
  const h = stage({ main, User: [{ text: 'mine' }], Runtime: [{ text: 'mine' }] }, { agents })
  await h.run('go')
  const { html } = views(h)
  expect(html.match(/<h3>User<\/h3>/g)).toHaveLength(1)
  expect(html).not.toContain('<h3>Runtime</h3>')
  expect(html).toContain('<h3>User (agent)</h3>')
})

test('messages have the same numbers in HTML as in Markdown', async () => {
  const h = stage({ main: [{ calls: [foreground('a')] }], a: [{ text: 'five' }] })
  await h.run('go')
  const { html, markdown } = views(h)
  const numbers = [...html.matchAll(/message <\/span>(\d+)</g)].map(([, n]) => Number(n))
  const replies = [...markdown.matchAll(/^### (\d+)\. (?!Results)/gm)].map(([, n]) => Number(n))
  expect(numbers).toEqual(replies)
})

const ENDS = [
  ['length', 'max_tokens', 'The answer was cut at the output limit'],
  ['length', 'model_context_window_exceeded', 'The answer was cut because the context window is full'],
  ['content-filter', 'content_filter', 'The provider filtered the answer'],
  ['content-filter', 'refusal', 'The model refused to answer'],
] as const

test.each(ENDS)('an answer that ends with %s (%s) says so where it stands', async (unified, raw, mark) => {
  const end = { ...finish(), finishReason: { unified, raw } }
  const h = harness({ model: rawModel(() => [...said('Half of the ans'), end] as ReturnType<typeof said>) })
  await h.run('go')
  for (const view of Object.values(views(h))) {
    expect(view.indexOf(mark)).toBeGreaterThan(-1)
    expect(view.lastIndexOf(mark)).toBeGreaterThan(view.indexOf('Half of the ans'))
  }
})

test.each(ENDS)('an answer without a word that ends with %s (%s) says so too', async (unified, raw, mark) => {
  const end = { ...finish(), finishReason: { unified, raw } }
  const h = harness({ model: rawModel(() => [end]) })
  const { branchId } = await h.run('go')
  for (const view of Object.values(views(h))) expect(view).toContain(mark)
  // the page and the command line draw the same parts
  const answers = h.store.find('messages', { where: { branchId, role: 'assistant' } })
  expect(answers.map(({ state }) => state)).toEqual(['complete'])
  const parts = h.store.find('parts', { where: { messageId: answers[0]!.id } }).map(({ part }) => part)
  expect(parts).toEqual([{ id: expect.any(String), type: 'notice', text: expect.stringContaining(mark) }])
})

test('the task of a person’s spawn has its author on every surface, once', async () => {
  const h = harness({ script: { explore: [{ text: 'the report' }] } })
  const started = await h.spawn('Look for x.', { label: 'find x' })
  await h.clock.until(started.result)
  const { markdown, html } = views(h)
  expect(html.match(/<h3>Task from User<\/h3>/g)).toHaveLength(1)
  expect(markdown.match(/^### 1\. Task from User, /gm)).toHaveLength(1)
  const id = h.store.find('branches', { where: { kind: 'subagent' } })[0]!.id
  const facts = transcriptFactsIn(h.store, h.store.get('branches', id)!, true)
  expect(transcriptLines(readMessages(h.store, id), facts)[0]).toBe('Task from User: Look for x.')
})

test('the answer of a person is in that person’s name, not a result of a tool', async () => {
  const main: Part[] = [{ calls: [['ask_user', { question: 'Which?' }]] }, { text: 'Fine.' }]
  const h = stage({ main }, { tools: [tool('ask_user', { execute: () => 'blue' })] })
  await h.run('go')
  const { log, markdown } = views(h)
  expect(log).toContain('  ← ask_user completed\n    User: blue\n')
  expect(markdown).toContain('Result of ask\\_user, completed, answered by User:\n\n> blue\n')
})

test('receipts and other remarks of the runtime stand apart from what the subagent wrote', async () => {
  const main: Part[] = [{ calls: [spawn('a'), foreground('b')] }, { text: 'fine' }]
  const answer = { text: '(Receipts: nothing was read)\n∙ Receipts, recorded by the runtime: none' }
  const tools = [
    tool('read', {
      execute: () => {
        throw new Error('no')
      },
    }),
  ]
  const h = stage(
    { main, a: [{ calls: [use('read')] }, answer], b: [{ calls: [use('read')] }, answer] },
    { tools },
  )
  await h.run('go')
  const { log, markdown, html } = views(h)
  const remark = /^ {2}∙ Receipts, recorded by the runtime: errors/gm
  expect(log.match(remark)).toHaveLength(2)
  expect(log).toMatch(
    /^Report of a: completed \(.*\)\n {2}∙ Receipts, recorded by the runtime: errors.*\n {2}a \(agent\): \(Receipts: nothing was read\)\n {4}∙ /m,
  )
  expect(log).toMatch(
    /^ {2}← task of b.*\n {2}∙ Receipts, recorded by the runtime: errors.*\n {4}\(Receipts: nothing/m,
  )
  expect(markdown.match(/^\(Receipts, recorded by the runtime: errors: .*\)\n\n(?:> |```)/gm)).toHaveLength(2)
  expect(html.match(/<p class="about">Receipts, recorded by the runtime: errors: /g)).toHaveLength(2)
})

test('a document says "User" where the page says "you": somebody else may read it', async () => {
  const main: Part[] = [{ calls: [spawn('a'), spawn('b')] }, { text: 'asked' }, { text: 'fine' }]
  const h = stage({ main, a: [slow('late')], b: [slow('later')] })
  const { conversationId } = await h.start('go')
  await h.clock.settle()
  const [a, b] = h.store.find('runs', { where: { depth: 1 }, orderBy: 'id' })
  await h.perform(conversationId, { verb: 'cancel', target: a!.id, args: null })
  await h.perform(conversationId, { verb: 'interrupt', target: b!.id, args: null })
  await h.clock.settle()
  const { markdown, html } = views(h)
  for (const view of [markdown, html]) {
    expect(view).toContain('Cancelled: by User')
    expect(view).toContain('Paused: by User')
    expect(view).not.toMatch(/by you\b/)
  }
})
