import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { builtinAgents } from './builtin-agents.ts'
import { createAgentRegistry } from './registry.ts'
import { typedProblem } from './typed-problem.ts'

const deny = ['write', 'edit', 'shell'].map((tool) => ({ tool, action: 'deny' }))
const READ = ['read', 'list', 'glob', 'grep']
/** What each built-in agent has. undefined: all tools, the model of the parent, no rules of its own. */
const table = [
  {
    name: 'main',
    tools: undefined,
    model: undefined,
    permissions: undefined,
    asTool: undefined,
  },
  {
    name: 'general',
    tools: undefined,
    maxTurns: 20,
    model: 'inherit',
    permissions: undefined,
    asTool: undefined,
  },
  {
    name: 'explore',
    tools: READ,
    maxTurns: 15,
    model: 'small',
    permissions: deny,
    asTool: { name: 'code_search', maxTurns: 8 },
  },
  {
    name: 'planner',
    tools: [...READ, 'todo'],
    maxTurns: 10,
    model: 'inherit',
    permissions: deny,
    asTool: { name: 'planner', maxTurns: 6 },
  },
  {
    name: 'researcher',
    tools: ['webfetch', 'websearch', 'read'],
    maxTurns: 10,
    model: 'small',
    permissions: undefined,
    asTool: undefined,
  },
  {
    name: 'reviewer',
    tools: READ,
    maxTurns: 10,
    model: 'inherit',
    permissions: deny,
    asTool: { name: 'code_review', maxTurns: 6 },
  },
]
const agents = createAgentRegistry(builtinAgents())

test('there is one file for each, and each file is one', () => {
  expect(agents.names()).toEqual(table.map(({ name }) => name))
  const files = readdirSync(new URL('builtin/', import.meta.url))
  expect(files.toSorted()).toEqual(table.map(({ name }) => `${name}.md`).toSorted())
})

describe.each(table)('$name', ({ name, asTool, ...row }) => {
  const agent = agents.require(name)

  test('has the tools, turns, model and permissions of the table', () => {
    const { tools, maxTurns, model, permissions } = agent
    expect({ tools, maxTurns, model, permissions }).toEqual(row)
    expect(agent.exposeAsTool).toEqual(asTool)
  })

  test('says when to use it, and what it is to do, in few words', () => {
    expect(agent.description.length).toBeGreaterThan(20)
    expect(agent.description.length).toBeLessThan(300)
    expect(agent.prompt.length).toBeGreaterThan(200)
    expect(agent.prompt.length).toBeLessThan(1_500)
    expect(agent.title).toMatch(/^[A-Z][a-z]+$/)
    expect([...agent.icon!]).toHaveLength(1)
  })

  test('comes with the program and has no key that means nothing', () => {
    expect(agent.source).toBe('built-in')
    expect(agent.extra).toBeUndefined()
  })
})

test.each(['general', 'explore', 'planner', 'researcher', 'reviewer'])(
  '%s is told what its report holds',
  (name) => {
    expect(agents.require(name).prompt).toContain('Your report holds')
  },
)

test('typed input and body fit together', () => {
  for (const agent of agents.list()) expect(typedProblem(agent), agent.name).toBeNull()
})

test('typed input has the fields of the table', () => {
  const fields = (name: string) => agents.require(name).inputSchema
  expect(fields('explore')).toMatchObject({ properties: { query: {}, scope: {} }, required: ['query'] })
  expect(fields('planner')).toMatchObject({ properties: { task: {}, constraints: {} }, required: ['task'] })
  expect(fields('reviewer')).toMatchObject({
    properties: { target: {}, focus: { enum: ['bugs', 'style', 'performance', 'security', 'all'] } },
    required: ['target'],
  })
})
