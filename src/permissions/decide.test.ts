import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Rule } from '../core/agent.ts'
import { callItems } from './call-items.ts'
import { decide as decideUnread, isGranted } from './decide.ts'
import {
  bashRule,
  callOf,
  decide,
  decideCommand,
  levelOf,
  rowsOf,
  SECRET_FILES,
  type CorpusRow,
} from './fixtures/example-workspace.ts'
import { shellItems } from './shell/shell-items.ts'
import { strictest } from './item.ts'
import { MODES, modeLayer, type Mode } from './modes.ts'
import type { Grant, Level, PermissionCall, PermissionPath } from './types.ts'

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
      // the examples assume that the first level asks for every tool by default
      levelOf(name, at === 0 ? [{ tool: '*', action: 'ask' }, ...rules] : rules),
    )
    const { action } = decide(callOf(row.call?.tool ?? '', row.call?.arg ?? ''), chain, [])
    expect(action === 'ask' && !row.interactive ? 'deny' : action).toBe(row.expected)
  })
})

describe('rules', () => {
  test('within a layer the last match wins', () => {
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

  test('a rule may name a toolset or * instead of a tool', () => {
    expect(actionOf('edit', 'src/a.ts', root({ tool: 'files', pattern: 'src/**', action: 'allow' }))).toBe(
      'allow',
    )
    expect(actionOf('edit', 'src/a.ts', root({ tool: '*', action: 'deny' }))).toBe('deny')
  })

  test("without an opinion of the root level, the tool's default decides", () => {
    expect(actionOf('read', 'src/a.ts', root())).toBe('allow')
    expect(actionOf('task', 'explore', root())).toBe('allow')
    expect(actionOf('edit', 'src/a.ts', root())).toBe('ask')
    expect(actionOf('webfetch', 'example.com/x')).toBe('ask')
  })

  test('an unparsed command is never allowed, and every rule that may forbid it applies', () => {
    const call = callOf('bash', 'ls')
    const everything = root({ tool: '*', action: 'allow' })
    const without = (...rules: Rule[]) => decideUnread(call, [levelOf('own', rules)], [{ tool: 'bash' }])
    expect(decide(call, [everything]).action).toBe('allow')
    expect(decideUnread(call, [everything], [{ tool: 'bash' }])).toMatchObject({ action: 'ask', grant: null })
    expect(without({ tool: 'bash', pattern: 'ls', action: 'allow' }).action).toBe('ask')
    expect(without({ tool: 'bash', pattern: 'rm *', action: 'deny' }).action).not.toBe('allow')
    expect(without({ tool: 'shell', action: 'deny' }).action).toBe('deny')
  })

  test('the reason names the layer and the rule', () => {
    const plan: Level = { name: 'root', layers: [modeLayer('plan')] }
    expect(decide(callOf('edit', 'a.ts'), [plan], []).why).toBe('denied by mode plan: write *')
    expect(decide(callOf('bash', 'ls'), [root()], []).why).toBe('no rule matches, and bash asks by default')
    const child = levelOf('agent explore', [{ tool: 'bash', pattern: 'git push*', action: 'deny' }])
    expect(decide(callOf('bash', 'git push'), [root(), child], []).why).toBe(
      'denied by agent explore: bash git push*',
    )
  })
})

describe('rules of an agent with its own directory', () => {
  const own = (...rules: readonly Rule[]): Level => ({
    ...levelOf('agent x', rules),
    directory: '/repo/pkg/a',
  })
  const deny = (pattern: string): Rule => ({ tool: 'read', pattern, action: 'deny' })
  const allow = (pattern: string): Rule => ({ tool: 'read', pattern, action: 'allow' })
  const nothing: Rule = { tool: 'read', action: 'deny' }

  test.each<[string, Level, string]>([
    ['pkg/a/src/x.ts', own(deny('src/**')), 'deny'],
    ['pkg/a/src/x.ts', own(nothing, allow('src/**')), 'allow'],
    ['src/x.ts', own(nothing, allow('src/**')), 'deny'],
    ['pkg/a', own(nothing, allow('.')), 'allow'],
    ['pkg/ab/src/x.ts', own(nothing, allow('**/src/**')), 'allow'],
    ['pkg/ab/x.ts', own(nothing, allow('*')), 'allow'],
    ['pkg/a/src/x.ts', own(nothing, allow('pkg/a/src/**')), 'deny'],
    ['pkg/a/src/x.ts', own(deny('pkg/a/src/**')), 'deny'],
    ['src/x.ts', own(deny('src/**')), 'deny'],
    ['pkg/a/x.ts', own(nothing, allow('/repo/pkg/a/*')), 'allow'],
  ])(
    '%s: paths resolve from there, and deny and ask rules may also use workspace paths',
    (path, level, expected) => {
      expect(actionOf('read', path, root(), level)).toBe(expected)
    },
  )

  test('apply to commands too', () => {
    const may = root(bashRule('allow cat *'))
    expect(actionOf('bash', 'cat pkg/a/src/x.ts', may, own(deny('src/**')))).toBe('deny')
    expect(actionOf('bash', 'cat pkg/b.ts', may, own(deny('src/**')))).toBe('allow')
  })
})

describe("a command that starts in the agent's own directory", () => {
  const git = [
    root(
      { tool: 'bash', action: 'allow', pattern: 'git status' },
      { tool: 'external_directory', action: 'allow', pattern: '/free/**' },
      bashRule('allow ls *'),
      bashRule('allow rm *'),
    ),
  ]
  const from = (directory: string, command: string, ...more: readonly Rule[]) => {
    const call = callOf('bash', command)
    const resolvePath = (path: string) =>
      call.resolvePath(path.startsWith('/') ? path : `${directory}/${path}`)
    return decide({ ...call, resolvePath }, [...git, levelOf('own', more)], []).action
  }

  test.each([
    ['.', 'ls', 'allow'],
    ['pkg/a', 'ls', 'allow'],
    ['pkg/a', 'ls ../..', 'allow'],
    ['pkg/a', 'ls ../../..', 'ask'],
    ['../elsewhere', 'ls', 'ask'],
    ['link_out', 'ls', 'ask'],
    ['.git', 'ls', 'ask'],
    ['.', 'git status', 'allow'],
    ['pkg/a', 'git status', 'ask'],
    ['pkg/a', 'rm x', 'allow'],
    ['pkg/a', 'rm -r .', 'ask'],
    ['pkg/a', 'rm -r ../..', 'ask'],
    ['../free', 'rm -r x', 'allow'],
    ['../free', 'rm -r /repo/pkg', 'allow'],
    ['../free', 'rm -r ../repo', 'ask'],
  ])('%s $ %s: %s', (directory, command, expected) => {
    expect(from(directory, command)).toBe(expected)
  })

  test('is subject to rules that forbid reading that directory', () => {
    expect(from('pkg/a', 'ls', { tool: 'read', pattern: 'pkg/**', action: 'deny' })).toBe('deny')
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

  test('a path outside the workspace asks until an external_directory rule names it', () => {
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

  test('a rule for file tools applies to files that a command names', () => {
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
  test('turn an ask of a default or a rule into an allow, but never a deny', () => {
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
  ])('%j cannot be granted permanently', (command) => {
    expect(decideCommand(command, [])).toMatchObject({ action: 'ask', grant: null })
  })

  test('a grant covers exactly what was asked and then decides the same call', () => {
    for (const command of ['npm test -- --run', 'git log -1', 'rm out.txt', 'ls']) {
      const { grant } = decideCommand(command, [])
      expect(decideCommand(command, [], grant === null ? [] : [grant]).action).toBe('allow')
    }
  })

  test('lift nothing if it is uncertain whether a level denies', () => {
    const agent = levelOf('agent a', [bashRule('allow echo *'), bashRule('deny echo secret*')])
    const grants = [{ tool: 'bash', pattern: 'echo *' }]
    for (const levels of [[root()], [root(bashRule('ask echo *'))]]) {
      const action = (command: string) => decide(callOf('bash', command), [...levels, agent], grants).action
      expect(action('echo "$WHICH"')).toBe('ask')
      expect(action('echo secret')).toBe('deny')
      expect(action('echo all')).toBe('allow')
    }
  })

  test('for one shell command do not cover another', () => {
    const grants = [
      { tool: 'bash', pattern: 'bash -lc *' },
      { tool: 'bash', pattern: 'whoami' },
    ]
    expect(decideCommand("bash -lc 'touch x'", [], grants).action).toBe('ask')
  })

  test('cover a path, a host and a name', () => {
    expect(decide(callOf('edit', 'src/a.ts'), [], []).grant).toEqual({ tool: 'edit', pattern: 'src/a.ts' })
    expect(decide(callOf('edit', 'src/[a]*.ts'), [], []).grant).toBeNull()
    expect(decide(callOf('webfetch', 'example.com/x'), [], []).grant).toEqual({
      tool: 'webfetch',
      pattern: 'example.com/*',
    })
  })
})

describe('rules for hosts', () => {
  const web = (value: string, ...rules: readonly (readonly [Rule['action'], string])[]) =>
    actionOf(
      'webfetch',
      value,
      root(...rules.map(([action, pattern]) => ({ tool: 'webfetch', pattern, action }))),
    )

  test.each([
    ['example.com/a', 'example.com', true],
    ['example.com/a', 'example.com/*', true],
    ['example.com/a', 'Example.COM/a', true],
    ['example.com/a', 'example.com/', false],
    ['example.com/a/b', 'example.com/a*', true],
    ['docs.example.com/a', '*.example.com', true],
    ['docs.example.com/a', '*.example.com/*', true],
    ['docs.example.com/a', 'example.com/*', false],
    ['example.com.evil.net/', 'example.com/*', false],
    ['example.com:8443/', 'example.com/*', false],
    ['evil.net/x.example.com', '*.example.com', false],
    ['evil.net/.example.com/x', '*.example.com/*', false],
    ['evil.net/docs.example.com/x', '*example.com*', false],
  ])('%s is allowed by %s: %s', (value, pattern, allowed) => {
    expect(web(value, ['allow', pattern])).toBe(allowed ? 'allow' : 'ask')
  })

  test.each(['example.com', 'example.com/*', 'https://example.com/*', 'http*example.com*', '*example*'])(
    'a deny rule may be written as %s',
    (pattern) => {
      expect(web('example.com/a', ['allow', '*'], ['deny', pattern])).toBe('deny')
    },
  )

  test('a grant for a host covers no other host', () => {
    const { grant } = decide(callOf('webfetch', 'example.com/a'), [], [])
    const again = (value: string) => decide(callOf('webfetch', value), [], grant ? [grant] : []).action
    expect(again('example.com/b')).toBe('allow')
    expect(again('evil.net/example.com/')).toBe('ask')
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

  test('ask respects an allow of the user, plan does not', () => {
    const user = { name: 'user config', rules: [bashRule('allow ls*')] }
    expect(actionOf('bash', 'ls', { name: 'root', layers: [user, modeLayer('ask')] })).toBe('allow')
    expect(actionOf('bash', 'ls', { name: 'root', layers: [user, modeLayer('plan')] })).toBe('deny')
  })
})

describe('in a sandbox', () => {
  const decided = (command: string, mode: Mode, ...rules: readonly Rule[]) => {
    const layers = [{ name: 'user config', rules }, modeLayer(mode)]
    const call = { ...callOf('bash', command, SECRET_FILES), confinedTo: ['/repo', '/data/added'] }
    return decide(call, [{ name: 'root', layers }]).action
  }

  test.each([
    ['cat /etc/passwd', 'allow'],
    ['make -C /tmp/x', 'allow'],
    ['cp src/a.ts /tmp/copy', 'allow'],
    ['ls link_out', 'allow'],
    ['rm -rf /tmp/x', 'allow'],
    ['find /usr -name x', 'allow'],
    ['ls ~', 'ask'],
    ['grep -r x /data', 'ask'],
    ['cat /data/added/x', 'ask'],
    ['find / -name x', 'ask'],
    ['cat /proc/self/cwd/x', 'ask'],
    ['cat /r*/x', 'ask'],
    ['cat .env', 'ask'],
    ['cat /tmp/x/.env', 'ask'],
    ['grep -r x .', 'ask'],
    ['echo x > .git/config', 'ask'],
    ['rm -rf .', 'ask'],
    ['rm -rf ~', 'ask'],
    ['echo "', 'ask'],
  ])('mode auto, %s: %s', (command, expected) => {
    expect(decided(command, 'auto')).toBe(expected)
  })

  test('a path asks that leads elsewhere from this process than from a command', () => {
    const elsewhere = { absolute: '/srv/x', relative: '/srv/x', outside: true, guarded: null } as const
    const asked = (resolvedTo: PermissionPath) => {
      const layers = [modeLayer('auto')]
      const resolvePath = (path: string) => (path === '.' ? callOf('bash', '').resolvePath(path) : resolvedTo)
      const call = { ...callOf('bash', 'ls /proc/self/cwd'), resolvePath, confinedTo: ['/repo'] }
      return decide(call, [{ name: 'root', layers }]).action
    }
    expect([asked(elsewhere), asked({ ...elsewhere, ownView: true })]).toEqual(['allow', 'ask'])
  })

  test('the other modes and the rules for directories count as ever', () => {
    const command = 'cat /etc/passwd'
    expect(MODES.map((mode) => decided(command, mode))).toEqual(['deny', 'ask', 'ask', 'allow'])
    const rule = (action: 'ask' | 'deny') => ({ tool: 'external_directory', pattern: '/etc/**', action })
    expect(decided(command, 'auto', rule('ask'))).toBe('ask')
    expect(decided(command, 'auto', rule('deny'))).toBe('deny')
    expect(decided(command, 'ask', bashRule('allow cat *'))).toBe('ask')
  })

  test('only mode auto asks less, and never about files of the workspace', () => {
    const rows = rowsOf<CorpusRow>(readFileSync(new URL('fixtures/attacks.jsonl', import.meta.url), 'utf8'))
    for (const { command } of rows)
      for (const mode of MODES) {
        const chain = [{ name: 'root', layers: [modeLayer(mode)] }]
        const call = callOf('bash', command, SECRET_FILES)
        const free = decide(call, chain)
        const confined = decide({ ...call, confinedTo: ['/repo', '/data/added'] }, chain)
        if (free.action === confined.action) continue
        expect({ command, mode, why: free.why }).toMatchObject({
          mode: 'auto',
          why: expect.stringMatching(/external_directory/),
        })
        expect(confined.action).toBe('allow')
      }
    expect(rows.length).toBeGreaterThan(100)
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
/** An agent called through a tool of its own. */
const typedCall = (agent: string) => ({ ...callOf('task', agent), tool: 'code_search', alsoTool: 'task' })
const calls = fc.oneof(
  commands.map((command) => callOf('bash', command)),
  fc
    .constantFrom('src/a.ts', '.env', '/etc/x', 'b')
    .chain((path) => fc.constantFrom('read', 'edit', 'write').map((tool) => callOf(tool, path))),
  fc.constantFrom('explore', 'general').map((name) => callOf('task', name)),
  fc.constantFrom('explore', 'general').map((name) => typedCall(name)),
)
/** Calls that have exactly one item. */
const single = fc.oneof(
  fc.constantFrom('ls', 'git status', 'git push', 'touch x').map((command) => callOf('bash', command)),
  fc.constantFrom('src/a.ts', 'b').map((path) => callOf('edit', path)),
)
const rules = fc.record({
  tool: fc.constantFrom(
    '*',
    'bash',
    'shell',
    'files',
    'edit',
    'read',
    'write',
    'task',
    'code_search',
    'external_directory',
  ),
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

test('a tool with a second name obeys the rules of both, and the last match wins', () => {
  const action = (...rules: readonly Rule[]) => decide(typedCall('explore'), [root(...rules)], []).action
  expect(action()).toBe('allow')
  expect(action({ tool: 'task', action: 'deny' })).toBe('deny')
  expect(action({ tool: 'task', pattern: 'explore', action: 'ask' })).toBe('ask')
  expect(action({ tool: 'task', pattern: 'general', action: 'deny' })).toBe('allow')
  expect(action({ tool: 'task', action: 'deny' }, { tool: 'code_search', action: 'allow' })).toBe('allow')
  expect(action({ tool: 'code_search', action: 'allow' }, { tool: 'task', action: 'deny' })).toBe('deny')
})

test('by rules alone no level allows more than the levels above it', () => {
  fc.assert(
    fc.property(calls, fc.array(levels, { maxLength: 4 }), levels, (call, parents, child) => {
      const parent = decide(call, parents, []).action
      const below = decide(call, [...parents, child], []).action
      // a chain without a root has no level whose silence means the default
      if (parents.length > 0) expect(strictest(parent, below)).toBe(below)
    }),
    { numRuns: 2000 },
  )
})

describe('delegations', () => {
  const implementer = levelOf('agent implementer', [])
  const lifted: readonly Grant[] = [{ tool: 'edit', pattern: 'src/**' }]
  const chain = (above: Level, rules: readonly Rule[] = READ_ONLY) =>
    [above, { ...levelOf('agent planner', rules), lifted }, implementer] as const
  const free = root({ tool: '*', action: 'allow' })

  test('lift what they name and nothing else', () => {
    const action = (tool: string, argument: string) => actionOf(tool, argument, ...chain(free))
    expect(action('edit', 'src/a.ts')).toBe('allow')
    expect(action('edit', 'test/a.ts')).toBe('deny')
    expect(action('write', 'src/a.ts')).toBe('deny')
    expect(action('bash', 'ls')).toBe('deny')
    expect(action('edit', 'link_out/src/a.ts')).toBe('deny')
  })

  test('do not affect the root level or file guards', () => {
    const decided = (above: Level) => actionOf('edit', 'src/a.ts', ...chain(above))
    expect(decided(root())).toBe('ask')
    expect(decided(root({ tool: 'edit', action: 'deny' }))).toBe('deny')
    expect(decided({ name: 'root', layers: [modeLayer('plan')] })).toBe('deny')
    expect(actionOf('edit', 'src/.env', ...chain(free))).toBe('ask')
  })

  test('do not affect the levels below and between', () => {
    const denies = levelOf('restrictions of this spawn', [{ tool: 'edit', action: 'deny' }])
    expect(actionOf('edit', 'src/a.ts', ...chain(free), denies)).toBe('deny')
    const [above, planner, own] = chain(free)
    expect(actionOf('edit', 'src/a.ts', above, denies, planner, own)).toBe('deny')
    expect(actionOf('edit', 'src/a.ts', { ...above, ...denies, lifted }, own)).toBe('deny')
  })

  test('do not apply to a command that does, or may do, more than they name', () => {
    const may = [{ tool: 'bash', pattern: 'npm test *' }]
    const planner = { ...levelOf('agent planner', READ_ONLY), lifted: may }
    const action = (command: string) => actionOf('bash', command, root(bashRule('allow npm *')), planner)
    expect(action('npm test x')).toBe('allow')
    for (const command of ['npm test > x', 'npm test "$X"', 'npm test && ls', 'env npm test', '$(npm test)'])
      expect(action(command), command).toBe('deny')
  })

  test('never grant more than the parent holds, than they name, or than the root level allows', () => {
    fc.assert(
      fc.property(
        fc.oneof(calls, single),
        fc.array(levels, { minLength: 1, maxLength: 3 }),
        levels,
        levels,
        fc.array(
          fc.record({ tool: rules.map(({ tool }) => tool), pattern: rules.map((rule) => rule.pattern) }),
          {
            maxLength: 2,
          },
        ),
        (call, above, parent, child, names) => {
          const decided = decide(call, [...above, { ...parent, lifted: names }, child], []).action
          const atMost = (...most: readonly Level[]) => {
            const action = decide(call, most, []).action
            expect(strictest(decided, action)).toBe(decided)
          }
          atMost(...above, child) // as if the parent did not exist
          atMost(above[0]!)
          const strict = decide(call, [...above, parent, child], []).action
          expect(strictest(decided, strict)).toBe(strict)
          const named = names.map((name): Rule => ({ ...name, action: 'allow' }))
          const only = decide(call, [levelOf('named', [{ tool: '*', action: 'deny' }, ...named])], []).action
          if (callItems(call, shellItems).length === 1 && only === 'deny') expect(decided).toBe(strict)
        },
      ),
      { numRuns: 3000 },
    )
  })
})

const READ_ONLY: readonly Rule[] = [
  { tool: '*', action: 'deny' },
  { tool: 'read', action: 'allow' },
]

describe('what a command asks for beyond its sandbox', () => {
  const host = { kind: 'sandbox_network', value: 'a.example:443' } as const
  const directory = { kind: 'sandbox_write', value: '/data/out' } as const
  const asking = (...more: PermissionCall['subjects']): PermissionCall => {
    const call = callOf('bash', 'npm ci')
    return { ...call, subjects: [...call.subjects, ...more] }
  }
  const allowAll = root({ tool: '*', action: 'allow' }, { tool: 'bash', action: 'allow' })

  test.each(MODES)('is never part of mode %s, nor of an allow for everything', (mode) => {
    const { layers } = allowAll
    for (const each of [host, directory]) {
      const { action } = decide(asking(each), [{ name: 'root', layers: [...layers, modeLayer(mode)] }])
      expect(action).toBe(mode === 'plan' ? 'deny' : 'ask')
    }
  })

  test('is what an answer that lasts is about, and nothing else of the call', () => {
    const grant = { tool: 'sandbox_network', pattern: 'a.example:443' }
    expect(decide(asking(host), [allowAll]).grant).toEqual(grant)
    expect(decide(asking(host), [root()])).toEqual({
      action: 'ask',
      why: 'no rule matches, and bash asks by default; access to a.example:443 is beyond the settings of the sandbox, and asks',
      grant,
    })
    expect(decide(asking(host, directory), [allowAll]).grant).toBeNull()
    expect(decide(asking(host), [root()], [grant])).toMatchObject({
      action: 'ask',
      grant: { tool: 'bash', pattern: 'npm ci *' },
    })
    expect(decide(asking(host), [allowAll], [grant]).action).toBe('allow')
  })

  test.each([
    ['sandbox_network', 'a.example:443', 'allow'],
    ['sandbox_network', 'a.example', 'allow'],
    ['sandbox_network', '*.example', 'allow'],
    ['sandbox_network', 'a.example:8443', 'ask'],
    ['sandbox_network', 'b.example', 'ask'],
    ['sandbox_write', '/data/out', 'ask'],
    ['bash', '*', 'ask'],
    ['*', '*', 'ask'],
  ])('an answer for %s %s leaves it at %s', (tool, pattern, action) => {
    expect(decide(asking(host), [allowAll], [{ tool, pattern }]).action).toBe(action)
    expect(isGranted({ ...asking(), subjects: [host] }, [allowAll], [{ tool, pattern }])).toBe(
      action === 'allow',
    )
  })

  test('a denial at any level is stronger than an answer', () => {
    const grant = { tool: 'sandbox_network', pattern: 'a.example:443' }
    const denied = levelOf('agent', [{ tool: 'sandbox_network', action: 'deny' }])
    const only = { ...asking(), subjects: [host] }
    expect(decide(only, [allowAll, denied], [grant]).action).toBe('deny')
    expect(isGranted(only, [allowAll, denied], [grant])).toBe(false)
    expect(isGranted(only, [root({ tool: 'sandbox_network', action: 'allow' })], [])).toBe(false)
  })
})
