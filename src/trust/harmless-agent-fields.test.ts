import { expect, test } from 'vitest'
import { defaultConfig } from '../config/config-schema.ts'
import type { AgentDefinition } from '../core/agent.ts'
import { fieldsThatAsk } from './harmless-agent-fields.ts'

test.each<[Partial<AgentDefinition>, readonly string[]]>([
  [{ temperature: 1, topP: 0.5, maxOutputTokens: 90_000, stopSequences: ['END'], promptCache: '5m' }, []],
  [{ promptCache: '1h' }, ['promptCache']],
  [{ providerOptions: { ollama: { seed: 1 } } }, ['providerOptions']],
  [{ providerOptions: {} }, ['providerOptions']],
])('an agent of a project with %j asks for %j', (fields, asked) => {
  const agent = { name: 'critic', description: 'judges', prompt: 'You judge.', source: 'test', ...fields }
  expect(fieldsThatAsk(agent, defaultConfig())).toEqual(asked)
})
