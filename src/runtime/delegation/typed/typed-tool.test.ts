import { describe, expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../../test/support/conversation-problems.ts'
import {
  agent,
  harness,
  shownPrompt,
  tool,
  type Harness,
  type HarnessOptions,
} from '../../../../test/support/runtime-harness.ts'
import { builtinAgents } from '../../../agents/builtin-agents.ts'
import type { AgentDefinition } from '../../../core/agent.ts'
import { exportConversation } from '../../../../test/support/exports.ts'

const builtin = builtinAgents()
const search = (input: object = { query: 'where is it?' }) => ({ tool: 'code_search', input: input as never })
type Calls = { tool: string; input: never }[]

/** One turn of the main agent with these calls, then its end. */
async function called(toolCalls: Calls, more: HarnessOptions = {}) {
  const h = harness({
    agents: builtin,
    ...more,
    script: { main: [{ toolCalls }, { text: 'end' }], ...more.script },
  })
  const main = more.agents?.find(({ name }) => name === 'main')
  const result = await h.run('go', main ? { agent: main } : {})
  h.flush()
  expectEvents(h.store, result.conversationId, h.told)
  expect(conversationProblems(h.store, result.conversationId)).toEqual([])
  return { h, result, child: result.subagents[0]!, answers: answersTo(h), offered: offeredTo(h) }
}

function answersTo(h: Harness): string {
  return shownPrompt(h.scripted.requests.findLast(({ depth }) => depth === 0)!.options.prompt).at(-1)!
}

function offeredTo(h: Harness, name = 'main'): string[] {
  const request = h.scripted.requests.find((each) => each.agent === name)!
  return (request.options.tools ?? []).map((each) => each.name)
}

function firstMessage(h: Harness, name: string): string {
  const request = h.scripted.requests.find((each) => each.agent === name)!
  return shownPrompt(request.options.prompt)[1]!
}

describe('a typed call', () => {
  test('is a subagent with its input as labelled lines, its turns, and its report as the result', async () => {
    const { h, result, child, answers } = await called([search({ query: 'who calls it?', scope: 'src/' })], {
      script: { explore: [{ text: 'nobody' }] },
    })
    expect(firstMessage(h, 'explore')).toBe('user text(query: who calls it?\nscope: src/)')
    expect(child).toMatchObject({
      agent: 'explore',
      status: 'completed',
      background: false,
      depth: 1,
      description: 'who calls it?',
    })
    expect(child.limits.maxTurns).toBe(8)
    expect(answers).toContain('<subagent_report agent="explore"')
    expect(answers).toContain('nobody')
    const [call] = h.store.find('tool_calls', { where: { runId: result.runId } })
    expect(call).toMatchObject({
      tool: 'code_search',
      status: 'completed',
      title: 'code_search: who calls it?',
    })
    const branch = h.store.get('branches', child.branchId)!
    expect(branch).toMatchObject({ kind: 'subagent', originToolCallId: call!.id })
    const types = h.told.filter((event) => event.branchId === child.branchId).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['branch.created', 'run.started', 'run.completed']))
    expect(h.told.find(({ type }) => type === 'report.delivered')).toMatchObject({ callId: call!.id })
  })

  test.each([
    [
      'planner',
      { task: 'do it', constraints: 'no new files\nno network' },
      'planner',
      6,
      'task: do it\nconstraints:\n  no new files\n  no network',
    ],
    ['code_review', { target: 'src/a.ts', focus: 'bugs' }, 'reviewer', 6, 'target: src/a.ts\nfocus: bugs'],
    ['CodeReview', { target: 'src/a.ts', focus: 'BUGS' }, 'reviewer', 6, 'target: src/a.ts\nfocus: bugs'],
    ['code_search', { query: 7, scope: null }, 'explore', 8, 'query: 7'],
  ] as const)('%s %j', async (name, input, who, turns, message) => {
    const { h, child } = await called([{ tool: name, input: input as never }])
    expect(child).toMatchObject({ agent: who, limits: { maxTurns: turns } })
    expect(firstMessage(h, who)).toBe(`user text(${message})`)
  })

  test.each([
    ['a missing field', {}, 'query is missing'],
    ['a wrong type', { query: ['a'] }, 'query: expected string, got a list ["a"]'],
    ['no object', 'text', 'it is not JSON'],
  ])('with %s fails, and says which field and what is expected', async (_, input, reason) => {
    const { result, answers } = await called([search(input as never)])
    expect(answers).toContain('wrong input for code_search')
    expect(answers).toContain(reason)
    expect(answers).toContain('expected: {query: string, scope?: string}')
    expect(result.subagents).toEqual([])
  })

  test('with a word that is none of those named lists them', async () => {
    const { answers } = await called([
      { tool: 'code_review', input: { target: 'a', focus: 'beauty' } as never },
    ])
    expect(answers).toContain('focus: must be one of ["bugs","style","performance","security","all"]')
  })

  test('two of them and a task of one turn run side by side, and are answered in their order', async () => {
    const calls = [
      search({ query: 'one' }),
      { tool: 'task', input: { prompt: 'two', subagent_type: 'general' } as never },
      { tool: 'planner', input: { task: 'three' } as never },
    ]
    const script = {
      explore: [{ text: 'report one', delayMs: 300 }],
      general: [{ text: 'report two', delayMs: 100 }],
      planner: [{ text: 'report three', delayMs: 200 }],
    }
    const { result, answers } = await called(calls, { script })
    expect(answers.match(/report (one|two|three)/g)).toEqual(['report one', 'report two', 'report three'])
    expect(result.durationMs).toBeLessThan(400)
    expect(result.toolCalls).toBe(3)
  })

  test('obeys the turns of the configuration, and the limit of all runs', async () => {
    const own = await called([search()], { config: { agents: { explore: { maxTurns: 3 } } } })
    expect(own.child.limits.maxTurns).toBe(3)
    const all = await called([search()], { config: { limits: { maxTurns: 2 } } })
    expect(all.child.limits.maxTurns).toBe(2)
  })

  test('counts among the spawns, and finds the queue full', async () => {
    const { answers, result } = await called([search(), search()], { config: { limits: { maxSpawns: 1 } } })
    expect(answers).toContain('this conversation has started 1 of at most 1 subagents')
    expect(result.subagents).toHaveLength(1)
    const full = await called([search(), search()], { config: { limits: { maxConcurrent: 1, maxQueue: 0 } } })
    expect(full.answers).toContain('already wait for a slot')
  })

  test('can be looked after by its task_id', async () => {
    const { h, child } = await called([search()], { script: { explore: [{ text: 'found' }] } })
    const more = harness({
      agents: builtin,
      store: h.store,
      script: {
        main: [
          {
            toolCalls: [
              { tool: 'task_output', input: { task_id: child.branchId } },
              { tool: 'task_status', input: {} },
            ],
          },
          { toolCalls: [{ tool: 'task', input: { continue: child.branchId, prompt: 'and who tests it?' } }] },
          { text: 'end' },
        ],
        explore: [{ text: 'a test' }],
      },
    })
    const { conversationId } = child
    const result = await more.run('more', { conversationId })
    expect(result.subagents.map(({ agent: name, status }) => [name, status])).toEqual([
      ['explore', 'completed'],
    ])
    expect(answersTo(more)).toContain('a test')
    expect(conversationProblems(more.store, conversationId)).toEqual([])
  })

  test('stands in an export as any subagent', async () => {
    const { h, result, child } = await called([search()])
    const document = JSON.stringify(exportConversation(h.store, result.conversationId))
    expect(document).toContain(child.branchId)
    expect(document).toContain('"tool":"code_search"')
  })
})

