import { describe, expect, it, test } from 'vitest'
import { mergeSettings } from './model-settings.ts'
import { providerOptionsProblem } from './provider-options.ts'

describe('options of a provider', () => {
  it.each([
    { anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 }, disableParallelToolUse: true } },
    { openai: { textVerbosity: 'low' }, google: { thinkingConfig: { thinkingBudget: 0 } } },
    { 'openai-compatible': { seed: 1, top_k: 40 }, ollama: { seed: 1 } },
  ])('that are listed may be set: %j', (options) => {
    expect(providerOptionsProblem(options)).toBeUndefined()
  })

  it.each([
    [{ anthropic: { speed: 'fast' } }, 'anthropic.speed is not a known option; anthropic accepts thinking, '],
    [{ openai: { serviceTier: 'priority' } }, 'openai.serviceTier is not a known option'],
    [{ openai: { store: true } }, 'openai.store is not a known option'],
    [{ 'openai-compatible': { model: 'dearer' } }, 'openai-compatible.model is not a known option'],
    [{ 'openai-compatible': { messages: [] } }, 'openai-compatible.messages is not a known option'],
    [{ anthropic: JSON.parse('{"__proto__": {}}') as unknown }, 'anthropic.__proto__ is not a known option'],
    [{ anthropc: {} }, 'no options are known for the provider "anthropc"; did you mean anthropic?'],
    [
      { constructor: {} },
      'no options are known for the provider "constructor"; known providers: anthropic, ',
    ],
    [{ anthropic: { thinking: { type: 'enabled' } } }, 'anthropic.thinking.budgetTokens: '],
    [{ anthropic: { thinking: { type: 'adaptive', more: 1 } } }, 'anthropic.thinking: '],
    [{ anthropic: [] }, 'anthropic: expected an object'],
    ['anthropic', 'expected options keyed by provider'],
  ])('anything else is refused by its name: %j', (options, problem) => {
    expect(providerOptionsProblem(options)).toMatch(problem)
  })
})

test('settings that come later stand before earlier ones, options of a provider one by one', () => {
  const first = {
    temperature: 1,
    topP: 0.5,
    providerOptions: { openai: { textVerbosity: 'low', parallelToolCalls: true } },
  }
  const second = {
    temperature: 0,
    providerOptions: { openai: { textVerbosity: 'high' }, ollama: { seed: 1 } },
  }
  expect(mergeSettings(first, second)).toEqual({
    temperature: 0,
    topP: 0.5,
    providerOptions: { openai: { textVerbosity: 'high', parallelToolCalls: true }, ollama: { seed: 1 } },
  })
  expect(mergeSettings({}, {})).toEqual({})
})
