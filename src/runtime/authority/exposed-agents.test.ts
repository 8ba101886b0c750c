import { expect, test } from 'vitest'
import { agent, tool } from '../../../test/support/runtime-harness.ts'
import { createAgentRegistry } from '../../agents/registry.ts'
import { createRegistry } from '../../tools/registry.ts'
import { exposedAgents } from './exposed-agents.ts'

const exposed = (name: string, toolName: string, more = {}) =>
  agent(name, { inputSchema: { type: 'object' }, exposeAsTool: { name: toolName }, ...more })
const notesOf = (...agents: ReturnType<typeof agent>[]) => {
  const { tools, notes } = exposedAgents(
    createAgentRegistry(agents),
    createRegistry([tool('read', { aliases: ['open_file'] })]),
  )
  return { tools: [...tools].map(([name, { name: target }]) => [name, target]), notes }
}

test('each agent with input has the tool that it asks for', () => {
  expect(notesOf(exposed('a', 'find'), agent('b'), exposed('c', 'look'))).toEqual({
    tools: [
      ['find', 'a'],
      ['look', 'c'],
    ],
    notes: [],
  })
})

test.each([
  'read',
  'open_file',
  'Read',
  'task',
  'subagent',
  'task_status',
  'agents',
  'list_subagents',
  'use_tool',
  'web_search',
])('a tool that is named %s is not an agent', (name) => {
  expect(notesOf(exposed('a', name))).toEqual({
    tools: [],
    notes: [`test: the agent a is not offered as the tool ${name}: another tool has that name`],
  })
})

test('of two agents with one name the first counts, whatever its spelling', () => {
  expect(notesOf(exposed('a', 'code_search'), exposed('b', 'codesearch'))).toEqual({
    tools: [['code_search', 'a']],
    notes: ['test: the agent b is not offered as the tool codesearch: the agent a (test) is'],
  })
})

test('without input there is no tool, and main is never one', () => {
  expect(notesOf(agent('a', { exposeAsTool: { name: 'find' } }), exposed('main', 'boss'))).toEqual({
    tools: [],
    notes: ['test: the agent a is not offered as the tool find: it has no inputSchema'],
  })
})
