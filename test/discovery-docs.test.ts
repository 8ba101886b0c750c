import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestUser } from './support/test-user.ts'

const PAGE = readFileSync(new URL('../docs/discovery.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text]) => text!)
const [lookUp, use] = blocks('json').map((text): Record<string, unknown> => JSON.parse(text))

interface Line {
  readonly type: string
  readonly subtype?: string
  readonly tools?: readonly string[]
  readonly message?: { readonly content: readonly Record<string, unknown>[] }
}

let user: TestUser

beforeAll(() => {
  user = new TestUser({ 'notes.md': 'Buy milk.\n', 'offshoot.jsonc': blocks('jsonc')[0]! })
})

afterAll(() => user.remove())

describe('docs/discovery.md', () => {
  it('shows input that is understood, calls that people see by themselves, and the result that the model reads', async () => {
    const quoted = blocks('text')[0]!
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const model = user.script({
      main: [
        { toolCalls: [{ tool: 'get_tools', input: lookUp as never }] },
        { match: '"name":"read"', toolCalls: [{ tool: 'use_tool', input: use as never }] },
        { match: `^${quoted}$`, text: 'done' },
      ],
    })
    const { code, stdout } = await user.call(['run', 'go', '-m', model, '--output-format', 'stream-json'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line))
    expect(code, stdout).toBe(0)
    expect(lines[0]!.tools).toEqual(expect.arrayContaining(['read', 'task', 'get_tools', 'use_tool']))
    const content = lines.flatMap(({ message }) => message?.content ?? [])
    const calls = content.filter(({ type }) => type === 'tool_use')
    expect(calls.map(({ name }) => name)).toEqual(['get_tools', 'read', 'glob', 'reed'])
    const results = content.filter(({ type }) => type === 'tool_result')
    const byCall = new Map(results.map(({ tool_use_id, is_error }) => [tool_use_id, is_error]))
    expect(byCall).toEqual(new Map(calls.map(({ id, name }) => [id, name === 'reed'])))
  })

  it('is linked from the pages that name the key', () => {
    const page = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')
    for (const name of ['configuration.md', 'tools.md', 'library.md'])
      expect(page(name), name).toContain('](discovery.md)')
  })
})
