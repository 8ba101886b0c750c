import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { personOnly } from '../person/person-only.ts'
import { setOption } from './set-option.ts'

function parsed(...values: string[]): unknown {
  const command = new Command()
    .addOption(setOption())
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  command.parse(
    values.flatMap((value) => ['--set', value]),
    { from: 'user' },
  )
  return command.opts()['set']
}

describe('--set', () => {
  it('takes settings and options of providers, each more than once', () => {
    expect(
      parsed(
        'temperature=0.2',
        'maxOutputTokens=900',
        'stopSequences=END',
        'promptCache=1h',
        'anthropic.thinking={"type":"adaptive"}',
        'providerOptions.openai.textVerbosity=low',
        'google.thinkingConfig.thinkingBudget=0',
        'temperature=0.4',
      ),
    ).toEqual({
      temperature: 0.4,
      maxOutputTokens: 900,
      stopSequences: ['END'],
      promptCache: '1h',
      providerOptions: {
        anthropic: { thinking: { type: 'adaptive' } },
        openai: { textVerbosity: 'low' },
        google: { thinkingConfig: { thinkingBudget: 0 } },
      },
    })
    expect(parsed('stopSequences=["A", "B"]')).toEqual({ stopSequences: ['A', 'B'] })
    expect(parsed('stopSequences=7')).toEqual({ stopSequences: ['7'] })
  })

  it.each([
    ['temperature', 'Expected NAME=VALUE'],
    ['=1', 'Expected NAME=VALUE'],
    ['temperatur=1', 'did you mean temperature?'],
    ['colour=1', 'it is one of temperature, '],
    ['temperature=warm', 'temperature: expected a number'],
    ['temperature=3', 'temperature: '],
    ['anthropic.speed=fast', 'providerOptions: anthropic.speed is not a known option'],
    ['anthropic=1', 'unknown setting "anthropic"'],
    ['providerOptions=1', 'providerOptions: '],
    ['__proto__.x=1', 'providerOptions: no options are known for the provider "__proto__"'],
    ['constructor.x=1', 'providerOptions: no options are known for the provider "constructor"'],
    ['prototype.x=1', 'providerOptions: no options are known for the provider "prototype"'],
    ['anthropic.__proto__.x=1', 'providerOptions: anthropic.__proto__ is not a known option'],
    ['providerOptions={"__proto__":{"x":1}}', 'no options are known for the provider "__proto__"'],
  ])('refuses %s', (value, message) => {
    expect(() => parsed(value)).toThrow(message)
  })
})

it('a process that a run has started sets nothing that costs more', () => {
  for (const settings of [{ providerOptions: {} }, { promptCache: '1h' }, { maxOutputTokens: 100 }] as const)
    expect(personOnly({ settings })).toMatch(/^the setting /)
  expect(personOnly({ settings: { promptCache: '5m' } })).toBeUndefined()
  expect(personOnly({ settings: {} })).toBeUndefined()
})
