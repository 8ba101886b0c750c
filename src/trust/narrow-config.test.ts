import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Action, Rule } from '../core/agent.ts'
import { decide } from '../permissions/fixtures/example-workspace.ts'
import { modeLayer, MODES } from '../permissions/modes.ts'
import type { Layer, PermissionCall } from '../permissions/types.ts'
import type { RawConfig } from '../config/config-file.ts'
import { narrowConfig } from './narrow-config.ts'
import { isCovered, type IsGranted } from './trust-request.ts'

const RANK: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 }
const SOURCE = { file: 'offshoot.jsonc', sha256: 'x', root: '/nowhere' }

const action = fc.constantFrom<Action>('allow', 'ask', 'deny')
const rule: fc.Arbitrary<Rule> = fc
  .record({
    tool: fc.constantFrom('bash', 'shell', 'read', 'write', 'files', '*', 'external_directory', 'webfetch'),
    pattern: fc.option(
      fc.constantFrom(
        'git *',
        'git push*',
        '*',
        'rm *',
        'src/**',
        '**/*.md',
        'example.org/*',
        'git push --force',
      ),
      { nil: undefined },
    ),
    action,
  })
  .map(({ pattern, ...rest }) => (pattern === undefined ? rest : { ...rest, pattern }))
const rules = fc.array(rule, { maxLength: 6 })

const path = (text: string) => ({
  absolute: text.startsWith('/') ? text : `/w/${text}`,
  relative: text,
  outside: text.startsWith('/'),
  guarded: null,
})
const call = fc.oneof(
  fc
    .constantFrom(
      'git status',
      'git push',
      'git push --force && rm x',
      'rm -rf src',
      'git $X',
      'cat src/a.md > b',
    )
    .map((command): PermissionCall => ({
      tool: 'bash',
      toolset: 'shell',
      effects: 'execute',
      subjects: [{ kind: 'command', command }],
      resolvePath: path,
    })),
  fc
    .tuple(fc.constantFrom('read', 'write'), fc.constantFrom('src/a.ts', 'docs/b.md', '/etc/x'))
    .map(([tool, text]): PermissionCall => ({
      tool,
      toolset: 'files',
      effects: tool === 'read' ? 'none' : 'write',
      subjects: [{ kind: 'path', path: path(text) }],
      resolvePath: path,
    })),
  fc.constant<PermissionCall>({
    tool: 'webfetch',
    toolset: 'web',
    effects: 'network',
    subjects: [{ kind: 'host', value: 'example.org/a' }],
    resolvePath: path,
  }),
)
const above = fc.record({ user: rules, mode: fc.constantFrom(...MODES) })

type Above = { readonly user: readonly Rule[]; readonly mode: (typeof MODES)[number] }

function decided(
  asked: PermissionCall,
  { user, mode }: Above,
  project: readonly Rule[],
  pinned: readonly Rule[] = [],
): number {
  const layers: Layer[] = [
    { name: 'user config', rules: user },
    { name: 'project config as trusted', rules: pinned },
    { name: 'project config', rules: project },
    modeLayer(mode),
  ]
  return RANK[decide(asked, [{ name: 'root', layers }]).action]
}

function inForce(project: readonly Rule[], isGranted: IsGranted): readonly Rule[] {
  const { values } = narrowConfig({ permissions: project }, {}, SOURCE, isGranted)
  return (values['permissions'] ?? []) as readonly Rule[]
}

const identities = (project: readonly Rule[]) =>
  narrowConfig({ permissions: project }, {}, SOURCE, () => false).requests.map(({ identity }) => identity)

