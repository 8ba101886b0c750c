import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { conversationProblems } from '../../../test/support/conversation-problems.ts'
import {
  agent,
  called,
  finish,
  harness,
  rawModel,
  said,
  tool,
  type Harness,
} from '../../../test/support/runtime-harness.ts'
import { buildContext, type ContextMessage } from '../../core/build-context.ts'
import { ProviderError } from '../../core/errors.ts'
import type { BranchId } from '../../core/ids.ts'
import { textOf } from '../../core/message.ts'
import type { ModelRequest } from '../../model/port.ts'
import { createMemoryStore } from '../../store/memory.ts'
import {
  documentText,
  exportConversation,
  importConversation,
  parseExport,
} from '../../../test/support/exports.ts'
import { randomIds } from '../log/new-id.ts'
import { readMessages } from '../run/messages.ts'

const PAGE = readFileSync(new URL('../../../docs/context.md', import.meta.url), 'utf8')
const WINDOW = 10_000
/** About 1,000 tokens. */
const FOUND = 'found something '.repeat(250)
const SPAWN = { prompt: 'the task: count all files', subagent_type: 'explore' }

const isSummary = ({ messages }: ModelRequest) => textOf(messages[0]!.parts).startsWith('You summarise')
type Answer = Parameters<typeof rawModel>[0]

/** The end of an answer, with the tokens of its request as a provider counts them. */
function counted(request: ModelRequest, unified = 'stop') {
  const total = Math.ceil(chars(request.messages) / 4)
  const inputTokens = { total, noCache: total, cacheRead: 0, cacheWrite: 0 }
  return { ...finish(unified), usage: { ...finish().usage, inputTokens } }
}

/** A subagent of so many turns with a tool, each with an output of about a tenth of the window. */
async function worked(turns: number, summarise: Answer = () => [...said('SUMMARY: 4 files'), finish()]) {
  const requests: ModelRequest[] = []
  const asked: ModelRequest[] = []
  let childTurns = 0
  const model = rawModel(
    (n, request) => {
      const copy = { ...request, messages: [...request.messages] }
      if (isSummary(request)) {
        asked.push(copy)
        return summarise(n, request)
      }
      if (request.depth === 0)
        return request.messages.some(({ role }) => role === 'tool')
          ? [...said('all done'), finish()]
          : [called('task', JSON.stringify(SPAWN)), finish('tool-calls')]
      requests.push(copy)
      return childTurns++ < turns
        ? [called('look', `{"at":${childTurns}}`), counted(request, 'tool-calls')]
        : [...said('there are 4'), counted(request)]
    },
    { window: WINDOW, price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } },
  )
  const look = tool('look', { execute: ({ at }) => `${String(at)}: ${FOUND}` })
  const agents = [agent('main'), agent('explore', { maxTurns: 40 })]
  const h = harness({ model, tools: [look], agents, config: { limits: { stallMs: 1_000_000 } } })
  const result = await h.run('go')
  expect(conversationProblems(h.store, result.conversationId)).toEqual([])
  return { h, result, child: result.subagents[0]!, requests, asked }
}

const events = (h: Harness) => {
  h.flush()
  return h.told.filter((event) => event.type === 'context.compacted')
}
const chars = (messages: readonly ContextMessage[]) => JSON.stringify(messages).length
const tree = ({ store }: Pick<Harness, 'store'>) => ({
  branches: { get: (id: BranchId) => store.get('branches', id) },
  messages: (id: BranchId) => readMessages(store, id),
})