describe('the tool of an agent is offered', () => {
  const offered = async (main: Partial<AgentDefinition>, more: HarnessOptions = {}) => {
    const agents = [agent('main', main), ...builtin.slice(1)]
    const own = await called([], { ...more, agents })
    return own.offered.filter((name) => !name.startsWith('task_'))
  }

  test('where task is, as its own schema and description', async () => {
    expect(await offered({})).toEqual(['task', 'code_search', 'planner', 'code_review'])
    const { h } = await called([])
    const spec = h.scripted.requests[0]!.options.tools!.find(({ name }) => name === 'code_search')
    expect(spec).toMatchObject({
      description: builtin.find(({ name }) => name === 'explore')!.description,
      inputSchema: { required: ['query'] },
    })
  })

  test('unless the agent may not start that one, or it is disallowed', async () => {
    expect(await offered({ spawns: ['planner'] })).toEqual(['task', 'planner'])
    expect(await offered({ disallowedTools: ['code_search', 'CodeReview'] })).toEqual(['task', 'planner'])
    expect(await offered({ disallowedTools: ['task'] })).toEqual([])
    expect(await offered({ tools: ['read'] })).toEqual([])
    expect(await offered({}, { config: { limits: { maxDepth: 0 } } })).toEqual([])
    expect(await offered({}, { config: { delegation: 'off' } })).toEqual([])
  })

  test('alone where its name stands in the list of tools', async () => {
    expect(await offered({ tools: ['code_search'] })).toEqual(['code_search'])
    const agents = [agent('main', { tools: ['code_search'] }), ...builtin.slice(1)]
    const forged = [
      search(),
      { tool: 'task', input: { prompt: 'x' } as never },
      { tool: 'planner', input: { task: 'x' } as never },
    ]
    const { result, answers } = await called(forged, { agents })
    expect(result.subagents.map((run) => run.agent)).toEqual(['explore'])
    expect(answers.match(/may not start subagents at depth 0/g)).toHaveLength(2)
  })

  test('never at the depth limit, where a forged call is refused', async () => {
    const script = { general: [{ toolCalls: [search()] }, { text: 'end' }] }
    const { h, result } = await called([{ tool: 'task', input: { prompt: 'x' } as never }], { script })
    expect(offeredTo(h, 'general')).toEqual([])
    expect(result.subagents).toHaveLength(1)
    const forged = h.store.find('tool_calls', { where: { tool: 'code_search' } })
    expect(forged).toEqual([
      expect.objectContaining({
        status: 'failed',
        error: expect.objectContaining({ code: 'nested_not_allowed' }),
      }),
    ])
  })

  test('to a general subagent where the depth allows it, one level deeper', async () => {
    const script = { general: [{ toolCalls: [search()] }, { text: 'end' }], explore: [{ text: 'deep' }] }
    const calls = [{ tool: 'task', input: { prompt: 'x' } as never }]
    const { h, result } = await called(calls, { script, config: { limits: { maxDepth: 2 } } })
    expect(offeredTo(h, 'general')).toContain('code_search')
    expect(result.subagents.map(({ agent: name, depth }) => [name, depth])).toEqual([
      ['general', 1],
      ['explore', 2],
    ])
  })
})