describe('rules of a project', () => {
  test('that nobody has granted never allow more than without the project, nor than all of them', () => {
    fc.assert(
      fc.property(call, above, rules, (asked, base, project) => {
        const now = decided(
          asked,
          base,
          inForce(project, () => false),
        )
        expect(now).toBeLessThanOrEqual(decided(asked, base, []))
        expect(now).toBeLessThanOrEqual(decided(asked, base, project))
      }),
      { numRuns: 5_000 },
    )
  })

  test('of which some are granted never allow more than all of them, and all granted are all', () => {
    fc.assert(
      fc.property(call, above, rules, fc.func(fc.boolean()), (asked, base, project, isGranted) => {
        const some = decided(
          asked,
          base,
          inForce(project, (request) => isGranted(request.identity)),
        )
        expect(some).toBeLessThanOrEqual(decided(asked, base, project))
        expect(inForce(project, () => true)).toEqual(project)
      }),
      { numRuns: 5_000 },
    )
  })

  test('that change allow nothing that those did not allow that were granted', () => {
    fc.assert(
      fc.property(call, above, rules, rules, fc.nat(6), (asked, base, before, more, at) => {
        const accepted = identities(before)
        const after = [...before.slice(0, at), ...more, ...before.slice(at + 1)]
        const granted = inForce(after, (request) => accepted.some((each) => isCovered(each, request)))
        const pinned = inForce(before, () => false)
        if (decided(asked, base, granted, pinned) === RANK.allow)
          expect(decided(asked, base, before)).toBe(RANK.allow)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('values of a project', () => {
  const narrowed = (project: RawConfig, user: RawConfig = {}) => {
    const { values, requests } = narrowConfig(project, user, SOURCE, () => false)
    return { values, asked: requests.map(({ key }) => key) }
  }

  test.each<[RawConfig, RawConfig, RawConfig]>([
    [{ limits: { maxTurns: 5 } }, {}, { limits: { maxTurns: 5 } }],
    [{ limits: { budgetUsd: 50 } }, { limits: { budgetUsd: null } }, { limits: { budgetUsd: 50 } }],
    [{ limits: { timeoutMs: 1 } }, {}, { limits: { timeoutMs: 1 } }],
    [{ delegation: 'ask' }, {}, { delegation: 'ask' }],
    [{ recovery: 'pause' }, {}, { recovery: 'pause' }],
    [{ model: 'a/b' }, { model: 'a/b' }, { model: 'a/b' }],
    [
      { announce: 'summary', discovery: 'on', $schema: 'x' },
      {},
      { announce: 'summary', discovery: 'on', $schema: 'x' },
    ],
    [{ agents: { explore: { maxTurns: 3 } } }, {}, { agents: { explore: { maxTurns: 3 } } }],
  ])('that narrow are in force: %j', (project, user, values) => {
    expect(narrowed(project, user)).toEqual({ values, asked: [] })
  })

  test.each<[RawConfig, RawConfig, string]>([
    [{ limits: { budgetUsd: 6 } }, {}, 'limits.budgetUsd'],
    [{ limits: { budgetUsd: null } }, {}, 'limits.budgetUsd'],
    [{ limits: { maxTurns: 6 } }, { limits: { maxTurns: 5 } }, 'limits.maxTurns'],
    [{ limits: { timeoutMs: null } }, { limits: { timeoutMs: 5 } }, 'limits.timeoutMs'],
    [{ delegation: 'auto' }, { delegation: 'ask' }, 'delegation'],
    [{ recovery: 'continue' }, { recovery: 'pause' }, 'recovery'],
    [{ model: 'scripted:x' }, {}, 'model'],
    [{ smallModel: 'a/b' }, { smallModel: 'a/c' }, 'smallModel'],
    [{ prices: { 'a/b': { input: 0, output: 0 } } }, {}, 'prices.a/b'],
    [{ models: { 'a/b': { maxOutputTokens: 5 } } }, { models: { 'a/c': {} } }, 'models.a/b'],
    [{ subagents: { backend: 'codex' } }, {}, 'subagents.backend'],
    [{ agents: { explore: { maxTurns: 300 } } }, {}, 'agents.explore'],
    [{ agents: { explore: { maxTurns: 4 } } }, { agents: { explore: { maxTurns: 3 } } }, 'agents.explore'],
    [{ agents: { unknown: { maxTurns: 1 } } }, {}, 'agents.unknown'],
    [{ agents: { explore: { model: 'a/b' } } }, {}, 'agents.explore'],
    [{ someday: true }, {}, 'someday'],
  ])('that widen or cost are held back and asked for: %j', (project, user, key) => {
    const { values, asked } = narrowed(project, user)
    expect(asked).toEqual([key])
    const [top] = key.split('.') as [string]
    expect(Object.values(values[top] ?? {})).toEqual([])
  })

  test('a limit is never above that of the user, whatever a project says', () => {
    const amount = fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 20 }))
    fc.assert(
      fc.property(amount, amount, (user, project) => {
        const { values } = narrowed({ limits: { budgetUsd: project } }, { limits: { budgetUsd: user } })
        const { budgetUsd = user } = values['limits'] as { budgetUsd?: number | null }
        expect(budgetUsd ?? Infinity).toBeLessThanOrEqual(user ?? Infinity)
      }),
    )
  })
})
