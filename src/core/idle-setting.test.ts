import { expect, it } from 'vitest'
import { idleOfAgent, idleSetting } from './idle-setting.ts'

const budget = { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } } }

it.each([
  ['offline', { topP: 1 }, 'topP has no effect with offline: it is not a language model'],
  ['scripted:a.json', { maxOutputTokens: 1 }, 'maxOutputTokens has no effect with scripted:a.json'],
  ['anthropic/claude-sonnet-5', { temperature: 0 }, 'accepts neither temperature nor topP'],
  ['openai/gpt-6-sol', { topP: 0.5 }, 'accepts neither temperature nor topP'],
  ['openai/gpt-6-sol', { stopSequences: ['x'] }, 'stopSequences has no effect with openai/gpt-6-sol'],
  ['anthropic/claude-haiku-4-5', { temperature: 1, topP: 1 }, 'topP has no effect'],
  ['google/gemini-3.8-flash', { promptCache: '1h' }, 'only Claude has a cache time'],
  ['openai/gpt-6-sol', { providerOptions: budget }, 'not of the provider anthropic'],
  ['anthropic/claude-haiku-5-5', { providerOptions: budget }, '{"type": "adaptive"}'],
] as const)('%s is not asked with %j', (model, settings, why) => {
  expect(idleSetting(settings, model)?.why).toContain(why)
})

it.each([
  [
    'anthropic/claude-haiku-4-5',
    { temperature: 0.5, stopSequences: ['x'], promptCache: '1h', providerOptions: budget },
  ],
  ['openai-compatible/anthropic/claude-sonnet-5', { temperature: 0.5, topP: 0.5, promptCache: '1h' }],
  ['openai/gpt-4.1', { temperature: 0.5, topP: 0.5, maxOutputTokens: 10 }],
  ['google/gemini-3.8-flash', { temperature: 0.5, topP: 0.5, stopSequences: ['x'] }],
  ['mine/model', { temperature: 0.5, topP: 0.5, stopSequences: ['x'], maxOutputTokens: 10 }],
] as const)('%s is asked with %j', (model, settings) => {
  expect(idleSetting(settings, model)).toBeUndefined()
})

it('an agent is judged by the model that it names, and by none that it inherits', () => {
  const settings = { stopSequences: ['x'] }
  expect(idleOfAgent({ ...settings, model: 'openai/gpt-6-sol' })?.name).toBe('stopSequences')
  for (const model of ['inherit', 'small']) expect(idleOfAgent({ ...settings, model })).toBeUndefined()
  expect(idleOfAgent(settings)).toBeUndefined()
})
