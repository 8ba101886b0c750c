import { describe, expect, test } from 'vitest'
import { cutStore } from '../../../test/support/cut-store.ts'
import {
  agent,
  handClock,
  harness,
  tool,
  type Harness,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import type { Layer } from '../../permissions/types.ts'
import { listRuns } from '../views/list-runs.ts'

const file = (name: string) =>
  tool(name, {
    effects: name === 'read' ? 'none' : 'write',
    title: ({ path }) => `${name} ${path as string}`,
    subject: ({ path }) => [{ kind: 'path', value: path as string }],
  })
const tools = ['read', 'edit', 'write'].map(file)
const call = (name: string, path: string) => ({ tool: name, input: { path } })
const task = (subagent_type: string) => ({ tool: 'task', input: { prompt: 'go', subagent_type } })
const free: Layer = { name: 'user config', rules: [{ tool: '*', action: 'allow' }] }
const end = { text: 'end' }

const IMPLEMENTER = agent('implementer', { spawns: ['helper'] })
const HELPER = agent('helper')
const MAIN = agent('main')
const denying = agent('planner', {
  spawns: ['implementer'],
  permissions: [
    { tool: '*', action: 'deny' },
    { tool: 'read', action: 'allow' },
    { tool: 'agents', action: 'allow' },
  ],
})
/** It goes without by its list alone: no rule of it denies anything. */
const lacking = agent('planner', { spawns: ['implementer'], tools: ['read'] })

const delegations = [{ agent: 'implementer', for: 'planner', tool: 'edit', pattern: 'src/**' }]

const CALLS = [call('edit', 'src/a'), call('edit', 'test/a'), call('write', 'src/a'), call('read', 'src/a')]
const script = {
  main: [{ toolCalls: [task('planner')] }, end],
  planner: [{ toolCalls: [task('implementer')] }, end],
  implementer: [{ toolCalls: CALLS }, end],
  helper: [{ toolCalls: CALLS }, end],
}

function stage(planner: typeof denying, more: HarnessOptions = {}): Harness {
  const agents = [MAIN, planner, IMPLEMENTER, HELPER]
  const config = { limits: { maxDepth: 3 }, delegations }
  return harness({ tools, script, agents, config, layers: [free], ...more })
}

/** What became of each call of an agent. */
function done(h: Harness, name: string): string[] {
  const ids = h.store.find('runs', { where: { agent: name } }).map(({ id }) => id)
  const calls = ids.flatMap((runId) => h.store.find('tool_calls', { where: { runId }, orderBy: 'id' }))
  return calls.map(({ title, tool: name, status, error }) => `${title || name}: ${error?.code ?? status}`)
}

describe.each([
  ['whose rules deny', denying],
  ['whose list lacks the tool', lacking],
])('for an agent %s', (_, planner) => {
  const rest = planner === denying ? 'denied' : 'unknown_tool'
  const title = (name: string) => (planner === denying ? `${name} src/a` : name)

  test('lifts what it names, and nothing else', async () => {
    const h = stage(planner)
    await h.run('go')
    expect(done(h, 'implementer')).toEqual([
      'edit src/a: completed',
      'edit test/a: denied',
      `${title('write')}: ${rest}`,
      'read src/a: completed',
    ])
  })

  test('is not handed down', async () => {
    const implementer = [{ toolCalls: [task('helper'), call('edit', 'src/b')] }, end]
    const h = stage(planner, { script: { ...script, implementer } })
    await h.run('go')
    expect(done(h, 'helper')).toEqual([
      'edit src/a: denied',
      'edit test/a: denied',
      `${title('write')}: ${rest}`,
      'read src/a: completed',
    ])
    expect(done(h, 'implementer')).toEqual(['helper: go: completed', 'edit src/b: completed'])
  })

  test('is for that parent alone, and without it everything is as strict as ever', async () => {
    for (const config of [
      { limits: { maxDepth: 3 } },
      { limits: { maxDepth: 3 }, delegations: [{ ...delegations[0]!, for: 'main' }] },
      { limits: { maxDepth: 3 }, delegations: [{ ...delegations[0]!, agent: 'helper' }] },
    ]) {
      const h = stage(planner, { config })
      await h.run('go')
      expect(done(h, 'implementer')[0]).toMatch(/^edit( src\/a)?: (denied|unknown_tool)$/)
      expect(done(h, 'implementer')[0]).not.toContain('completed')
    }
  })

  test('gives nothing over the root level', async () => {
    const layers: Layer[] = [{ name: 'mode plan', rules: [], byEffect: { write: 'deny' } }]
    const h = stage(planner, { layers })
    await h.run('go')
    expect(done(h, 'implementer')[0]).toBe('edit src/a: denied')
    const asking = stage(planner, { layers: [] })
    await asking.run('go')
    expect(done(asking, 'implementer')[0]).toBe('edit src/a: unattended')
  })

  test('nor over what a spawn restricts', async () => {
    const restricted = {
      ...task('implementer'),
      input: { prompt: 'go', subagent_type: 'implementer', disallowed_tools: ['write'] },
    }
    const own = {
      ...restricted,
      input: { ...restricted.input, permissions: [{ tool: 'edit', action: 'deny' }] },
    }
    const h = stage(planner, { script: { ...script, planner: [{ toolCalls: [own] }, end] } })
    await h.run('go')
    expect(done(h, 'implementer')[0]).not.toContain('completed')
    const above = {
      tool: 'task',
      input: { prompt: 'go', subagent_type: 'planner', permissions: [{ tool: 'edit', action: 'deny' }] },
    }
    const other = stage(planner, { script: { ...script, main: [{ toolCalls: [above] }, end] } })
    await other.run('go')
    expect(done(other, 'implementer')[0]).not.toContain('completed')
  })
})

test('it is written with the branch, listed with the run, and holds in another process as long as it is configured', async () => {
  const store = cutStore()
  await stage(denying, { store }).run('go')
  const [branch] = store.find('branches', { where: { agent: 'implementer' } })
  expect(store.find('rules', { where: { kind: 'delegation' } })).toMatchObject([
    { branchId: branch!.id, tool: 'edit', pattern: 'src/**', action: 'allow' },
  ])
  const listed = listRuns(store, { all: true }).map(({ agent: name, delegations: own }) => [name, own])
  expect(Object.fromEntries(listed)).toEqual({
    main: [],
    planner: [],
    implementer: [{ tool: 'edit', pattern: 'src/**' }],
  })

  const goOn = async (config: object) => {
    const h = stage(denying, { store, clock: handClock((later += 1_000_000)), config, script: { ...script } })
    const { started } = await h.continue(branch!.id)
    await h.clock.until(started!.result)
    return done(h, 'implementer').at(-4)
  }
  let later = 0
  const limits = { limits: { maxDepth: 3 } }
  expect(await goOn({ ...limits, delegations })).toBe('edit src/a: completed')
  expect(await goOn(limits)).toBe('edit src/a: denied')
})

test('one that is configured later is for those that are started later', async () => {
  const store = cutStore()
  const limits = { limits: { maxDepth: 3 } }
  await stage(denying, { store, config: limits }).run('go')
  const [branch] = store.find('branches', { where: { agent: 'implementer' } })
  const h = stage(denying, { store, clock: handClock(1_000_000) })
  const { started } = await h.continue(branch!.id)
  await h.clock.until(started!.result)
  expect(done(h, 'implementer').at(-4)).toBe('edit src/a: denied')
})

test('what an agent further above goes without stays so', async () => {
  const main = agent('main', { tools: ['read', 'task'] })
  const h = stage(lacking, { agents: [main, lacking, IMPLEMENTER, HELPER] })
  await h.run('go', { agent: main })
  expect(done(h, 'implementer')[0]).toBe('edit: unknown_tool')
})

test('an agent that a person starts is below main', async () => {
  const main = agent('main', { permissions: [{ tool: 'edit', action: 'deny' }] })
  const agents = [main, IMPLEMENTER, agent('explore')]
  for (const [given, expected] of [
    [[{ agent: 'implementer', for: 'main', tool: 'edit' }], 'completed'],
    [delegations, 'denied'],
  ] as const) {
    const h = stage(denying, {
      agents,
      config: { delegations: given },
      script: { implementer: [{ toolCalls: CALLS }, end] },
    })
    await h.clock.until((await h.spawn('go', { agent: IMPLEMENTER })).result)
    expect(done(h, 'implementer')[0]).toBe(`edit src/a: ${expected}`)
  }
})
