import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { TestUser } from '../../../test/support/test-user.ts'
import { configSchema } from '../../config/config-schema.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

function userConfig(text: string): void {
  const directory = join(user.root, '.config/offshoot')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'config.jsonc'), text)
}

interface Printed {
  readonly values: readonly { readonly key: string; readonly value: unknown; readonly source: string }[]
  readonly permissions: readonly unknown[]
  readonly files: readonly { readonly name: string; readonly found: boolean }[]
  readonly warnings: readonly string[]
}

async function printed(env: Record<string, string> = {}): Promise<Printed> {
  const { code, stdout } = await user.call(['config', '--json'], { env })
  expect(code).toBe(0)
  return JSON.parse(stdout) as Printed
}

const sourceOf = ({ values }: Printed, key: string) => {
  const found = values.find((each) => each.key === key)
  return found && [found.value, found.source]
}

test('names for a value that is held back what is in force instead', async () => {
  user.write(
    'offshoot.jsonc',
    '{ "prices": { "a/b": { "input": 1, "output": 2 } }, "agents": { "explore": { "model": "a/b" } } }',
  )
  const before = await printed()
  expect(sourceOf(before, 'prices')).toEqual([{}, 'default'])
  expect(sourceOf(before, 'agents')).toEqual([{}, 'default'])
  await user.trust()
  expect(sourceOf(await printed(), 'prices.a/b.output')).toEqual([2, 'project config'])
})

describe('delegations', () => {
  const one = { agent: 'implementer', for: 'planner', tool: 'edit', pattern: 'src/**' }

  test('are those of the user, and shown', async () => {
    userConfig(JSON.stringify({ delegations: [one] }))
    expect(sourceOf(await printed(), 'delegations')).toEqual([[one], 'user config'])
    const { stdout } = await user.call(['config'])
    expect(stdout).toMatch(/^delegated +implementer for planner: edit:src\/\*\* +user config$/m)
    for (const name of ['implementer', 'planner']) {
      user.write(`.offshoot/agents/${name}.md`, `---\nname: ${name}\ndescription: x\n---\nYou.\n`)
      await user.trust()
      const shown = await user.call(['agents', 'show', name])
      expect(shown.stdout).toMatch(/^delegated +implementer for planner: edit:src\/\*\*$/m)
      const { stdout: json } = await user.call(['agents', 'show', name, '--json'])
      expect(JSON.parse(json)).toMatchObject({ delegations: [one] })
    }
  })

  test('of a project, an environment or an agent file are none', async () => {
    user.write('offshoot.jsonc', JSON.stringify({ delegations: [one] }))
    const frontMatter = `---\nname: helper\ndescription: x\ndelegations: ${JSON.stringify([one])}\n---\nYou.\n`
    user.write('.offshoot/agents/helper.md', frontMatter)
    const env = { OFFSHOOT_DELEGATIONS: JSON.stringify([one]) }
    const document = await printed(env)
    expect(sourceOf(document, 'delegations')).toEqual([[], 'default'])
    expect(document.warnings).toEqual([
      'offshoot.jsonc: delegations is read from the user config only; it is ignored here',
      'environment: delegations is read from the user config only; it is ignored here',
    ])
    const { stdout } = await user.call(['agents', 'show', 'helper', '--json'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ delegations: [] })
  })

  test.each([
    ['for every tool', { ...one, tool: '*' }],
    ['for nobody', { agent: 'a', tool: 'edit' }],
    ['with an action', { ...one, action: 'allow' }],
    ['with a pattern without end', { ...one, pattern: 'x'.repeat(1_001) }],
  ])('are refused %s', async (_, wrong) => {
    userConfig(JSON.stringify({ delegations: [wrong] }))
    const { code, stderr } = await user.call(['config'])
    expect({ code, named: stderr.includes('delegations') }).toEqual({ code: 3, named: true })
  })
})

