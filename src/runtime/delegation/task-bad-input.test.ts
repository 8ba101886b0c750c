import { describe, expect, test } from 'vitest'
import type { Part } from '../../../test/support/actor.ts'
import { expectOrder, foreground, slow, spawn, stage, use } from '../../../test/support/stage.ts'
import { stores } from '../../../test/support/runtime-harness.ts'
import { taskInputAliases } from '../task/task-input.ts'

type Call = readonly [tool: string, input: object]

const NO_TEXT = [{}, [], { text: 'x' }]
const NO_LIST = [{}, 7, true, [{}], [['x']], ['']]
const NO_COUNT = [0, -1, 1.5, 'many', {}, [1], true]
const NO_YES = ['later', 2, {}, []]

/** Values that each input of `task` refuses. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  prompt: [...NO_TEXT, '', ' '],
  description: [...NO_TEXT, ''],
  subagent_type: [...NO_TEXT, ''],
  persona: [...NO_TEXT, ''],
  run_in_background: NO_YES,
  continue: [...NO_TEXT, ''],
  history: ['some', 1, {}, [], true],
  inheritContext: NO_YES,
  fork_context: NO_YES,
  context: NO_TEXT,
  extra_context: NO_TEXT,
  context_files: NO_LIST,
  tools: [7, true, 'read', ['read'], { files: 7 }, { files: [{}] }, { files: [''] }],
  allowed_tools: [...NO_LIST, []],
  disallowed_tools: NO_LIST,
  permissions: [7, 'allow', {}, ['bash'], [{}], [{ tool: 'bash' }], [{ tool: 7, action: 'deny' }]],
  model: [...NO_TEXT, ''],
  provider: [...NO_TEXT, '', 'alone'],
  effort: ['hard', 3, {}, []],
  max_turns: NO_COUNT,
  max_tokens: NO_COUNT,
  max_cost_usd: [0, -1, 'much', {}, [1], true],
  timeout_ms: NO_COUNT,
  isolation: ['worktree', 'container', true, {}, []],
  worktree: [true, 'yes', {}],
  directory: [...NO_TEXT, ''],
  backend: ['claude', 'codex', 7, {}],
  output_schema: [7, true, [], 'text', { type: 'banana' }, { $ref: '#/nowhere' }, { properties: 7 }],
}
const SPELLINGS = { ...WRONG, ...aliased() }

function aliased() {
  return Object.fromEntries(Object.entries(taskInputAliases).map(([alias, name]) => [alias, WRONG[name]!]))
}

const bad = Object.entries(SPELLINGS).flatMap(([field, values]) =>
  values.map((value) => ({ field, name: taskInputAliases[field] ?? field, value })),
)

describe('an input of `task`', () => {
  test.each(Object.keys(SPELLINGS))(
    '%s of a wrong type is refused by its name, and starts nothing',
    async (field) => {
      const wrong = bad.filter((each) => each.field === field)
      const calls = wrong.map(({ name, value }): Call => {
        return ['task', { prompt: 'x', subagent_type: 'a', [name]: undefined, [field]: value }]
      })
      const h = stage({ main: [{ calls }], a: [] })
      const result = await h.run('go')
      const errors = h.store.find('tool_calls', { orderBy: 'id' }).map(({ error }) => error)
      expect(errors).toHaveLength(wrong.length)
      for (const [at, error] of errors.entries()) {
        expect(error, JSON.stringify(wrong[at])).toMatchObject({ code: 'invalid_input' })
        expect(error!.message).toContain(`wrong input for task: ${wrong[at]!.name}`)
      }
      expect(result).toMatchObject({ status: 'completed', subagents: [] })
      expectOrder(h, result)
    },
  )

  test.each(stores)('`continue` reaches what is below, and nothing else (%s store)', async (_, open) => {
    const store = await open()
    const other = stage({ main: [{ calls: [foreground('a')] }], a: [] }, { store })
    const elsewhere = (await other.run('go')).subagents[0]!
    const idOf = (name: string) =>
      store
        .find('branches', { orderBy: 'id' })
        .findLast(
          ({ agent, conversationId }) => agent === name && conversationId !== elsewhere.conversationId,
        )!.id
    const goesOn = (id: string): Call => ['task', { prompt: 'x', continue: id }]
    const general: Part = () => ({
      calls: [
        elsewhere.branchId,
        elsewhere.id,
        idOf('main'),
        idOf('general'),
        idOf('a'),
        'cnv_x',
        'nonsense',
      ].map(goesOn),
    })
    const main: Part[] = [
      { calls: [spawn('a'), foreground('general')] },
      () => ({ calls: [idOf('main'), elsewhere.conversationId].map(goesOn) }),
    ]
    const config = { limits: { maxDepth: 2 } }
    const h = stage({ main, general: [general], a: [slow('r')] }, { store, config })
    const { conversationId, subagents, status } = await h.run('go')
    const refused = store.find('tool_calls', { where: { conversationId, status: 'failed' }, orderBy: 'id' })
    expect(
      refused.map(({ error }) => `${error!.code}: ${error!.message.replace(/^(?:brn|run)_\w+ /, '')}`),
    ).toEqual([
      'refused: belongs to another conversation',
      'refused: belongs to another conversation',
      'refused: is the main agent, not a subagent',
      'refused: is yourself',
      'refused: was not started by you or by a subagent of yours',
      'not_found: there is no subagent cnv_x',
      'not_found: there is no subagent nonsense',
      'refused: is yourself',
      `not_found: there is no subagent ${elsewhere.conversationId}`,
    ])
    expect(status).toBe('completed')
    expect(subagents).toHaveLength(2)
    expect(store.count('runs', { conversationId: elsewhere.conversationId })).toBe(2)
    await store.close()
  })
})

describe('an input of the tools that go with it', () => {
  test.each<[string, object, string]>([
    ['task_status', { wait_ms: 'soon' }, 'wait_ms'],
    ['task_status', { wait_ms: -1 }, 'wait_ms'],
    ['task_status', { wait_ms: {} }, 'wait_ms'],
    ['task_status', { task_id: {} }, 'task_id'],
    ['task_status', { task_id: ['x'] }, 'task_id'],
    ['task_output', { offset: -1 }, 'offset'],
    ['task_output', { offset: 0.5 }, 'offset'],
    ['task_output', { offset: 'end' }, 'offset'],
    ['task_output', { limit: 0 }, 'limit'],
    ['task_output', { limit: [] }, 'limit'],
    ['task_output', { subagentId: {} }, 'task_id'],
    ['task_message', {}, 'message'],
    ['task_message', { message: '' }, 'message'],
    ['task_message', { message: ' ' }, 'message'],
    ['task_message', { message: { text: 'x' } }, 'message'],
    ['task_message', { message: 'x', mode: 'later' }, 'mode'],
    ['task_message', { message: 'x', mode: {} }, 'mode'],
    ['task_message', { message: 'x', id: 7, branchId: 'brn_x' }, '"task_id" and'],
    ['task_cancel', { force: true }, 'force'],
    ['task_cancel', { branchId: {} }, 'task_id'],
    ['task_cancel', { id: 'brn_x', subagentId: 'brn_y' }, '"task_id" and'],
  ])('%s %j is refused by name, and the run goes on', async (tool, input, name) => {
    const main: Part[] = [
      { calls: [spawn('a')] },
      ({ ids }) => ({
        calls: [[tool, 'task_id' in input || /id/i.test(name) ? input : { task_id: ids[0], ...input }]],
      }),
    ]
    const h = stage({ main, a: [{ calls: [use('read')] }, slow('r')] })
    const result = await h.run('go')
    const [failed, ...more] = h.store.find('tool_calls', { where: { status: 'failed' } })
    expect(failed).toMatchObject({ tool, error: { code: 'invalid_input' } })
    expect(failed!.error!.message).toContain(`wrong input for ${tool}: `)
    expect(failed!.error!.message).toContain(name)
    expect(more).toEqual([])
    expect(result.subagents).toMatchObject([{ status: 'completed' }])
    expectOrder(h, result)
  })
})
