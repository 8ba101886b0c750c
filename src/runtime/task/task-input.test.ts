import { describe, expect, test } from 'vitest'
import {
  agent,
  harness,
  shownPrompt,
  tool,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import { parseInput } from '../../tools/parse-input.ts'
import type { AnyTool } from '../../tools/port.ts'
import type { TaskInput } from './task-input.ts'
import { createTaskTool } from '../delegation/task-tool.ts'
import { createTaskTexts } from './task-texts.ts'

const task = createTaskTool(createTaskTexts(), [agent('explore')], async () => ({
  text: '',
})) as unknown as AnyTool
const parse = (input: object) => parseInput(task, { prompt: 'p', ...input }) as TaskInput
const problem = (input: object): string => {
  try {
    return `accepted: ${JSON.stringify(parse(input))}`
  } catch (error) {
    return String(error)
  }
}

describe('an option of task', () => {
  test.each<[object, Partial<TaskInput>]>([
    [{}, { history: 'fresh', context: undefined, model: undefined, timeout_ms: undefined }],
    [{ history: 'fork' }, { history: 'fork' }],
    [{ history: 'FORK' }, { history: 'fork' }],
    [{ inheritContext: true }, { history: 'fork' }],
    [{ inherit_context: 'true' }, { history: 'fork' }],
    [{ inheritContext: false }, { history: 'fresh' }],
    [{ fork_context: true }, { history: 'fork' }],
    [{ forkContext: true, history: 'fork' }, { history: 'fork' }],
    [{ context: 'fork' }, { history: 'fork', context: undefined }],
    [{ context: 'fresh' }, { history: 'fresh', context: undefined }],
    [
      { context: 'fork', extra_context: 'x' },
      { history: 'fork', context: 'x' },
    ],
    [{ context: 'forks are nice' }, { history: 'fresh', context: 'forks are nice' }],
    [{ extra_context: 'x' }, { context: 'x' }],
    [{ extraContext: 'x', context: 'x' }, { context: 'x' }],
    [{ model: 'a/b' }, { model: 'a/b' }],
    [{ provider: 'a', model: 'b' }, { model: 'a/b' }],
    [{ provider: 'a', model: 'a/b' }, { model: 'a/b' }],
    [{ timeout_ms: '500' }, { timeout_ms: 500 }],
    [{ timeoutMs: 500 }, { timeout_ms: 500 }],
    [{ max_turns: 3, maxIterations: 3 }, { max_turns: 3 }],
    [{ max_turns: '3', maxIterations: 3 }, { max_turns: 3 }],
    [{ timeout_ms: 500, timeoutMs: ' 500 ' }, { timeout_ms: 500 }],
    [{ run_in_background: 'true', background: true, async: 'TRUE' }, { run_in_background: true }],
    [{ directory: 'src', cwd: ' src ' }, { directory: 'src' }],
    [{ context_files: ['a'], contextFiles: 'a' }, { context_files: ['a'] }],
    [{}, { persona: undefined, effort: undefined, directory: undefined, context_files: [], tools: {} }],
    [{ persona: 'reviewer' }, { persona: 'reviewer' }],
    [{ context_files: ['a.ts'] }, { context_files: ['a.ts'] }],
    [{ contextFiles: 'a.ts' }, { context_files: ['a.ts'] }],
    [{ tools: { files: ['read'] } }, { tools: { files: ['read'] } }],
    [{ toolset: { files: ['read'] } }, { tools: { files: ['read'] } }],
    [{ tools: { files: 'read' } }, { tools: { files: ['read'] } }],
    [{ effort: 'HIGH' }, { effort: 'high' }],
    [{ effort: 'none' }, { effort: 'none' }],
    [{ reasoning_effort: 'xhigh', reasoningEffort: 'xhigh' }, { effort: 'xhigh' }],
    [{ max_cost_usd: '0.5' }, { max_cost_usd: 0.5 }],
    [{ maxCostUsd: 1e-6 }, { max_cost_usd: 1e-6 }],
    [{ maxTokens: 1 }, { max_tokens: 1 }],
    [{ directory: ' src ' }, { directory: 'src' }],
    [{ cwd: '/tmp' }, { directory: '/tmp' }],
  ])('%j is read', (input, expected) => {
    expect(parse(input)).toMatchObject(expected)
  })

  test.each<[object, object]>([
    [{ allowed_tools: ['read'] }, { allowedTools: ['read'] }],
    [{ allowedTools: 'read' }, { allowedTools: ['read'] }],
    [{ disallowed_tools: ['bash'] }, { disallowedTools: ['bash'] }],
    [{ disallowedTools: ['bash'] }, { disallowedTools: ['bash'] }],
    [
      { permissions: [{ tool: 'bash', pattern: 'git *', action: 'deny' }] },
      { permissions: [{ tool: 'bash', pattern: 'git *', action: 'deny' }] },
    ],
  ])('%j narrows', (input, expected) => {
    expect(parse(input).restrictions).toMatchObject(expected)
  })

  test.each<object>([
    { isolation: 'none' },
    { worktree: false },
    { backend: 'native' },
    { cli: 'native' },
    { directory: '.' },
    { cwd: '.' },
    { tools: {} },
    { toolset: [] },
    { context_files: [] },
    { contextFiles: null },
    { effort: null },
  ])('%j asks for what happens anyway', (input) => {
    expect(parse(input)).toMatchObject({ prompt: 'p' })
  })

  test.each<[object, string]>([
    [{ isolation: 'worktree' }, 'isolation'],
    [{ worktree: true }, 'worktree'],
    [{ backend: 'claude' }, 'backend'],
    [{ cli: 'codex' }, 'backend'],
  ])('%j is refused by name: it has no effect', (input, field) => {
    expect(problem(input)).toContain(`wrong input for task: ${field}: it has no effect; `)
  })

  test.each<[object, string, string]>([
    [{ history: 'fresh', inheritContext: true }, 'history', 'inheritContext'],
    [{ inheritContext: true, fork_context: false }, 'inheritContext', 'fork_context'],
    [{ history: 'fresh', context: 'fork' }, 'history', 'context'],
    [{ context: 'x', extra_context: 'y' }, 'context', 'extra_context'],
    [{ allowed_tools: ['read'], allowedTools: ['grep'] }, 'allowed_tools', 'allowedTools'],
    [{ timeout_ms: 1, timeoutMs: 2 }, 'timeout_ms', 'timeoutMs'],
    [{ max_turns: 3, maxIterations: 4 }, 'max_turns', 'maxIterations'],
    [{ max_turns: 3, maxTurns: 4, maxIterations: '3' }, 'max_turns', 'maxTurns'],
    [{ max_turns: '3', maxIterations: 'many' }, 'max_turns', 'maxIterations'],
    [{ description: 'a', label: 'b' }, 'description', 'label'],
    [{ directory: 'a', cwd: 'b' }, 'directory', 'cwd'],
    [{ effort: 'low', reasoning_effort: 'high' }, 'effort', 'reasoning_effort'],
    [{ context_files: ['a'], contextFiles: ['b'] }, 'context_files', 'contextFiles'],
    [{ tools: { files: ['read'] }, toolset: { files: ['grep'] } }, 'tools', 'toolset'],
    [{ max_cost_usd: 1, maxCostUsd: 2 }, 'max_cost_usd', 'maxCostUsd'],
    [{ max_tokens: 1, maxTokens: 2 }, 'max_tokens', 'maxTokens'],
  ])('%j is refused with the names of both spellings', (input, one, other) => {
    expect(problem(input)).toMatch(/^ToolError: wrong input for task: /)
    expect(problem(input)).toContain(`"${one}" and "${other}"`)
  })

  test.each<[object, string]>([
    [{ provider: 'anthropic' }, 'send "model" too'],
    [{ allowed_tools: [] }, 'allowed_tools'],
    [
      { permissions: [{ tool: 'bash' }] },
      '"action" of the rule for bash is missing; it must be "allow", "ask" or "deny"',
    ],
    [{ history: 'some' }, 'history'],
    [{ timeout_ms: 0 }, 'timeout_ms'],
    [{ wizardry: 1 }, 'wizardry'],
    [{ persona: '' }, 'persona'],
    [{ persona: ['reviewer'] }, 'persona'],
    [{ context_files: [''] }, 'context_files'],
    [{ context_files: { a: 1 } }, 'context_files'],
    [{ context_files: Array.from({ length: 51 }, (_, at) => `${at}.ts`) }, 'context_files'],
    [{ tools: ['read'] }, '{toolset: [tool, ...]}'],
    [{ tools: 'read' }, 'tools'],
    [{ effort: 'hard' }, 'effort'],
    [{ effort: 'hard' }, '"none"'],
    [{ effort: 3 }, 'effort'],
    [{ max_cost_usd: 0 }, 'max_cost_usd'],
    [{ max_cost_usd: -1 }, 'max_cost_usd'],
    [{ max_cost_usd: 'much' }, 'max_cost_usd'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ max_tokens: 1.5 }, 'max_tokens'],
    [{ directory: '' }, 'directory'],
    [{ directory: ['src'] }, 'directory'],
    ...['persona', 'directory', 'effort'].map((name): [object, string] => [
      { continue: 'brn_x', [name]: name === 'effort' ? 'low' : 'x' },
      `${name}: a continued subagent keeps its own`,
    ]),
    [{ continue: 'brn_x', context_files: ['a'] }, 'context_files: a continued subagent keeps its own'],
    [{ continue: 'brn_x', tools: { files: ['read'] } }, 'tools: a continued subagent keeps its own'],
  ])('%j is refused', (input, text) => {
    expect(problem(input)).toMatch(/^ToolError: wrong input for task: /)
    expect(problem(input)).toContain(text)
  })
})