describe('rules', () => {
  const rules = (
    ...rules: readonly { tool: string; pattern?: string; action: 'allow' | 'ask' | 'deny' }[]
  ) => ({
    layers: [{ name: 'test', rules }],
  })

  test.each([
    ['of the tool', { tool: 'code_search', action: 'deny' }],
    ['of task', { tool: 'task', action: 'deny' }],
    ['of task and the agent', { tool: 'task', pattern: 'explore', action: 'deny' }],
    ['of the toolset', { tool: 'agents', action: 'deny' }],
    ['of everything', { tool: '*', action: 'deny' }],
  ] as const)('%s deny the call', async (_, rule) => {
    const { result, answers } = await called([search()], rules(rule))
    expect(answers).toContain('denied by test')
    expect(result.subagents).toEqual([])
  })

  test('of another agent do not, and the last one counts', async () => {
    const other = await called([search()], rules({ tool: 'task', pattern: 'planner', action: 'deny' }))
    expect(other.result.subagents).toHaveLength(1)
    const last = await called(
      [search()],
      rules({ tool: 'task', action: 'deny' }, { tool: 'code_search', action: 'allow' }),
    )
    expect(last.result.subagents).toHaveLength(1)
  })

  test('of a spawn narrow it by its name', async () => {
    const config = { limits: { maxDepth: 2 } }
    const script = {
      general: [
        { toolCalls: [search(), { tool: 'planner', input: { task: 'x' } as never }] },
        { text: 'end' },
      ],
    }
    const started = async (restrictions: object) => {
      const input = { prompt: 'x', ...restrictions } as never
      const { result } = await called([{ tool: 'task', input }], { config, script })
      return result.subagents.slice(1).map((run) => run.agent)
    }
    expect(await started({})).toEqual(['explore', 'planner'])
    expect(await started({ allowed_tools: ['code_search'] })).toEqual(['explore'])
    expect(await started({ disallowed_tools: ['code_search'] })).toEqual(['planner'])
    expect(await started({ disallowed_tools: ['task'] })).toEqual([])
    expect(await started({ allowed_tools: ['task'] })).toEqual(['explore', 'planner'])
  })

  test('hold for what the child calls, as for any subagent', async () => {
    const write = tool('write', { effects: 'write' })
    const script = { own: [{ toolCalls: [{ tool: 'write', input: {} }] }, { text: 'end' }] }
    const own = agent('own', { inputSchema: { type: 'object' }, exposeAsTool: { name: 'own_tool' } })
    const calls = [{ tool: 'own_tool', input: {} as never }]
    const agents = [agent('main', { permissions: [{ tool: 'write', action: 'deny' }] }), own]
    const { h } = await called(calls, {
      tools: [write],
      script,
      agents,
      ...rules({ tool: 'write', action: 'allow' }),
    })
    expect(h.store.find('tool_calls', {}).map(({ tool: name, status }) => [name, status])).toContainEqual([
      'write',
      'denied',
    ])
  })
})

