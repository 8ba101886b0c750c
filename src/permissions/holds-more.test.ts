import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Rule } from '../core/agent.ts'
import { bashRule, callOf, decide, levelOf } from './fixtures/example-workspace.ts'
import { holdsMore, type Rights } from './holds-more.ts'
import { strictest } from './item.ts'
import { modeLayer, MODES } from './modes.ts'
import type { Grant, Layer, Level } from './types.ts'

const outside: Grant = { tool: 'external_directory', pattern: '/srv/**' }
const config: Layer = { name: 'user config', rules: [bashRule('allow ls *'), bashRule('ask git push*')] }
const base = root(config)
const reader = levelOf('agent reader', [{ tool: 'edit', action: 'deny' }])
const own: Rights = { chain: [base, reader], tools: ['read', 'bash'], grants: [outside] }

function root(...layers: readonly Layer[]): Level {
  return { name: 'root', layers }
}

function line(...rules: readonly Rule[]): Layer {
  return { name: 'command line', rules }
}

describe('nothing more', () => {
  test.each<[string, Partial<Rights>]>([
    ['than the same', {}],
    ['with fewer tools and permissions', { tools: ['read'], grants: [] }],
    ['with an additional deny rule', { chain: [root(config, line(bashRule('deny rm *'))), reader] }],
    ['in the mode plan', { chain: [root(config, modeLayer('plan')), reader] }],
    ['with an additional ancestor', { chain: [base, levelOf('agent a', [bashRule('ask *')]), reader] }],
    ['with the same rules under another name', { chain: [base, { ...reader, name: 'other' }] }],
  ])('%s', (_, more) => {
    expect(holdsMore({ ...own, ...more }, own)).toBe(undefined)
  })

  test('if the other may do everything without asking', () => {
    const free = { ...own, chain: [root(config, modeLayer('auto')), reader] }
    expect(holdsMore(own, free)).toBe(undefined)
  })

  test('if the other is restricted by an agent without an opinion', () => {
    const bound = { ...own, chain: [base, levelOf('agent silent', []), reader] }
    expect(holdsMore(own, bound)).toBe(undefined)
  })
})

describe('more', () => {
  test.each<[string, Partial<Rights>]>([
    [
      'has more allowed: bash:rm * (command line)',
      { chain: [root(config, line(bashRule('allow rm *'))), reader] },
    ],
    [
      'has more allowed: external_directory:/x/** (command line)',
      {
        chain: [
          root(config, line({ tool: 'external_directory', pattern: '/x/**', action: 'allow' })),
          reader,
        ],
      },
    ],
    [
      'has more allowed: every write (mode accept-edits)',
      { chain: [root(config, modeLayer('accept-edits')), reader] },
    ],
    ['is not bound by user config', { chain: [root(), reader] }],
    ['is not bound by agent reader', { chain: [base] }],
    ['is not bound by agent reader', { chain: [base, { ...reader, lifted: [{ tool: 'edit' }] }] }],
    ['is not bound by agent reader', { chain: [base, { ...reader, directory: '/w/sub' }] }],
    ['has the tool webfetch', { tools: ['read', 'webfetch'] }],
    ['has a permission that a person gave: external_directory', { grants: [{ tool: 'external_directory' }] }],
    ['has a permission that a person gave: bash:npm *', { grants: [{ tool: 'bash', pattern: 'npm *' }] }],
  ])('%s', (said, more) => {
    expect(holdsMore({ ...own, ...more }, own)).toBe(said)
  })
})

const calls = fc.constantFrom(
  callOf('bash', 'git push origin'),
  callOf('bash', 'ls src > x'),
  callOf('bash', 'rm -r src && ls'),
  callOf('bash', 'cat "$X"'),
  callOf('edit', 'src/a.ts'),
  callOf('read', '/etc/passwd'),
  callOf('write', '.git/config'),
  callOf('task', 'explore'),
  callOf('webfetch', 'example.com'),
)
const rules = fc.record({
  tool: fc.constantFrom('*', 'bash', 'edit', 'read', 'files', 'task', 'external_directory'),
  pattern: fc.constantFrom('*', 'git *', 'ls*', 'src/**', '/etc/*', 'cat *', 'e*'),
  action: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
})
const layers = fc.oneof(
  fc.record({ name: fc.constant('layer'), rules: fc.array(rules, { maxLength: 3 }) }),
  fc.constantFrom(...MODES).map(modeLayer),
)
const grants = fc.array(
  fc.record({ tool: rules.map(({ tool }) => tool), pattern: rules.map((rule) => rule.pattern) }),
  {
    maxLength: 2,
  },
)
const levels = fc.record({
  name: fc.constant('level'),
  layers: fc.array(layers, { maxLength: 3 }),
  lifted: grants,
})
const rights = fc.record({
  chain: fc.array(levels, { minLength: 1, maxLength: 3 }),
  tools: fc.constant([]),
  grants,
})

/** A second set of rights that overlaps with the first. */
const pairs = fc.tuple(rights, rights, fc.infiniteStream(fc.boolean())).map(([own, more, choices]) => {
  const keep = () => choices.next().value as boolean
  const mixed = <T>(some: readonly T[], others: readonly T[]) => [
    ...some.filter(keep),
    ...others.filter((each) => keep() && !some.includes(each)),
  ]
  const levelFrom = (level: Level, at: number): Level => {
    const [layers, lifted] = [more.chain[at]?.layers ?? [], more.chain[at]?.lifted ?? []]
    return { ...level, layers: mixed(level.layers, layers), lifted: mixed(level.lifted ?? [], lifted) }
  }
  const [first, ...rest] = own.chain
  const chain = [
    levelFrom(first!, 0),
    ...rest.map((level, at) => (keep() ? level : levelFrom(level, at + 1))),
  ]
  return [
    own,
    {
      ...own,
      chain: [...chain, ...more.chain.slice(own.chain.length)],
      grants: mixed(own.grants, more.grants),
    },
  ] as const
})

test('whoever does not hold more is never allowed more', () => {
  let compared = 0
  fc.assert(
    fc.property(calls, pairs, (call, [own, other]) => {
      if (holdsMore(other, own) !== undefined) return
      compared++
      const action = decide(call, other.chain, other.grants).action
      expect(strictest(action, decide(call, own.chain, own.grants).action)).toBe(action)
    }),
    { numRuns: 2000 },
  )
  expect(compared).toBeGreaterThan(200)
})
