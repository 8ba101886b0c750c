import { afterEach, describe, expect, it } from 'vitest'
import { startRawServer } from '../../test/support/model-server.ts'
import { chooseModel } from './choose.ts'
import { createFetch } from './fetch.ts'

const NOWHERE = { OLLAMA_HOST: '127.0.0.1:1' }
const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function serveJson(answers: Readonly<Record<string, unknown>>): Promise<string> {
  const { url, close } = await startRawServer((request, response) => {
    const answer = answers[request.url!]
    response
      .writeHead(answer === undefined ? 404 : 200)
      .end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  cleanups.push(close)
  return url
}

function choose(env: Record<string, string>, more: { flag?: string; model?: string } = {}) {
  const { flag, model } = more
  return chooseModel({ flag, config: { model }, env: { ...NOWHERE, ...env }, fetch: createFetch() })
}

describe('chooseModel', () => {
  const keys = {
    ANTHROPIC_API_KEY: 'a',
    OPENAI_API_KEY: 'b',
    GEMINI_API_KEY: 'c',
    OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
  }

  it('takes what was asked for, then what is configured', async () => {
    expect(await choose(keys, { flag: 'ollama/x', model: 'offline' })).toMatchObject({ id: 'ollama/x' })
    expect(await choose(keys, { model: 'offline' })).toMatchObject({ id: 'offline' })
  })

  it('takes the first key, and says which', async () => {
    expect(await choose(keys)).toEqual({
      id: 'anthropic/claude-sonnet-5',
      why: 'model anthropic/claude-sonnet-5: ANTHROPIC_API_KEY is set',
      isFallback: false,
    })
    expect((await choose({ ...keys, ANTHROPIC_API_KEY: '' })).id).toBe('openai/gpt-6-sol')
    expect((await choose({ GEMINI_API_KEY: 'c', OPENAI_API_KEY: ' ' })).id).toBe('google/gemini-3.8-flash')
  })

  it('takes the first model behind OPENAI_BASE_URL alone', async () => {
    const url = await serveJson({
      '/v1/models': { object: 'list', data: [{ id: 'org/first' }, { id: 'second' }] },
    })
    const { id, why } = await choose({ OPENAI_BASE_URL: `${url}/v1` })
    expect(id).toBe('openai-compatible/org/first')
    expect(why).toContain('OPENAI_BASE_URL')
  })

  it.each<[string, unknown]>([
    ['no server', undefined],
    ['an empty list', { data: [] }],
    ['another shape', { models: 3 }],
    ['no JSON', '<html>'],
  ])('says so when OPENAI_BASE_URL has %s', async (_, answer) => {
    const url = await serveJson(answer === undefined ? {} : { '/v1/models': answer })
    await expect(choose({ OPENAI_BASE_URL: url })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(`${url}/v1/models`),
      hint: expect.stringContaining('-m'),
    })
  })

  it('takes the first model of an Ollama that answers', async () => {
    const url = await serveJson({ '/api/tags': { models: [{ name: 'qwen3:8b' }, { name: 'other' }] } })
    expect((await choose({ OLLAMA_HOST: url })).id).toBe('ollama/qwen3:8b')
  })

  it('falls back to offline when no Ollama answers well, and says that it is not a language model', async () => {
    const hosts = [
      NOWHERE.OLLAMA_HOST,
      await serveJson({ '/api/tags': { models: [] } }),
      await serveJson({ '/api/tags': 'no' }),
    ]
    for (const OLLAMA_HOST of hosts) {
      const { id, why, isFallback } = await choose({ OLLAMA_HOST })
      expect({ id, isFallback }).toEqual({ id: 'offline', isFallback: true })
      expect(why).toContain('not a language model')
    }
  })

  it('does not wait long for an Ollama that hangs', async () => {
    const { url, close } = await startRawServer(() => {})
    cleanups.push(close)
    const env = { OLLAMA_HOST: url }
    expect((await chooseModel({ env, fetch: createFetch(), ollamaTimeoutMs: 10 })).id).toBe('offline')
  })
})
