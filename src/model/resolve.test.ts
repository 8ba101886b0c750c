import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startRawServer } from '../../test/support/model-server.ts'
import { collect, modelRequest } from '../../test/support/model-request.ts'
import type { Clock } from '../core/clock.ts'
import { createFetch } from './fetch.ts'
import { createResolver } from './resolve.ts'
import type { ModelConfig } from './endpoints-and-keys.ts'

const clock: Clock = { now: () => 0, after: () => () => {} }

function resolver(env: Record<string, string> = {}, config?: ModelConfig) {
  return createResolver({ env, fetch: createFetch(), clock, config })
}

describe('createResolver', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'resolve-'))
    writeFileSync(join(directory, 's.json'), '{"agents":{"*":[{"text":"a"},{"text":"b"}]}}')
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  it.each(['gpt', 'nope/model', '', '/x', 'constructor/x', 'offline/x', 'Anthropic/claude'])(
    'does not know %j',
    async (id) => {
      await expect(resolver()(id)).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(JSON.stringify(id)),
      })
    },
  )

  it('lists the known providers, or names the model that was meant', async () => {
    await expect(resolver()('nope/x')).rejects.toMatchObject({
      hint: expect.stringContaining('anthropic, openai, google'),
    })
    await expect(resolver()('gpt-6-sol')).rejects.toMatchObject({ hint: 'Did you mean openai/gpt-6-sol?' })
  })

  it('completes a name without its provider from the tables, and names the form where none has it', async () => {
    const hintOf = (id: string, config?: ModelConfig) =>
      resolver(
        {},
        config,
      )(id).then(
        () => 'known',
        ({ hint }: { hint: string }) => hint,
      )
    expect(await hintOf('sonnet')).toBe(
      'Did you mean anthropic/claude-sonnet-5-5 or anthropic/claude-sonnet-5?',
    )
    expect((await hintOf('Claude')).split(' or ')).toHaveLength(5)
    expect(await hintOf('claude-sonet-5')).toBe('Did you mean anthropic/claude-sonnet-5?')
    expect(await hintOf('antropic/claude-sonnet-5')).toBe('Did you mean anthropic/claude-sonnet-5?')
    const prices = { 'ollama/our-own': { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } }
    expect(await hintOf('OUR', { prices })).toBe('Did you mean ollama/our-own?')
    expect(await hintOf('foo/bar')).toBe(
      'There is no provider "foo". Providers: anthropic, openai, google, openai-compatible, ollama.',
    )
    for (const none of ['mistral', '', '/'])
      expect(await hintOf(none)).toBe(
        'Write the provider too, as in anthropic/MODEL. Providers: anthropic, openai, google, openai-compatible, ollama.',
      )
  })

  it.each(['anthropic/', 'anthropic/a b', 'ollama/\u0007'])('refuses the malformed %j', async (id) => {
    await expect(resolver({ ANTHROPIC_API_KEY: 'k' })(id)).rejects.toMatchObject({ code: 'usage' })
  })

  it.each([
    ['anthropic/claude-sonnet-5', 'ANTHROPIC_API_KEY'],
    ['openai/gpt-6-sol', 'OPENAI_API_KEY'],
    ['google', 'GEMINI_API_KEY'],
  ])('names the missing key of %s', async (id, variable) => {
    await expect(resolver({ [variable]: '  ' })(id)).rejects.toMatchObject({
      code: 'key',
      message: expect.stringContaining(variable),
    })
  })

  it('wants a base URL for openai-compatible, and a real one everywhere', async () => {
    await expect(resolver()('openai-compatible/x')).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('OPENAI_BASE_URL'),
    })
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'not a url' }
    await expect(resolver(env)('anthropic')).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('ANTHROPIC_BASE_URL'),
    })
    const config = { baseUrls: { anthropic: 'file:///x' } }
    await expect(resolver(env, config)('anthropic')).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('base URL of anthropic'),
    })
  })

  it('knows what a model is and costs', async () => {
    const model = await resolver({ ANTHROPIC_API_KEY: 'k' })('anthropic')
    expect(model.info).toMatchObject({
      id: 'anthropic/claude-sonnet-5',
      provider: 'anthropic',
      window: 1_000_000,
      price: { input: 2 },
    })
    const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }
    const config = { prices: { 'ollama/qwen3:8b': price } }
    expect((await resolver({}, config)('ollama/qwen3:8b')).info.price).toBe(price)
  })

  it('loads the packages although a base URL in the environment is empty', async () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', '')
    vi.stubEnv('OPENAI_BASE_URL', ' ')
    const resolve = resolver({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: '', OPENAI_API_KEY: 'k' })
    await expect(resolve('anthropic')).resolves.toHaveProperty('info')
    await expect(resolve('openai')).resolves.toHaveProperty('info')
    // what the packages would trip over when they load
    expect(process.env).not.toHaveProperty('ANTHROPIC_BASE_URL')
    expect(process.env).not.toHaveProperty('OPENAI_BASE_URL')
    vi.unstubAllEnvs()
  })

  it('takes the first model of a server that is named alone', async () => {
    const { url, close } = await startRawServer((request, response) => {
      response.end(request.url === '/api/tags' ? '{"models":[{"name":"m:1"}]}' : '{"data":[{"id":"first"}]}')
    })
    const resolve = resolver({ OPENAI_BASE_URL: url, OLLAMA_HOST: url })
    expect((await resolve('openai-compatible')).info.id).toBe('openai-compatible/first')
    expect((await resolve('ollama')).info.id).toBe('ollama/m:1')
    await close()
    await expect(resolver({ OLLAMA_HOST: url })('ollama')).rejects.toMatchObject({
      code: 'config',
      hint: expect.stringContaining('ollama serve'),
    })
  })

  it('calls local models what they are, and free', async () => {
    const offline = await resolver()('offline')
    expect(offline.info).toMatchObject({
      id: 'offline',
      provider: 'offline',
      price: { input: 0 },
      window: null,
    })
    expect(offline.info.label).toContain('not a language model')
    const id = `scripted:${join(directory, 's.json')}`
    const scripted = await resolver()(id)
    expect(scripted.info).toMatchObject({ id, provider: 'scripted', price: { output: 0 } })
    expect(scripted.info.label).toContain('not a language model')
  })

  it('gives one model for one id, so that a script is used up once', async () => {
    const resolve = resolver()
    const id = `scripted:${join(directory, 's.json')}`
    expect(await resolve(id)).toBe(await resolve(id))
    for (const text of ['a', 'b']) {
      const parts = await collect(await (await resolve(id)).stream(modelRequest()))
      expect(parts).toContainEqual({ type: 'text-delta', id: 'text', delta: text })
    }
    await expect((await resolve(id)).stream(modelRequest())).rejects.toMatchObject({ code: 'provider' })
  })

  it('tries again after a failure', async () => {
    const file = join(directory, 'later.json')
    const resolve = resolver()
    await expect(resolve(`scripted:${file}`)).rejects.toMatchObject({ code: 'config' })
    writeFileSync(file, '{"agents":{}}')
    await expect(resolve(`scripted:${file}`)).resolves.toHaveProperty('info')
    await expect(resolve('scripted:')).rejects.toMatchObject({ code: 'usage' })
  })
})
