import { settingNames, type ModelSettings, type SettingName } from './model-settings.ts'

export interface IdleSetting {
  readonly name: SettingName
  readonly why: string
}

/** The first of the settings that would do nothing for a model, as far as that is known. */
export function idleSetting(settings: ModelSettings, model: string): IdleSetting | undefined {
  for (const name of settingNames) {
    const why = settings[name] === undefined ? undefined : whyIdle(name, settings, model)
    if (why) return { name, why: `${name} does nothing for ${model}: ${why}` }
  }
  return undefined
}

/** The same for an agent that names its model. */
export function idleOfAgent(agent: ModelSettings & { readonly model?: string }): IdleSetting | undefined {
  return agent.model?.includes('/') ? idleSetting(agent, agent.model) : undefined
}

/** Models whose provider packages drop sampling settings: Claude from 4.7 on, and OpenAI's reasoning models. */
const UNSAMPLED_CLAUDE = /claude-(opus-4-[78]|(opus|sonnet|haiku|fable)-[5-9])/
const ADAPTIVE_CLAUDE = /claude-((opus|sonnet|haiku)-5-5|fable-)/
const UNSAMPLED_OPENAI = /^(o\d|gpt-[5-9](?!.*chat))/

function whyIdle(name: SettingName, settings: ModelSettings, model: string): string | undefined {
  const provider = model.split(/[/:]/, 1)[0]!
  const own = model.slice(provider.length + 1)
  if (provider === 'offline' || provider === 'scripted') return 'it is not a language model'
  switch (name) {
    case 'temperature':
    case 'topP':
      if (provider === 'anthropic' && UNSAMPLED_CLAUDE.test(own))
        return 'it takes neither temperature nor topP'
      if (provider === 'openai' && UNSAMPLED_OPENAI.test(own)) return 'it takes neither temperature nor topP'
      if (name === 'topP' && provider === 'anthropic' && settings.temperature !== undefined)
        return 'it takes temperature or topP, and temperature is set'
      return undefined
    case 'stopSequences':
      return provider === 'openai' ? 'the OpenAI Responses API does not support it' : undefined
    case 'promptCache':
      return /claude/i.test(model) || provider === 'anthropic' ? undefined : 'only Claude models have it'
    case 'providerOptions': {
      const other = Object.keys(settings.providerOptions ?? {}).find((each) => each !== provider)
      if (other) return `it is not a model of ${other}`
      return ADAPTIVE_CLAUDE.test(own) && hasThinkingBudget(settings)
        ? 'it accepts only {"type": "adaptive"}; set effort instead'
        : undefined
    }
    case 'maxOutputTokens':
      return undefined
  }
}

function hasThinkingBudget({ providerOptions }: ModelSettings): boolean {
  const thinking = providerOptions?.['anthropic']?.['thinking'] as { readonly type?: string } | undefined
  return thinking?.type === 'enabled'
}
