import { describe, expect, test } from 'vitest'
import { outputForModel } from '../../../core/report/report-envelope.ts'
import { conversationProblems } from '../../../../test/support/conversation-problems.ts'
import {
  agent,
  finish,
  handClock,
  harness,
  rawModel,
  said,
  shownPrompt,
  streamOf,
  type Harness,
  type HarnessOptions,
} from '../../../../test/support/runtime-harness.ts'
import type { AgentDefinition } from '../../../core/agent.ts'
import type { ModelRequest } from '../../../model/port.ts'

const REPORT =
  '# Findings\n\nThe parser is fine. The rest is long.\n\n- src/a.ts:1 is new\n- src/b.ts:2 is old\n\nMore words.'
const ended = (unified: string, raw: string) => ({ ...finish(), finishReason: { unified, raw } })
const task = [{ tool: 'task', input: { prompt: 'x', subagent_type: 'explore' } as never }]

async function summarised(summarize: AgentDefinition['summarize'], options: HarnessOptions = {}) {
  const explore = agent('explore', {
    ...(summarize === undefined ? {} : { summarize }),
    ...options.agents?.[0],
  })
  const script = { main: [{ toolCalls: task }, { text: 'end' }], explore: [{ text: REPORT }] }
  const h = harness({ script, ...options, agents: [agent('main'), explore] })
  const result = await h.run('go')
  expect(conversationProblems(h.store, result.conversationId)).toEqual([])
  return { h, result, child: result.subagents[0]!, answer: resultOf(h) }
}

function resultOf(h: Harness): string {
  const results = h.store
    .find('parts', {})
    .flatMap(({ part }) => (part.type === 'tool-result' ? outputForModel(part.output) : []))
  return results.at(-1)!
}

describe('what the parent reads', () => {
  test.each([
    ['headline', 'Findings'],
    ['first-paragraph', 'The parser is fine. The rest is long.'],
    ['bullets', '- src/a.ts:1 is new\n- src/b.ts:2 is old'],
  ])('by %s', async (preset, text) => {
    const { h, child, answer } = await summarised(preset)
    expect(answer).toContain(`>\n${text}\n</subagent_report>`)
    expect(answer).toContain('This is a summary; `task_output` with this task_id reads the whole report.')
    const report = h.store.find('parts', { where: { messageId: child.reportMessageId! } })
    expect(report.map(({ part }) => part.type === 'text' && part.text)).toEqual([REPORT])
  })

  test('by a function, which is told whose report it is', async () => {
    const { answer } = await summarised(
      async (report, about) => `${about.agent}: ${report.length} characters`,
    )
    expect(answer).toContain(`explore: ${REPORT.length} characters`)
    expect(answer).not.toContain('parser')
  })

  test('by a request of the small model, which counts as the run', async () => {
    const requests: ModelRequest[] = []
    const model = rawModel((n, request) => {
      requests.push(request)
      if (n === 0)
        return [
          { type: 'tool-call', toolCallId: 'c', toolName: 'task', input: JSON.stringify(task[0]!.input) },
          finish('tool-calls'),
        ]
      return [...said(n === 2 ? 'all is well' : n === 1 ? REPORT : 'end'), finish()]
    })
    const plain = await summarised(undefined)
    const { child, answer } = await summarised('Say in one line what is wrong.', { model })
    expect(answer).toContain('>\nall is well\n<')
    expect(shownParts(requests[2]!)).toEqual([
      expect.stringContaining('Say in one line what is wrong.'),
      REPORT,
    ])
    expect(requests[2]).toMatchObject({ tools: [], toolChoice: 'none', agent: 'explore', depth: 1 })
    expect(child).toMatchObject({ turns: 1, usage: { input: 20, output: 10 } })
    expect(plain.child.turns).toBe(1)
  })

  test('is the JSON where there is a schema, and the text of a run that a limit paused', async () => {
    const schema = await summarised('headline', {
      agents: [agent('explore', { outputSchema: { type: 'array' }, summarize: 'headline' })],
      script: { main: [{ toolCalls: task }, { text: 'end' }], explore: [{ text: 'So: [1, 2]' }] },
    })
    expect(schema.answer).toContain('>\n[1,2]\n<')
    const more = [{ toolCalls: [{ tool: 'none', input: {} }] }, { text: REPORT }]
    const paused = await summarised('headline', {
      agents: [agent('explore', { summarize: 'headline', maxTurns: 1 })],
      script: { main: [{ toolCalls: task }, { text: 'end' }], explore: more },
    })
    expect(paused.answer).toContain('status="paused (limit)"')
    expect(paused.answer).toContain('More words.')
  })

  test('of a subagent in the background too', async () => {
    const background = [
      { tool: 'task', input: { prompt: 'x', subagent_type: 'explore', run_in_background: true } as never },
    ]
    const h = harness({
      agents: [agent('main'), agent('explore', { summarize: 'bullets' })],
      script: {
        main: [{ toolCalls: background }, { text: 'end' }, { text: 'read' }],
        explore: [{ text: REPORT, delayMs: 500 }],
      },
    })
    await h.run('go')
    const last = shownPrompt(h.scripted.requests.at(-1)!.options.prompt).at(-1)!
    expect(last).toContain('- src/b.ts:2 is old')
    expect(last).not.toContain('More words')
  })
})