describe('offshoot config', () => {
  test('has every key, and says default where nobody says anything', async () => {
    const document = await printed()
    const tops = new Set(document.values.map(({ key }) => key.split('.')[0]))
    const known = Object.keys(configSchema().shape).filter(
      (key) => key !== '$schema' && key !== 'permissions',
    )
    expect([...tops]).toEqual(known)
    expect(new Set(document.values.map(({ source }) => source))).toEqual(new Set(['default']))
    expect(document.files.map(({ found }) => found)).toEqual([false, false])
  })

  test('names the source of each value, and keeps the rules of all', async () => {
    userConfig(
      '{"model": "a/user", "smallModel": "a/small", "limits": {"maxTurns": 10, "maxDepth": 2}, "permissions": ["bash:git status*"]}',
    )
    user.write(
      'offshoot.jsonc',
      '{"model": "a/project", "limits": {"maxDepth": 3}, "permissions": [{"tool": "write", "action": "deny"}], "modl": 1}',
    )
    await user.trust()
    const document = await printed({ OFFSHOOT_LIMITS__MAX_TURNS: '30' })
    expect(sourceOf(document, 'model')).toEqual(['a/project', 'project config'])
    expect(sourceOf(document, 'smallModel')).toEqual(['a/small', 'user config'])
    expect(sourceOf(document, 'limits.maxDepth')).toEqual([3, 'project config'])
    expect(sourceOf(document, 'limits.maxTurns')).toEqual([30, 'environment'])
    expect(sourceOf(document, 'limits.maxQueue')).toEqual([200, 'default'])
    expect(document.permissions).toEqual([
      { tool: 'bash', pattern: 'git status*', action: 'allow', source: 'user config' },
      { tool: 'write', action: 'deny', source: 'project config' },
    ])
    expect(document.warnings).toEqual([expect.stringMatching(/unknown key "modl".*did you mean model/)])
    const { stdout, stderr } = await user.call(['config'], { env: { OFFSHOOT_LIMITS__MAX_TURNS: '30' } })
    expect(stdout).toMatch(/^limits\.maxTurns +30 +environment$/m)
    expect(stdout).toMatch(/^model +a\/project +project config$/m)
    expect(stdout).toMatch(/^allow +bash:git status\* +user config$/m)
    expect(stderr).toMatch(/^offshoot: .*unknown key "modl"/)
  })

  test('shows no key and no password, wherever one stands', async () => {
    userConfig(
      '{"baseUrls": {"anthropic": "https://me:s3cret@host/v1?key=s3cret#s3cret"}, "apiKey": "s3cret", "search": {"keys": {"brave": "s3cret"}}}',
    )
    const env = {
      ANTHROPIC_API_KEY: 's3cret',
      OFFSHOOT_API_KEY: 's3cret',
      OFFSHOOT_BASE_URLS__OPENAI: 'user:s3cret@host',
    }
    for (const args of [['config'], ['config', '--json']]) {
      const { stdout, stderr } = await user.call(args, { env })
      expect(stdout + stderr).not.toContain('s3cret')
      expect(stdout).toContain('https://***@host/v1?***')
      expect(stdout).toMatch(/search\.keys\.brave\W.*\(set\)/)
    }
  })

  test('wrong values are exit code 3 with file and line, wrong usage is exit code 2', async () => {
    const usage: [string[], RegExp][] = [
      [['config', 'shema'], /unknown command "shema".*\n {2}did you mean schema\?/],
      [['config', 'schema', 'x'], /too many arguments/],
      [['config', '-C', 'missing'], /there is no directory \S*missing/],
      [['config', '--nonsense'], /unknown option/],
    ]
    for (const [args, message] of usage)
      expect(await user.call(args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(message),
      })
    user.write('offshoot.jsonc', '{\n"limits": {"maxTurns": "many"}\n}')
    for (const args of [['config'], ['config', '--json']])
      expect(await user.call(args)).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(/offshoot\.jsonc:2: limits\.maxTurns: expected a (?:whole )?number/),
      })
  })
})

describe('offshoot config schema', () => {
  test('takes and refuses what the program does', async () => {
    const { code, stdout } = await user.call(['config', 'schema'])
    expect(code).toBe(0)
    const published = z.fromJSONSchema(JSON.parse(stdout) as Parameters<typeof z.fromJSONSchema>[0])
    const documents: unknown[] = [
      {},
      { $schema: './offshoot.schema.json', model: 'a/b' },
      { permissions: ['bash:git status*', { tool: 'write', action: 'deny' }] },
      { agents: { explore: { maxTurns: 3 } }, prices: { 'a/b': { input: 1, output: 2 } } },
      { limits: { timeoutMs: null, budgetUsd: null } },
      { model: 1 },
      { limits: { maxTurns: 'many' } },
      { limits: { maxDepth: 6 } },
      { permissions: [{ tool: 'write', action: 'maybe' }] },
      { permissions: [true] },
      { nonsense: true },
      [],
    ]
    for (const document of documents)
      expect(published.safeParse(document).success, JSON.stringify(document)).toBe(
        configSchema().safeParse(document).success,
      )
  })
})
