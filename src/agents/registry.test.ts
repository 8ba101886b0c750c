import { expect, test } from 'vitest'
import type { AgentDefinition } from '../core/agent.ts'
import { createAgentRegistry } from './registry.ts'

const agent = (name: string, source = 'built-in'): AgentDefinition => ({
  name,
  description: 'd',
  prompt: 'p',
  source,
})
const registry = createAgentRegistry([
  agent('explore', 'project'),
  agent('general'),
  agent('explore'),
  agent('main'),
])

test('knows each agent by its name; of two the first counts', () => {
  expect(registry.names()).toEqual(['explore', 'general', 'main'])
  expect(registry.list().map(({ source }) => source)).toEqual(['project', 'built-in', 'built-in'])
  expect(registry.get('explore')).toBe(registry.list()[0])
  expect(registry.require('main').name).toBe('main')
})

test.each(['constructor', '__proto__', 'Explore', '', 'toString'])('%j is nobody', (name) => {
  expect(registry.get(name)).toBeUndefined()
})

test.each([
  ['explorr', 'did you mean explore?'],
  ['exlpore', 'did you mean explore?'],
  ['genral', 'did you mean general?'],
  ['mian', 'did you mean main?'],
])('%s: %s', (name, hint) => {
  expect(() => registry.require(name)).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: `unknown agent "${name}"; known: explore, general, main`,
      hint,
    }),
  )
})

test.each(['quantum', '', 'x'.repeat(100_000)])('nothing is suggested for %.10j', (name) => {
  expect(() => registry.require(name)).toThrow(expect.objectContaining({ hint: undefined }))
})

test('an unknown name is shown on one line, and not in full when it is long', () => {
  expect(() => registry.require(`a\n${'b'.repeat(1000)}`)).toThrow(
    `unknown agent "a\\n${'b'.repeat(62)}"; known: explore, general, main`,
  )
})
