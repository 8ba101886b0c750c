import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { catalogue, defaultModels, modelInfo, smallModel } from './models-and-prices.ts'
import type { TokenPrice } from './port.ts'

describe('catalogue', () => {
  it.each(Object.keys(catalogue))('%s is a model that the provider package knows', (id) => {
    const [provider, model] = id.split('/')
    const types = createRequire(import.meta.url)
      .resolve(`@ai-sdk/${provider}`)
      .replace(/\.c?js$/, '.d.ts')
    expect(readFileSync(types, 'utf8')).toMatch(new RegExp(`['"]${model!.replaceAll('.', '\\.')}['"]`))
  })

  it('has every default and small model', () => {
    for (const [provider, { main, small }] of Object.entries(defaultModels)) {
      expect(catalogue).toHaveProperty([`${provider}/${main}`])
      expect(catalogue).toHaveProperty([`${provider}/${small}`])
    }
  })

  it('is what docs/models.md says', () => {
    const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')
    const rows = page.slice(page.indexOf('| model | use |')).split('\n\n')[0]!.split('\n').slice(2)
    expect(rows).toEqual(Object.keys(catalogue).flatMap(documented))
  })

  it('knows nothing about other models', () => {
    expect(modelInfo('anthropic/claude-99')).toMatchObject({ window: null, maxOutput: null, price: null })
    expect(modelInfo('openai-compatible/org/model')).toMatchObject({
      provider: 'openai-compatible',
      price: null,
    })
  })

  it('prices local models at nothing and lets a user set prices', () => {
    expect(modelInfo('ollama/qwen3:8b').price).toMatchObject({ input: 0, output: 0 })
    const mine = { input: 9, output: 9, cacheRead: 9, cacheWrite: 9 }
    expect(modelInfo('openai/gpt-6-sol', { 'openai/gpt-6-sol': mine }).price).toBe(mine)
  })
})

describe('smallModel', () => {
  it('is the configured one, else the small one of the provider, else the same', () => {
    expect(smallModel('anthropic/claude-opus-5', 'ollama/tiny')).toBe('ollama/tiny')
    expect(smallModel('anthropic/claude-opus-5')).toBe('anthropic/claude-haiku-5-5')
    expect(smallModel('offline')).toBe('offline')
    expect(smallModel('scripted:a/b.json')).toBe('scripted:a/b.json')
    expect(smallModel('openai-compatible/qwen3')).toBe('openai-compatible/qwen3')
  })
})

function documented(id: string): string[] {
  const { window, maxOutput, price } = catalogue[id]!
  const rows = [`| \`${id}\` |${use(id)} ${number(window)} | ${number(maxOutput)} | ${prices(price)} |`]
  if (price.long)
    rows.push(`| …, input over ${number(price.long.overTokens)} tokens | | | | ${prices(price.long)} |`)
  return rows
}

function use(id: string): string {
  const [provider, model] = id.split('/') as [keyof typeof defaultModels, string]
  const { main, small } = defaultModels[provider]!
  return model === main ? ' default |' : model === small ? ' small |' : ' |'
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}

function prices({ input, output, cacheRead, cacheWrite }: TokenPrice): string {
  return [input, output, cacheRead, cacheWrite].join(' | ')
}
