import { describe, expect, it, test } from 'vitest'
import { sentRequests } from '../../test/support/sent-request.ts'
import type { HttpProvider } from '../../test/support/model-server.ts'
import type { ModelRequest } from './port.ts'

const HAIKU = 'anthropic/claude-haiku-4-5'

async function sent(provider: HttpProvider, request: Partial<ModelRequest>, id?: string) {
  const [body] = await sentRequests(provider, request, { id })
  return body!
}

describe('settings in the words of each protocol', () => {
  const settings = { topP: 0.5, maxOutputTokens: 900, stopSequences: ['END'] } as const

  it('Anthropic', async () => {
    const providerOptions = { anthropic: { disableParallelToolUse: true } }
    const tools = [{ name: 'read', description: 'reads', inputSchema: { type: 'object' } }]
    expect(await sent('anthropic', { ...settings, providerOptions, tools }, HAIKU)).toMatchObject({
      top_p: 0.5,
      max_tokens: 900,
      stop_sequences: ['END'],
      tool_choice: { disable_parallel_tool_use: true },
    })
  })

  it('OpenAI', async () => {
    const providerOptions = { openai: { textVerbosity: 'low' } }
    expect(await sent('openai', { ...settings, providerOptions }, 'openai/gpt-4.1')).toMatchObject({
      top_p: 0.5,
      max_output_tokens: 900,
      store: false,
      text: { verbosity: 'low' },
    })
  })

  it('Chat Completions', async () => {
    const providerOptions = { 'openai-compatible': { seed: 7, top_k: 20 } }
    expect(await sent('openai-compatible', { ...settings, providerOptions })).toMatchObject({
      top_p: 0.5,
      max_tokens: 900,
      stop: ['END'],
      seed: 7,
      top_k: 20,
    })
  })

  it('Gemini', async () => {
    const providerOptions = { google: { thinkingConfig: { thinkingBudget: 100 } } }
    expect(await sent('google', { ...settings, providerOptions })).toMatchObject({
      generationConfig: {
        topP: 0.5,
        maxOutputTokens: 900,
        stopSequences: ['END'],
        thinkingConfig: { thinkingBudget: 100 },
      },
    })
  })
})

test('a server that takes no topP is asked without; one that takes no stop sequences says so', async () => {
  const bodies = await sentRequests('openai-compatible', { topP: 0.5 }, { says: 'top_p is not supported' })
  expect(bodies.map((body) => 'top_p' in body)).toEqual([true, false])
  const stop = { stopSequences: ['END'] }
  expect(await sentRequests('openai-compatible', stop, { says: 'stop is not supported' })).toHaveLength(1)
})

describe('the longest answer holds the thinking of Claude', () => {
  const enabled = (budgetTokens: number) => ({ anthropic: { thinking: { type: 'enabled', budgetTokens } } })

  it.each(['low', 'high', 'max'] as const)('by effort %s', async (effort) => {
    const body = await sent('anthropic', { effort, maxOutputTokens: 8_000 }, HAIKU)
    const { budget_tokens: thinks } = body['thinking'] as { readonly budget_tokens: number }
    expect(body['max_tokens']).toBe(8_000)
    expect(thinks).toBeGreaterThanOrEqual(1_024)
    expect(thinks).toBeLessThan(8_000)
  })

  it.each([HAIKU, 'anthropic/claude-opus-5'])('by a budget of its own, %s', async (id) => {
    const request = { maxOutputTokens: 8_000, providerOptions: enabled(5_000) }
    expect(await sent('anthropic', request, id)).toMatchObject({
      max_tokens: 8_000,
      thinking: { type: 'enabled', budget_tokens: 5_000 },
    })
    const larger = await sent('anthropic', { ...request, providerOptions: enabled(50_000) }, id)
    expect(larger).toMatchObject({ max_tokens: 8_000, thinking: { budget_tokens: 7_744 } })
  })

  it('and there is none where nothing would be left for an answer', async () => {
    for (const how of [{ effort: 'high' }, { providerOptions: enabled(2_000) }] as const) {
      const body = await sent('anthropic', { ...how, maxOutputTokens: 1_000 }, HAIKU)
      expect(body['max_tokens']).toBe(1_000)
      expect(body['thinking']).not.toMatchObject({ type: 'enabled' })
    }
  })

  it('also where nobody says how long an answer may be', async () => {
    const body = await sent('anthropic', { effort: 'max' }, HAIKU)
    expect(body['max_tokens']).toBeLessThanOrEqual(64_000)
  })
})
