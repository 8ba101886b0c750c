import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Rule } from '../core/agent.ts'
import { decide } from './decide.ts'
import { bashRule, callOf, decideCommand, levelOf, rowsOf } from './fixtures/example-workspace.ts'
import { strictest } from './item.ts'
import { MODES, modeLayer } from './modes.ts'
import type { Level } from './types.ts'

const root = (...rules: readonly Rule[]): Level => levelOf('user config', rules)
const actionOf = (tool: string, argument: string, ...chain: readonly Level[]) =>
  decide(callOf(tool, argument), chain, []).action

interface AgentRow {
  readonly id: string
  readonly chain: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
  readonly call?: { readonly tool: string; readonly arg: string }
  readonly interactive: boolean
  readonly expected: string
}

describe('chains of agents', () => {
  const rows = rowsOf<AgentRow>(
    readFileSync(new URL('./fixtures/agent-rules.jsonl', import.meta.url), 'utf8'),
  ).filter((row) => row.call !== undefined)
  test.each(rows.map((row) => [row.id, row] as const))('%s', (_, row) => {
    const chain = row.chain.map(({ name, rules }, at) =>
      // The examples say that the first level's default is ask for every tool.
      levelOf(name, at === 0 ? [{ tool: '*', action: 'ask' }, ...rules] : rules),
    )
    const { action } = decide(callOf(row.call?.tool ?? '', row.call?.arg ?? ''), chain, [])
    expect(action === 'ask' && !row.interactive ? 'deny' : action).toBe(row.expected)
  })
})

describe('rules', () => {
  test('inside a layer the last match wins', () => {
    expect(actionOf('bash', 'rm x', root(bashRule('allow rm *'), bashRule('deny rm *')))).toBe('deny')
    expect(actionOf('bash', 'rm x', root(bashRule('deny rm *'), bashRule('allow rm *')))).toBe('allow')
  })

  test('between the layers of a level the strictest wins', () => {
    const layers = [
      { name: 'user config', rules: [bashRule('allow *')] },
      { name: 'project config', rules: [bashRule('ask npm publish*')] },
    ]
    expect(actionOf('bash', 'npm publish', { name: 'root', layers })).toBe('ask')
    expect(actionOf('bash', 'npm test', { name: 'root', layers })).toBe('allow')
  })

  test('a toolset or * names the tool too', () => {
    expect(actionOf('edit', 'src/a.ts', root({ tool: 'files', pattern: 'src/**', action: 'allow' }))).toBe(
      'allow',
    )
    expect(actionOf('edit', 'src/a.ts', root({ tool: '*', action: 'deny' }))).toBe('deny')
  })

  test('without an opinion of the root the tool itself decides', () => {
    expect(actionOf('read', 'src/a.ts', root())).toBe('allow')
    expect(actionOf('task', 'explore', root())).toBe('allow')
    expect(actionOf('edit', 'src/a.ts', root())).toBe('ask')
    expect(actionOf('webfetch', 'example.com/x')).toBe('ask')
  })

  test('the answer names the layer and the rule', () => {
    const plan: Level = { name: 'root', layers: [modeLayer('plan')] }
    expect(decide(callOf('edit', 'a.ts'), [plan], []).why).toBe('denied by mode plan: write *')
    expect(decide(callOf('bash', 'ls'), [root()], []).why).toBe('no rule: bash asks by default')
    const child = levelOf('agent explore', [{ tool: 'bash', pattern: 'git push*', action: 'deny' }])
    expect(decide(callOf('bash', 'git push'), [root(), child], []).why).toBe(
      'denied by agent explore: bash git push*',
    )
  })
})

