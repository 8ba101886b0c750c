import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'
import { agentWarnings, findAgents, knownModel } from './agent-sources.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'offshoot-sources-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(path: string, content: string): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true })
  await writeFile(join(root, path), content)
}

describe('models that a file of another program may have', () => {
  const known = knownModel({ ANTHROPIC_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })

  test('are those of providers that can be reached', () => {
    expect(known('anthropic/claude-new')).toBe('anthropic/claude-new')
    expect(known('openai-compatible/qwen')).toBe('openai-compatible/qwen')
    expect(known('ollama/llama3:8b')).toBe('ollama/llama3:8b')
    expect(known('google/gemini-x')).toBeUndefined()
    expect(knownModel({})('anthropic/claude-new')).toBeUndefined()
  })

  test('and by the names that Anthropic has for a kind', () => {
    expect(known('anthropic/sonnet')).toMatch(/^anthropic\/claude-sonnet-/)
    expect(known('anthropic/opus')).toMatch(/^anthropic\/claude-opus-/)
  })

  test.each([
    'scripted:/etc/passwd',
    'offline',
    'anthropic',
    'anthropic/',
    'anthropic/a b',
    'anthropic/\u001b[31m',
    '__proto__/x',
  ])('are not %j', (name) => expect(known(name)).toBeUndefined())
})

test('at a start, each of our own files is told of, and of those of others how many are no agents', async () => {
  await write('p/.offshoot/agents/bad.md', 'x')
  for (const name of ['a', 'b']) await write(`p/.claude/agents/${name}.md`, 'no agent')
  await write('p/.claude/agents/c.md', '---\ndescription: d\nmodel: sonnet\ncolor: red\n---\nx')
  const env = { HOME: join(root, 'h') }
  const found = await findAgents(join(root, 'p'), env, loadConfig(join(root, 'p'), env))
  expect(agentWarnings(found)).toEqual([
    `${join(root, 'p/.offshoot/agents/bad.md')}: skipped: it has no description`,
    '2 agent files of other programs skipped; offshoot agents check says why',
  ])
  expect(found.agents.map(({ name }) => name)).toEqual(['c'])
})