describe('a summary that fails leaves the whole report, and a note', () => {
  const never = () => new Promise<string>(() => {})

  test.each<[string, AgentDefinition['summarize'], string]>([
    ['throws', () => { throw new Error('not today') }, 'not today'], // oxfmt-ignore
    ['rejects', async () => { throw new Error('not today') }, 'not today'], // oxfmt-ignore
    ['returns nothing', () => undefined as never, 'the summary is empty'],
    ['returns something else', () => 7 as never, 'the summary is empty'],
    ['is empty', () => '  ', 'the summary is empty'],
    ['never returns', never, 'it took longer than 60 s'],
  ])('when it %s', async (_, summarize, why) => {
    const { child, answer } = await summarised(summarize)
    expect(child).toMatchObject({
      status: 'completed',
      reportNote: `it could not be summarised (${why}): this is the agent’s own text`,
    })
    expect(answer).toContain(why)
    expect(answer).toContain('More words.')
    expect(answer).not.toContain('This is a summary')
  })

  test('when a preset finds nothing', async () => {
    const script = { main: [{ toolCalls: task }, { text: 'end' }], explore: [{ text: 'No list here.' }] }
    const { answer } = await summarised('bullets', { script })
    expect(answer).toContain('the summary is empty')
    expect(answer).toContain('No list here.')
  })

  test.each([
    ['the request fails', () => Promise.reject(new Error('no answer'))],
    ['the answer is cut', () => [...said('half')]],
    ['an error comes as a piece', () => [{ type: 'error', error: new Error('broken') }]],
    ['the model refuses', () => [...said('I cannot help with that.'), finish('content-filter')]],
    ['the provider filters it', () => [...said('All is'), ended('content-filter', 'SAFETY')]],
    ['it is cut at its limit', () => [...said('All is'), finish('length')]],
    ['the window is full', () => [...said('All is'), ended('length', 'model_length')]],
    ['it ends in a way that is not known', () => [...said('All is'), finish('other')]],
    ['it ends with calls', () => [...said('I look'), finish('tool-calls')]],
  ])('when %s', async (_, third) => {
    const model = rawModel((n) => {
      if (n === 0)
        return [
          { type: 'tool-call', toolCallId: 'c', toolName: 'task', input: JSON.stringify(task[0]!.input) },
          finish('tool-calls'),
        ]
      return n === 2 ? third() : [...said(n === 1 ? REPORT : 'end'), finish()]
    })
    const { answer, result } = await summarised('In one line.', { model })
    expect(answer).toContain('it could not be summarised')
    expect(answer).toContain('More words.')
    expect(answer).not.toMatch(/I cannot help|All is|I look/)
    expect(result.text).toBe('end')
  })

  test('when the budget is spent, without a request', async () => {
    const all = { inputTokens: { total: 0 }, outputTokens: { total: 200_000 } }
    let requests = 0
    const model = rawModel((n) => {
      requests++
      if (n > 0) return [...said(REPORT), { ...finish(), usage: all }]
      const input = JSON.stringify(task[0]!.input)
      return [{ type: 'tool-call', toolCallId: 'c', toolName: 'task', input }, finish('tool-calls')]
    })
    const { h } = await summarised('In one line.', { model, config: { limits: { maxTokens: 200_000 } } })
    const [item] = h.store.find('tool_calls', { where: { tool: 'task' } })
    const answer = JSON.stringify(h.store.get('parts', item!.resultPartId!)!.part)
    expect(requests).toBe(2)
    expect(answer).toContain('it could not be summarised (200,015 of 200,000 tokens are used)')
  })

  test('when the run is stopped meanwhile: it has ended all the same', async () => {
    const clock = handClock()
    const model = rawModel(async (n, { signal }) => {
      if (n === 0)
        return streamOf([
          { type: 'tool-call', toolCallId: 'c', toolName: 'task', input: JSON.stringify(task[0]!.input) },
          finish('tool-calls'),
        ])
      if (n === 1) return streamOf([...said(REPORT), finish()])
      return await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    })
    const h = harness({
      clock,
      model,
      agents: [agent('main'), agent('explore', { summarize: 'In one line.' })],
    })
    const started = await h.start('go')
    await clock.advance(1_000)
    started.stop('pause')
    const result = await clock.until(started.result)
    expect(result.status).toBe('paused')
    expect(result.subagents[0]).toMatchObject({
      status: 'completed',
      reportNote: expect.stringContaining('the run was stopped'),
    })
    expect(conversationProblems(h.store, result.conversationId)).toEqual([])
  })
})

function shownParts({ messages }: ModelRequest): string[] {
  return messages.map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
}
