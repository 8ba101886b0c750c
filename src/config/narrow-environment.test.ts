import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultLimits } from '../core/limits.ts'
import { narrowEnvironment } from './narrow-environment.ts'

const limits = { ...defaultLimits, budgetUsd: 5, timeoutMs: null }
const sandbox = { mode: 'auto' as const, network: ['*.example.com'], ports: [5432] }
const below = { limits, sandbox }

test.each([
  ['a rule that allows', { permissions: [{ tool: 'bash', action: 'allow' }] }, { permissions: [] }],
  ['the short form, which allows', { permissions: ['bash:*'] }, { permissions: [] }],
  ['a higher limit', { limits: { budgetUsd: 6 } }, { limits: {} }],
  ['no limit', { limits: { budgetUsd: null } }, { limits: {} }],
  ['a model', { model: 'scripted:x' }, {}],
  ['a laxer sandbox', { sandbox: { mode: 'off' } }, { sandbox: {} }],
  ['another host', { sandbox: { network: ['a.example.com', 'example.org'] } }, { sandbox: {} }],
  ['another port', { sandbox: { ports: [5432, 5433] } }, { sandbox: {} }],
  ['an unknown sandbox', { sandbox: { mode: 'nearly' } }, { sandbox: {} }],
  ['an address', { baseUrls: { openai: 'http://127.0.0.1' } }, {}],
])('%s is left out, and said', (_, values, kept) => {
  expect(narrowEnvironment(values, below)).toEqual({ values: kept, dropped: Object.keys(values) })
})

test('what narrows is kept', () => {
  const permissions = [
    { tool: 'bash', action: 'deny' },
    { tool: 'edit', action: 'ask' },
  ]
  const narrower = { mode: 'required', network: ['a.example.com'], ports: [] }
  const values = { permissions, limits: { budgetUsd: 1, timeoutMs: 1000 }, sandbox: narrower }
  expect(narrowEnvironment(values, below)).toEqual({ values, dropped: [] })
})

test('whatever it says, nothing is allowed and no limit rises', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('permissions', 'limits', 'model', 'agents'), fc.jsonValue()),
      (values) => {
        const { values: kept } = narrowEnvironment(values, below)
        expect(Object.keys(kept).filter((key) => key !== 'permissions' && key !== 'limits')).toEqual([])
        expect(JSON.stringify(kept['permissions'] ?? [])).not.toContain('"action":"allow"')
      },
    ),
  )
})
