import { expect, test } from 'vitest'
import { agentSpelled } from './agent-aliases.ts'
import { builtinAgents } from './builtin-agents.ts'
import { createAgentRegistry } from './registry.ts'

test.each([
  ['Explore', 'explore'],
  ['explorer', 'explore'],
  ['codebase_investigator', 'explore'],
  ['Plan', 'planner'],
  ['general-purpose', 'general'],
  ['generalPurpose', 'general'],
  ['worker', 'general'],
  ['code-reviewer', 'reviewer'],
  ['research', 'researcher'],
  ['build', 'main'],
  ['explore', 'explore'],
])('%s is %s', (name, ours) => {
  expect(agentSpelled(name, builtinAgents())?.name).toBe(ours)
  expect(createAgentRegistry(builtinAgents()).require(name).name).toBe(ours)
})

test('an agent of exactly that name counts first, and one that is not there is none', () => {
  const own = { name: 'Plan' }
  expect(agentSpelled('Plan', [...builtinAgents(), own])).toBe(own)
  expect(agentSpelled('Plan', [own, { name: 'general' }])).toBe(own)
  expect(agentSpelled('Explore', [{ name: 'general' }])).toBeUndefined()
  expect(agentSpelled('constructor', builtinAgents())).toBeUndefined()
})

test('what is stored is looked up by its exact name: an agent that is gone is no other one', () => {
  expect(createAgentRegistry(builtinAgents()).get('Plan')).toBeUndefined()
})
