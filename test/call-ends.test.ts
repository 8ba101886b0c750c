import { expect, test } from 'vitest'
import { callEnd } from '../src/client/index.ts'
import { transcriptLines } from '../src/cli/terminal/transcript-lines.ts'
import { stateOf } from '../src/client/view-state.ts'
import { exportConversation } from '../src/export/export-conversation.ts'
import { documentHtml } from '../src/export/html.ts'
import { documentMarkdown } from '../src/export/markdown.ts'
import type { Snapshot } from '../src/protocol/conversation.ts'
import { readMessages } from '../src/runtime/run/messages.ts'
import { callFactsIn } from '../src/runtime/views/call-facts.ts'
import { messagePageOf } from '../src/runtime/views/message-page.ts'
import { snapshotOf } from '../src/runtime/views/snapshot.ts'
import { endOfCall } from '../web/src/state/end-of-call.ts'
import { withPage } from '../src/client/merge-message-page.ts'
import { harness, tool, type Harness } from './support/runtime-harness.ts'

const task = (prompt: string, more = {}) => ({
  tool: 'task',
  input: { prompt, subagent_type: 'explore', description: prompt, ...more },
})
const obeys = tool('obeys', {
  execute: (_, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
})
const denied = tool('denied', { effects: 'write' })

const script = {
  main: [
    {
      text: 'I ask.',
      toolCalls: [
        task('cut'),
        task('filtered'),
        task('slow'),
        task('whole'),
        task('away', { run_in_background: true }),
        { tool: 'obeys', input: {} },
      ],
    },
  ],
  explore: [
    { match: '^cut', text: 'half of the cou', finishReason: 'length' as const },
    { match: '^filtered', text: 'x', finishReason: 'content-filter' as const },
    { match: '^slow', text: 'looking', toolCalls: [{ tool: 'obeys', input: {} }] },
    { match: '^whole', text: 'all of it' },
    { match: '^away', text: 'looking', toolCalls: [{ tool: 'obeys', input: {} }] },
  ],
}

/** Three tasks that end badly, one well, one in the background, and a call that is stopped with its run. */
async function played() {
  const h = harness({ tools: [obeys, denied], script })
  const { conversationId, branchId } = await h.start('go')
  await h.clock.settle()
  const slow = h.store.find('runs', {}).find(({ description }) => description === 'slow')!
  await h.clock.until(h.perform(conversationId, { verb: 'cancel', target: slow.id, args: null }))
  await h.clock.until(h.perform(conversationId, { verb: 'interrupt', target: branchId, args: null }))
  await h.clock.settle()
  return { h, conversationId, branchId }
}

const CUT = 'paused (limit: max output tokens)'
const ENDS = ['cancelled', 'completed', 'failed', 'interrupted', CUT, 'started']

const matches = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, word]) => word ?? '').toSorted((a, b) => a.localeCompare(b))

test('log, Markdown, HTML, the page and its steps say the same of how a call ended', async () => {
  const { h, conversationId, branchId } = await played()
  const log = transcriptLines(readMessages(h.store, branchId), {
    agent: 'main',
    factsOf: callFactsIn(h.store),
  }).join('\n')
  expect(matches(log, /^ {2}← \w+(?: of explore \(\w+\))? (.*), \d+ lines?$/gm)).toEqual(ENDS)
  const document = exportConversation(h.store, conversationId)
  const markdown = documentMarkdown(document).split('\n## ')[1]!
  expect(matches(markdown, /^Result of \w+(?:, explore \\?\(\w+\\?\))?, (.*):$/gm)).toEqual(ENDS)
  const main = documentHtml(document).split('<section class="branch')[1]!
  const words = matches(main, /<summary>.*?<span class="facts"><span class="[^"]*">([^<]*)<\/span>/gs)
  expect(words).toEqual(ENDS)
  expect(pageEnds(h, branchId)).toEqual({ chat: ENDS, steps: ENDS })
})

test('`log` shows what a subagent answered the call that waited for it', async () => {
  const { h, branchId } = await played()
  const log = transcriptLines(readMessages(h.store, branchId), {
    agent: 'main',
    factsOf: callFactsIn(h.store),
  }).join('\n')
  expect(log).toMatch(/task of explore \(cut\) paused .*\n(?: {2}∙ .*\n)* {4}half of the cou\n/)
  expect(log).toContain('task of explore (whole) completed, 1 line\n    all of it\n')
})

/** In the chat the result is at hand; the steps look for it, and without messages go by the run that was started. */
function pageEnds({ store }: Harness, branchId: Parameters<typeof readMessages>[1]) {
  const branch = store.get('branches', branchId)!
  const conversation = store.get('conversations', branch.conversationId)!
  const snapshot = snapshotOf(store, conversation, { maxConcurrent: 4 }) as unknown as Snapshot
  const bare = stateOf(snapshot)
  const page = messagePageOf(store, branch, { limit: 100 })
  const loaded = withPage(bare, JSON.parse(JSON.stringify(page)) as Parameters<typeof withPage>[1])
  const calls = page.calls.map((call) => ({ id: call.id, tool: call.tool, call }))
  const ends = (state: typeof bare) =>
    calls.map((call) => endOfCall(state, call as never).words).toSorted((a, b) => a.localeCompare(b))
  expect(ends(bare)).toEqual(ends(loaded))
  return { chat: ends(loaded), steps: ends(bare) }
}

test.each([
  [{ tool: 'bash', status: 'denied' }, 'denied'],
  [{ tool: 'bash', status: 'skipped' }, 'not run'],
  [{ tool: 'bash', status: 'unknown' }, 'outcome unknown'],
  [{ tool: 'bash', status: 'failed', error: { code: 'exit' } }, 'failed'],
  [{ tool: 'bash', status: 'failed', error: { code: 'interrupted' } }, 'interrupted'],
  [
    { tool: 'bash', status: 'failed', error: { code: 'interrupted' }, by: { status: 'cancelled' } },
    'cancelled',
  ],
] as const)('%o is %s', (call, words) => {
  expect(callEnd(call).words).toBe(words)
})

test.each(['task_output', 'task_cancel', 'subagent_output'])(
  '%s of a subagent that is paused or cancelled has done what it was called for',
  (name) => {
    for (const status of ['paused', 'cancelled', 'failed'] as const) {
      const subagent = { type: 'report', status, reason: null, endReason: null } as never
      expect(callEnd({ tool: name, status: 'completed', subagent }).words).toBe('completed')
    }
  },
)

test('what denied a call stands once on its card, open or closed', async () => {
  const h = harness({
    tools: [denied],
    script: { main: [{ text: 'a', toolCalls: [{ tool: 'denied', input: {} }] }, { text: 'b' }] },
    layers: [{ name: 'config', rules: [{ tool: 'denied', action: 'deny' }] }],
  })
  const { conversationId } = await h.run('go')
  const html = documentHtml(exportConversation(h.store, conversationId))
  expect(html).toContain('<p class="trouble folds">')
  expect(html).toMatch(/\.card > details\[open\] ~ \.trouble\.folds \{\s*display: none/)
})
