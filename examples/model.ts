import { scriptedModel } from 'offshoot/testing'

type Script = Parameters<typeof scriptedModel>[0]['agents']

/**
 * The model of the environment where there is a key, else one that plays its part from a script, so that an example runs
 * anywhere. A program of yours needs none of this: it names its `model`, or sets the key of a provider.
 */
export function modelOr(agents: Script) {
  const hasKey = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'].some((name) => process.env[name])
  return hasKey ? {} : { model: scriptedModel({ agents }) }
}