describe('guards', () => {
  const everything = root({ tool: '*', pattern: '*', action: 'allow' })

  test.each(['.git/config', '.offshoot/config.json', '.OFFSHOOT/agents/x.md', '.env', 'src/../.git/hooks/x'])(
    '%s always asks',
    (path) => {
      for (const tool of ['read', 'edit']) {
        expect(actionOf(tool, path, everything)).toBe('ask')
        expect(actionOf(tool, path, { name: 'root', layers: [modeLayer('auto')] })).toBe('ask')
        expect(decide(callOf(tool, path), [everything], [{ tool }]).action).toBe('ask')
      }
      expect(actionOf('edit', path, everything, levelOf('agent', [{ tool: 'edit', action: 'deny' }]))).toBe(
        'deny',
      )
    },
  )

  test('outside of the workspace asks, until a rule for external_directory names the path', () => {
    const named: Rule = { tool: 'external_directory', pattern: '/data/**', action: 'allow' }
    expect(actionOf('read', '/data/x', root())).toBe('ask')
    expect(actionOf('read', '/data/x', everything)).toBe('ask')
    expect(actionOf('read', '/data/x', root(named))).toBe('allow')
    expect(actionOf('read', '/data/../etc/x', root(named))).toBe('ask')
    expect(actionOf('edit', '/data/x', root(named))).toBe('ask')
    expect(actionOf('bash', 'cat /data/x', root(named, bashRule('allow cat *')))).toBe('allow')
    expect(actionOf('read', '/data/x', root(named), levelOf('agent', [{ ...named, action: 'deny' }]))).toBe(
      'deny',
    )
  })

  test('a rule for file tools binds the files that a command names', () => {
    const rules = [bashRule('allow *'), { tool: 'edit', pattern: 'src/**', action: 'deny' } as const]
    expect(decideCommand('echo x > src/a.ts', rules).action).toBe('deny')
    expect(decideCommand('cp a.ts src/a.ts', rules).action).toBe('deny')
    expect(decideCommand('cat src/a.ts', rules).action).toBe('allow')
    expect(
      decideCommand('cat src/a.ts', [
        bashRule('allow *'),
        { tool: 'read', pattern: 'src/**', action: 'deny' },
      ]).action,
    ).toBe('deny')
  })

  test('a redirection is allowed where the rules allow the write', () => {
    const rules = [bashRule('allow echo *'), { tool: 'write', pattern: 'out/**', action: 'allow' } as const]
    expect(decideCommand('echo x > out/a.txt', rules).action).toBe('allow')
    expect(decideCommand('echo x > other.txt', rules).action).toBe('ask')
  })
})

describe('grants', () => {
  test('turn an ask of a default or a rule into an allow, never a deny', () => {
    expect(decideCommand('npm test -- --run', [], [{ tool: 'bash', pattern: 'npm test *' }]).action).toBe(
      'allow',
    )
    expect(
      decideCommand('npm test', [bashRule('ask npm *')], [{ tool: 'bash', pattern: 'npm test *' }]).action,
    ).toBe('allow')
    expect(
      decideCommand('npm test', [bashRule('deny npm *')], [{ tool: 'bash', pattern: 'npm test *' }]).action,
    ).toBe('deny')
  })

  test.each([
    ['npm test -- --run', 'npm test *'],
    ['npm run lint -- --fix', 'npm run lint *'],
    ['git log -1', 'git log *'],
    ['ls -la src', 'ls *'],
    ['rm out.txt', 'rm out.txt'],
    ['python3 scripts/x.py', 'python3 scripts/x.py'],
    ['./run.sh x', './run.sh x'],
  ])('%s would be granted as %s', (command, pattern) => {
    expect(decideCommand(command, []).grant).toEqual({ tool: 'bash', pattern })
  })

  test.each([
    'bash -lc whoami',
    'sudo ls',
    '$X',
    'eval ls',
    'ls > out',
    'cat .env',
    'cat /etc/passwd',
    'npm test && ls',
    'echo $(ls)',
    '',
  ])('%j cannot be granted for good', (command) => {
    expect(decideCommand(command, [])).toMatchObject({ action: 'ask', grant: null })
  })

  test('what is granted is the whole of what was asked, and decides the same call afterwards', () => {
    for (const command of ['npm test -- --run', 'git log -1', 'rm out.txt', 'ls']) {
      const { grant } = decideCommand(command, [])
      expect(decideCommand(command, [], grant === null ? [] : [grant]).action).toBe('allow')
    }
  })

  test('for one shell command says nothing of another', () => {
    const grants = [
      { tool: 'bash', pattern: 'bash -lc *' },
      { tool: 'bash', pattern: 'whoami' },
    ]
    expect(decideCommand("bash -lc 'touch x'", [], grants).action).toBe('ask')
  })

  test('of a path, a host and a name', () => {
    expect(decide(callOf('edit', 'src/a.ts'), [], []).grant).toEqual({ tool: 'edit', pattern: 'src/a.ts' })
    expect(decide(callOf('edit', 'src/[a]*.ts'), [], []).grant).toBeNull()
    expect(decide(callOf('webfetch', 'example.com/x'), [], []).grant).toEqual({
      tool: 'webfetch',
      pattern: 'example.com/*',
    })
  })
})