const tools = [tool('read'), tool('write', { effects: 'write' }), tool('bash', { toolset: 'shell' })]
const layers = [{ name: 'test', rules: [{ tool: '*', action: 'allow' as const }] }]

/** One `task` call with this input; what the child was offered and told, and its calls. */
async function spawned(input: object, more: HarnessOptions = {}) {
  const call = { tool: 'task', input: { prompt: 'look', subagent_type: 'explore', ...input } }
  const h = harness({
    tools,
    layers,
    ...more,
    script: { main: [{ text: 'I ask.', toolCalls: [call] }, { text: 'end' }], ...more.script },
  })
  const result = await h.run('go')
  const requests = h.scripted.requests.filter(({ depth }) => depth === 1)
  const answer = shownPrompt(h.scripted.requests.findLast(({ depth }) => depth === 0)!.options.prompt).at(-1)!
  const prompt = requests[0] ? shownPrompt(requests[0].options.prompt) : []
  const offered = requests[0]?.options.tools?.map(({ name }) => name)
  const calls = result.subagents.flatMap(({ id }) => h.store.find('tool_calls', { where: { runId: id } }))
  return { h, result, prompt, offered, answer, calls }
}
const explore = [{ text: 'report' }]

describe('a spawn', () => {
  test('with history fork sees what its parent saw, and that the call has no answer there', async () => {
    const { prompt, h } = await spawned({ history: 'fork' }, { script: { explore } })
    expect(prompt).toEqual([
      expect.stringMatching(/^system You are explore\./),
      'user text(go)',
      'assistant text(I ask.) call(task)',
      'tool result(task: not run on this branch)',
      'user text(look)',
    ])
    expect(h.store.find('branches', { where: { kind: 'subagent' } })).toMatchObject([
      { inheritContext: true },
    ])
  })

  test('gets its context after the task', async () => {
    const { prompt } = await spawned({ context: ' known: x ' }, { script: { explore } })
    expect(prompt.at(-1)).toBe('user text(look\n\nContext:\nknown: x)')
  })

  test('has the model and the time that the call asks for', async () => {
    const { result } = await spawned({ model: 'other/one', timeout_ms: 500 }, { script: { explore } })
    expect(result.subagents).toMatchObject([{ model: 'other/one', limits: { timeoutMs: 500 } }])
  })

  test('never has more time than its parent', async () => {
    const { answer, result } = await spawned({ timeout_ms: 500 }, { config: { limits: { timeoutMs: 400 } } })
    expect(answer).toContain('timeout_ms 500 is more than the 400 that the run has left itself')
    expect(result.subagents).toEqual([])
  })

  test.each<[object, string[]]>([
    [{}, ['read', 'write', 'bash']],
    [{ allowed_tools: ['Read', 'Bash(git *)'] }, ['read', 'bash']],
    [{ allowed_tools: ['files'] }, ['read', 'write']],
    [{ allowed_tools: ['*'], disallowed_tools: ['shell'] }, ['read', 'write']],
    [{ disallowed_tools: ['Write', 'Bash(rm *)'] }, ['read', 'bash']],
    [{ permissions: [{ tool: 'files', action: 'deny' }], allowed_tools: ['read', 'bash'] }, ['bash']],
  ])('restricted by %j is offered %j', async (input, names) => {
    const { offered, h } = await spawned(input, { script: { explore } })
    expect(offered).toEqual(names)
    const [branch] = h.store.find('branches', { where: { kind: 'subagent' } })
    expect(h.store.count('rules', { branchId: branch!.id, kind: 'restriction' }) > 0).toBe(names.length < 3)
  })

  test('cannot call what it may not use', async () => {
    const write = { toolCalls: [{ tool: 'write', input: {} }] }
    const { calls } = await spawned(
      { permissions: [{ tool: 'write', pattern: '*', action: 'deny' }] },
      { script: { explore: [write, ...explore] } },
    )
    expect(calls).toMatchObject([{ tool: 'write', status: 'denied' }])
    expect(calls[0]!.error!.message).toContain('restrictions of this spawn')
  })

  test('is not given more by an allow', async () => {
    const write = { toolCalls: [{ tool: 'write', input: {} }] }
    const { calls } = await spawned(
      { permissions: [{ tool: 'write', action: 'allow' }], allowed_tools: ['write'] },
      {
        layers: [{ name: 'test', rules: [{ tool: 'write', action: 'deny' }] }],
        script: { explore: [write, ...explore] },
      },
    )
    expect(calls).toMatchObject([{ tool: 'write', status: 'denied' }])
  })

  test('that names a tool that there is not is refused with those that there are', async () => {
    const { answer, result } = await spawned({ disallowed_tools: ['bsh'] })
    expect(answer).toContain('there is no tool "bsh"; did you mean "bash"?')
    expect(result.subagents).toEqual([])
  })
})