describe('an agent of one’s own', () => {
  const inputSchema = {
    type: 'object',
    properties: { style: { type: 'string' }, text: { type: 'string' }, more: {} },
    required: ['text'],
  }
  const writer = agent('writer', {
    prompt: 'Write in the style {{style}}; \\{{text}} is no field.\n\n{{ text }}',
    inputSchema,
    exposeAsTool: { name: 'write_text', description: 'Writes a text.', maxTurns: 2 },
  })
  const agents = [agent('main'), writer]

  test('gets its body as the message, filled in, and no value is expanded again', async () => {
    const input = { style: '{{text}} $& $1', text: 'a {{style}} b', more: { a: 1 } } as never
    const { h, child } = await called([{ tool: 'write_text', input }], { agents })
    expect(firstMessage(h, 'writer')).toBe(
      'user text(Write in the style {{text}} $& $1; {{text}} is no field.\n\na {{style}} b\n\nmore: {"a":1})',
    )
    expect(child.limits.maxTurns).toBe(2)
    const system = shownPrompt(
      h.scripted.requests.find((each) => each.agent === 'writer')!.options.prompt,
    )[0]!
    expect(system).toContain('the agent writer')
    expect(system).not.toContain('{{')
  })

  test('says of a field that was not given that it was not', async () => {
    const { h } = await called([{ tool: 'write_text', input: { text: 'x' } as never }], { agents })
    expect(firstMessage(h, 'writer')).toContain('the style (not given);')
  })

  test('that is started by task has its body as the role, without braces', async () => {
    const { h } = await called(
      [{ tool: 'task', input: { prompt: 'a poem', subagent_type: 'writer' } as never }],
      { agents },
    )
    const [system, message] = shownPrompt(
      h.scripted.requests.find((each) => each.agent === 'writer')!.options.prompt,
    )
    expect(message).toBe('user text(a poem)')
    expect(system).toContain('Write in the style [style: see the task]; {{text}} is no field.')
  })

  test('has a typed report too', async () => {
    const judge = agent('judge', {
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      outputSchema: { type: 'object', required: ['score'] },
      exposeAsTool: { name: 'judge' },
    })
    const { child, answers } = await called([{ tool: 'judge', input: { text: 'x' } as never }], {
      agents: [agent('main'), judge],
      script: { judge: [{ text: 'good' }, { text: '{"score":1}' }] },
    })
    expect(child).toMatchObject({ status: 'completed', output: { score: 1 } })
    expect(answers).toContain('{"score":1}')
  })

  test('whose default is the background runs in the foreground all the same', async () => {
    const late = agent('late', {
      background: true,
      inputSchema: { type: 'object' },
      exposeAsTool: { name: 'late' },
    })
    const { child, answers } = await called([{ tool: 'late', input: {} as never }], {
      agents: [agent('main'), late],
      script: { late: [{ text: 'its report' }] },
    })
    expect(child.background).toBe(false)
    expect(answers).toContain('its report')
  })
})
