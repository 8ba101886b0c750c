import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TestUser } from './support/test-user.ts'
import { builtinAgents } from '../src/agents/builtin-agents.ts'
import { loadAgents } from '../src/agents/load-agents.ts'
import { createAgentRegistry } from '../src/agents/registry.ts'
import { builtinAgentTools, ruleNames, toolsets, workingTools } from '../src/core/rules/tool-names.ts'
import { agent } from '../src/library/agent.ts'
import { createOffshoot } from '../src/library/offshoot.ts'
import { restrictionRules } from '../src/runtime/authority/restrictions.ts'
import { controlAliases } from '../src/core/rules/tool-names.ts'
import { discoveryNames } from '../src/runtime/delegation/discovery/discovery.ts'
import { taskInputSchema } from '../src/runtime/task/task-input.ts'
import { builtinTools } from '../src/tools/builtin-tools.ts'
import { createRegistry } from '../src/tools/registry.ts'

let root = ''
let user: TestUser
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offshoot-doors-'))
  mkdirSync(join(root, 'agents'))
  user = new TestUser()
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
  user.remove()
})

const tools = createRegistry(builtinTools())
const agents = createAgentRegistry(builtinAgents())

async function messageOf(work: () => unknown): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Whoever reads rules: the error for one, or null where it takes it. */
const doors: Readonly<Record<string, (rule: unknown) => Promise<string | null>>> = {
  'the user config': async (rule) => {
    const directory = join(user.root, '.config/offshoot')
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'config.jsonc'), JSON.stringify({ permissions: [rule] }))
    return errorOf(await user.call(['config']))
  },
  "a project's file": async (rule) => {
    user.write('offshoot.jsonc', JSON.stringify({ permissions: [rule] }))
    return errorOf(await user.call(['config']))
  },
  'the environment': async (rule) =>
    errorOf(await user.call(['config'], { env: { OFFSHOOT_PERMISSIONS: JSON.stringify([rule]) } })),
  'agents.NAME of a configuration': async (rule) => {
    user.write('offshoot.jsonc', JSON.stringify({ agents: { explore: { permissions: [rule] } } }))
    return errorOf(await user.call(['agents', 'show', 'explore']))
  },
  'permissions check': async (rule) => {
    const file = user.write('rules.json', JSON.stringify([rule]))
    return errorOf(await user.call(['permissions', 'check', '--rules', file], { input: '' }))
  },
  'a line of permissions check': async (rule) => {
    const file = user.write('rules.json', '[]')
    const input = `${JSON.stringify({ tool: 'bash', subject: 'ls', rules: [rule] })}\n`
    const { stdout } = await user.call(['permissions', 'check', '--rules', file], { input })
    return (JSON.parse(stdout) as { error?: { message: string } }).error?.message ?? null
  },
  'an agent file': async (rule) => {
    const text = `---\ndescription: d\npermissions: [${JSON.stringify(rule)}]\n---\np`
    writeFileSync(join(root, 'agents/a.md'), text)
    const place = { path: join(root, 'agents'), format: 'offshoot', kind: 'tree' } as const
    return (await loadAgents([place])).files[0]!.skipped
  },
  'an agent of a program': (rule) =>
    messageOf(async () => {
      const own = agent({ name: 'a', description: 'd', prompt: 'p', permissions: [rule as never] })
      await using _ = await createOffshoot({
        directory: root,
        store: ':memory:',
        env: { HOME: root },
        model: 'offline',
        agents: [own],
      })
    }),
  'the config of a program': (rule) =>
    messageOf(async () => {
      const config = { permissions: [rule as never] }
      await using _ = await createOffshoot({
        directory: root,
        store: ':memory:',
        env: { HOME: root },
        model: 'offline',
        config,
      })
    }),
  'the task tool': (rule) =>
    messageOf(() => {
      const { data, error } = taskInputSchema.safeParse({ prompt: 'x', permissions: [rule] })
      if (error) throw new Error(error.issues[0]!.message)
      restrictionRules({ agents, tools }, data.restrictions)
    }),
}

function errorOf({ code, stderr }: { readonly code: number | null; readonly stderr: string }): string | null {
  return code === 0 ? null : `exit ${code}: ${stderr}`
}