describe('modes', () => {
  const table: readonly (readonly [string, string, readonly string[]])[] = [
    // plan, ask, accept-edits, auto
    ['read', 'a.ts', ['allow', 'allow', 'allow', 'allow']],
    ['edit', 'a.ts', ['deny', 'ask', 'allow', 'allow']],
    ['bash', 'ls', ['deny', 'ask', 'ask', 'allow']],
    ['webfetch', 'example.com/', ['ask', 'ask', 'ask', 'allow']],
    ['task', 'explore', ['allow', 'allow', 'allow', 'allow']],
    ['edit', '../x', ['deny', 'ask', 'ask', 'ask']],
    ['bash', 'cat /etc/passwd', ['deny', 'ask', 'ask', 'ask']],
    ['bash', 'rm -rf ~', ['deny', 'ask', 'ask', 'ask']],
  ]
  test.each(table)('%s %s', (tool, argument, expected) => {
    expect(
      MODES.map((mode) => actionOf(tool, argument, { name: 'root', layers: [modeLayer(mode)] })),
    ).toEqual(expected)
  })

  test('ask lets an allow of the user count, plan does not', () => {
    const user = { name: 'user config', rules: [bashRule('allow ls*')] }
    expect(actionOf('bash', 'ls', { name: 'root', layers: [user, modeLayer('ask')] })).toBe('allow')
    expect(actionOf('bash', 'ls', { name: 'root', layers: [user, modeLayer('plan')] })).toBe('deny')
  })
})

const commands = fc.constantFrom(
  'ls',
  'git status',
  'git push',
  'touch x > y',
  'cat /etc/passwd',
  '$X y',
  'eval "$A"',
  'rm -rf .',
  'npm test | tail',
  'cat .env',
  'bash -c "git push"',
  'echo $(git push)',
  'sed -i s/a/b/ f',
  'X=1 ls',
  'PATH=. ls',
  "echo '",
  'cd src && ls',
  'env git push',
)
const calls = fc.oneof(
  commands.map((command) => callOf('bash', command)),
  fc
    .constantFrom('src/a.ts', '.env', '/etc/x', 'b')
    .chain((path) => fc.constantFrom('read', 'edit', 'write').map((tool) => callOf(tool, path))),
  fc.constantFrom('explore', 'general').map((name) => callOf('task', name)),
)
const rules = fc.record({
  tool: fc.constantFrom('*', 'bash', 'shell', 'files', 'edit', 'read', 'write', 'task', 'external_directory'),
  pattern: fc.constantFrom(
    '*',
    'git *',
    'git push*',
    'ls*',
    'touch *',
    'src/**',
    '/etc/*',
    'eval *',
    'cat *',
    'e*',
  ),
  action: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
})
const byEffect = fc.dictionary(
  fc.constantFrom('none', 'write', 'execute', 'spawn'),
  fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
)
const levels = fc.record({
  name: fc.constant('level'),
  layers: fc.array(
    fc.record({ name: fc.constant('layer'), rules: fc.array(rules, { maxLength: 4 }), byEffect }),
    { maxLength: 3 },
  ),
})

test('by rules alone no level below allows more than the levels above it', () => {
  fc.assert(
    fc.property(calls, fc.array(levels, { maxLength: 4 }), levels, (call, parents, child) => {
      const parent = decide(call, parents, []).action
      const below = decide(call, [...parents, child], []).action
      // A chain without a root has no level whose silence means the default.
      if (parents.length > 0) expect(strictest(parent, below)).toBe(below)
    }),
    { numRuns: 2000 },
  )
})