describe('near the end of the window', () => {
  test('the oldest turns become one summary, and the run goes on below it', async () => {
    const { h, result, child, requests, asked } = await worked(12)
    expect(result.text).toBe('all done')
    expect(child).toMatchObject({ status: 'completed', turns: 13, toolCalls: 12 })
    expect(asked).toHaveLength(1)
    expect(Math.max(...requests.map(({ messages }) => chars(messages) / 4))).toBeLessThan(WINDOW * 0.95)
    const [event] = events(h)
    expect(event).toMatchObject({ runId: child.id, branchId: child.branchId, depth: 1 })
    const [, shown] = /^```json file=event\n([^]*?)^```/m.exec(PAGE)!
    expect(event).toMatchObject(JSON.parse(shown!))
    expect(event!.tokensBefore).toBeGreaterThan(WINDOW * 0.8)
    expect(event!.tokensAfter).toBeLessThan(WINDOW * 0.5)
    const after = requests.find(({ messages }) =>
      textOf(messages[2]?.parts ?? []).startsWith('Summary of the work'),
    )!
    expect(after.messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user'])
    expect(textOf(after.messages[1]!.parts)).toBe(SPAWN.prompt)
    expect(textOf(after.messages[2]!.parts)).toContain('SUMMARY: 4 files')
    expect(
      after.messages
        .slice(3)
        .map(({ role }) => role)
        .join(),
    ).toMatch(/^(assistant,tool,?)+$/)
  })

  test('what is summarised is told as data, with the task, and the store keeps everything', async () => {
    const { h, child, asked } = await worked(12)
    expect(asked[0]).toMatchObject({ tools: [], toolChoice: 'none', agent: 'explore', depth: 1 })
    const told = textOf(asked[0]!.messages[1]!.parts)
    expect(told).toContain(SPAWN.prompt)
    expect(told).toContain('[call] look {"at":1}')
    expect(readMessages(h.store, child.branchId).filter(({ role }) => role === 'tool')).toHaveLength(12)
  })

  test('it counts as the run’s, and is done again when the window is full again', async () => {
    const { h, child, asked, requests } = await worked(25)
    expect(asked.length).toBeGreaterThanOrEqual(2)
    expect(events(h)).toHaveLength(asked.length)
    const sum = (all: readonly ModelRequest[]) =>
      all.reduce((total, { messages }) => total + Math.ceil(chars(messages) / 4), 0)
    expect(child.usage.input).toBe(sum(requests) + asked.length * 10)
    const context = buildContext(tree(h), child.branchId)
    expect(context.filter(({ parts }) => textOf(parts).startsWith('Summary of')).length).toBe(1)
    expect(asked[1]!.messages[1]!.parts).toEqual([
      expect.objectContaining({ text: expect.stringContaining('SUMMARY: 4 files') }),
    ])
  })

  test('a fork before the summary sees everything, one after it the summary; so does an import', async () => {
    const { h, result, child } = await worked(12)
    const messages = readMessages(h.store, child.branchId)
    const seen = (id: BranchId) => buildContext(tree(h), id).map(({ parts }) => textOf(parts))
    const forkAt = async (messageId: string) => {
      const started = await h.fork(messageId, 'and now?')
      await h.clock.until(started.result)
      return h.store.find('runs', { where: { id: started.runId } })[0]!.branchId
    }
    const later = seen(await forkAt(messages.at(-1)!.id))
    expect(later.filter((text) => text.startsWith('Summary of'))).toHaveLength(1)
    const early = buildContext(tree(h), await forkAt(messages[9]!.id))
    expect(early.slice(0, 10).map(({ parts }) => textOf(parts))).toEqual(
      messages.slice(0, 10).map(({ parts }) => textOf(parts)),
    )
    expect(early.filter(({ role }) => role === 'tool')).toHaveLength(4)
    const text = documentText(exportConversation(h.store, result.conversationId))
    const other = createMemoryStore()
    const id = await importConversation(other, parseExport(text), randomIds(h.clock))
    expect(documentText(exportConversation(other, id))).toBe(text)
    expect(buildContext(tree({ store: other }), child.branchId)).toEqual(
      buildContext(tree(h), child.branchId),
    )
    const renamed = await importConversation(other, parseExport(text), randomIds(h.clock))
    const branch = other.find('branches', { where: { conversationId: renamed, kind: 'subagent' } })[0]!
    expect(buildContext(tree({ store: other }), branch.id)).toHaveLength(seen(child.branchId).length)
  })

  test('a run that is continued, and one that is taken up again, go on from the summary', async () => {
    const { h, child, requests } = await worked(12)
    const { started } = await h.continue(child.branchId, { text: 'go on' })
    await h.clock.until(started!.result)
    const { messages } = requests.at(-1)!
    expect(textOf(messages[2]!.parts)).toContain('SUMMARY: 4 files')
    expect(textOf(messages.at(-1)!.parts)).toBe('go on')
    expect(messages.slice(0, -1)).toEqual(buildContext(tree(h), child.branchId).slice(0, messages.length - 1))
  })

  test('a summary that fails leaves the run as it is, and is tried again a while later', async () => {
    const busy = () => Promise.reject(new ProviderError('no', { retryable: false }))
    const { h, child, asked } = await worked(12, busy)
    expect(events(h)).toEqual([])
    expect(asked.length).toBeGreaterThan(1)
    expect(asked.length).toBeLessThanOrEqual(4)
    expect(child).toMatchObject({ status: 'failed', error: { code: 'window' } })
    const empty = await worked(9, () => [finish()])
    expect(empty.child.status).toBe('completed')
  })

  test.each([
    ['content-filter', 'stop', 'the model refused to answer'],
    ['content-filter', 'SAFETY', 'the provider filtered the answer (the provider said: SAFETY)'],
    ['length', 'length', 'the answer was cut at the output limit (the provider said: length)'],
    ['length', 'model_length', 'the answer was cut because the context window is full'],
    ['other', 'odd', 'the answer ended with other (the provider said: odd)'],
  ])(
    'a summary that ends with %s (%s) is no record: nothing is left out, and the end says so',
    async (unified, raw, why) => {
      const end = { ...finish(), finishReason: { unified, raw } }
      const { h, child, asked, requests } = await worked(12, () => [...said('I cannot summarise that.'), end])
      expect(events(h)).toEqual([])
      expect(asked.length).toBeGreaterThan(1)
      expect(JSON.stringify(requests)).not.toContain('I cannot summarise')
      expect(child).toMatchObject({ status: 'failed', error: { code: 'window' } })
      expect(child.error!.message).toContain('; the oldest turns could not be summarised: ')
      expect(child.error!.message).toContain(why)
    },
  )

  test('a summary that never comes is given up', async () => {
    const { child } = await worked(9, () => new Promise<never>(() => {}))
    expect(child.status).toBe('completed')
  })

  test('nothing happens as long as there is room', async () => {
    const { h, asked } = await worked(6)
    expect(asked).toEqual([])
    expect(events(h)).toEqual([])
  })
})