const wrong: readonly (readonly [rule: unknown, said: string])[] = [
  [{ tool: 'bsh', action: 'deny' }, 'there is no tool "bsh"; did you mean "bash"?'],
  [{ tool: 'Bash', action: 'deny' }, 'there is no tool "Bash"; did you mean "bash"?'],
  [
    { tool: 'bash:*', action: 'deny' },
    '"bash:*" is not the name of a tool; write {"tool": "bash", "action": "deny"}',
  ],
  [
    { tool: 'Bash(rm *)', action: 'deny' },
    '"Bash(rm *)" is not the name of a tool; write {"tool": "bash", "pattern": "rm *", "action": "deny"}',
  ],
  [
    { tool: 'mcp_github_*', action: 'deny' },
    'there is no tool "mcp_github_*": MCP servers are not available yet',
  ],
  [{ tool: 'mcp__github__search', action: 'deny' }, 'MCP servers are not available yet'],
  [{ tool: 'frobnicate', action: 'deny' }, 'there is no tool "frobnicate"; tools: read, write'],
  [{ tool: 'bash', patern: 'git *', action: 'allow' }, 'a rule has no key "patern"; did you mean "pattern"?'],
  [{ tool: 'bash', action: 'dney' }, 'it must be "allow", "ask" or "deny"; did you mean "deny"?'],
  [{ tool: 'bash', pattern: '', action: 'allow' }, '"pattern" must be a text of 1 to 1000 characters'],
  [{ tool: 'bash', pattern: 'a'.repeat(1001), action: 'allow' }, 'not 1001 characters'],
  [
    { tool: 'bash', pattern: 'rm:*', action: 'deny' },
    'the pattern "rm:*" is the syntax of Claude Code; write "rm *"',
  ],
  [
    { tool: 'read', pattern: '~/.ssh/**', action: 'deny' },
    'the pattern "~/.ssh/**" names the home directory',
  ],
  ['Bash(rm:*)', 'write {"tool": "bash", "pattern": "rm *", "action": "allow"}'],
  [7, 'a rule is an object with tool, pattern and action, not 7'],
]

describe.each(Object.keys(doors))('%s', (door) => {
  test('refuses each wrong rule, in the same words', { timeout: 60_000 }, async () => {
    for (const [rule, said] of wrong) {
      const answer = await doors[door]!(rule)
      expect(answer ?? 'it was taken', JSON.stringify(rule)).toContain(said)
    }
  })

  test('takes a rule for every tool and toolset, and the short form', { timeout: 60_000 }, async () => {
    for (const rule of [
      ...[
        'bash',
        'files',
        '*',
        'websearch',
        'external_directory',
        'code_search',
        'get_tools',
        'task_output',
      ].map((tool) => ({ tool, action: 'deny' })),
      { tool: 'bash', pattern: 'git status*', action: 'allow' },
      ...(door === 'the task tool' ? [] : ['bash:git status*']), // there it could only widen
    ])
      expect(await doors[door]!(rule), JSON.stringify(rule)).toBeNull()
  })
})

test('a configuration, a rules file and an agent file name the place', async () => {
  user.write(
    'offshoot.jsonc',
    '{\n"permissions": [\n{"tool": "read", "action": "allow"},\n{"tool": "bsh", "action": "deny"}]}',
  )
  expect(await user.call(['config'])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/offshoot\.jsonc:4: permissions\.1\.tool: there is no tool "bsh"/),
  })
  user.write('offshoot.jsonc', '{}')
  const file = user.write(
    'rules.json',
    '{"chain": [\n{"rules": []},\n{"rules": [{"tool": "bash", "patern": "x", "action": "allow"}]}]}',
  )
  expect(await user.call(['permissions', 'check', '--rules', file], { input: '' })).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/rules\.json:3: chain\.1\.rules\.0\.patern: a rule has no key "patern"/),
  })
  user.write(
    '.offshoot/agents/a.md',
    '---\ndescription: d\npermissions:\n  - { tool: bsh, action: deny }\n---\np',
  )
  const { code, stdout } = await user.call(['agents', 'check'])
  expect(code).toBe(1)
  expect(stdout).toContain('permissions.0.tool cannot be read (line 4): there is no tool "bsh"')
})

test('no run begins with half of its rules', async () => {
  user.write(
    'offshoot.jsonc',
    '{"permissions": [{"tool": "bash", "action": "deny"}, {"tool": "Write", "action": "deny"}]}',
  )
  const { code, stderr } = await user.call(['run', 'hi', '-m', user.script({ main: [{ text: 'Hello.' }] })])
  expect(code).toBe(3)
  expect(stderr).toMatch(/permissions\.1\.tool: there is no tool "Write"; did you mean "write"\?/)
})

test('a tool of an agent of the directory, and one of a program, are known there', async () => {
  const schema = 'inputSchema: { type: object, properties: { x: { type: string } } }'
  user.write('.offshoot/agents/a.md', `---\ndescription: d\nexposeAsTool: judge_it\n${schema}\n---\np`)
  user.write('.offshoot/agents/b.md', '---\ndescription: d\ntools: [read, judge_it]\n---\np')
  user.write('offshoot.jsonc', '{"permissions": [{"tool": "judge_it", "action": "deny"}]}')
  expect(await user.call(['config'])).toMatchObject({ code: 0 })
  expect(await user.call(['agents', 'check'])).toMatchObject({ code: 0 })
})

test('the names are those of the tools', () => {
  const search = { provider: 'exa', key: 'k' } as never
  const all = builtinTools({ search })
  expect(all.map(({ name }) => name).toSorted()).toEqual(Object.keys(workingTools).toSorted())
  for (const { name, toolset } of all)
    expect(workingTools[name as keyof typeof workingTools].toolset).toBe(toolset)
  const exposed = agents.list().flatMap(({ exposeAsTool }) => exposeAsTool?.name ?? [])
  expect(exposed.toSorted()).toEqual([...builtinAgentTools].toSorted())
  expect(ruleNames).toEqual(
    expect.arrayContaining([...discoveryNames, ...Object.keys(controlAliases), ...toolsets]),
  )
})
