import { describe, expect, test } from 'vitest'
import { narrowConfig } from './narrow-config.ts'
import { broadFirst } from './trust-request.ts'
import { kindsText, requestText, shortened } from './request-text.ts'

const SOURCE = { file: 'offshoot.jsonc', sha256: 'x', root: '/nowhere' }
const LONG = 'x'.repeat(5_000)

describe('what a person is shown of a request', () => {
  test('has at most 200 characters, whatever the file says', () => {
    const { requests } = narrowConfig(
      {
        model: `scripted:${LONG}`,
        smallModel: `anthropic/${LONG}`,
        prices: { [LONG]: { input: 0, output: 0 } },
        permissions: [{ tool: 'bash', pattern: LONG.slice(0, 1_000), action: 'allow' }],
        agents: { [LONG]: { model: `scripted:${LONG}` } },
      },
      { smallModel: LONG },
      SOURCE,
      () => false,
    )
    expect(requests).toHaveLength(5)
    for (const { text } of requests) {
      expect(text.length).toBeLessThanOrEqual(200)
      expect(text).toMatch(/… \d+ characters in all …/)
    }
    expect(requests.map(({ text }) => text)).toEqual([
      expect.stringContaining('(the script cannot be read)'),
      expect.stringMatching(/^sets smallModel to anthropic\//),
      expect.stringMatching(/^sets prices\./),
      expect.stringMatching(/^allows bash with .*x without asking$/),
      expect.stringContaining('(the script cannot be read)'),
    ])
  })

  test('keeps the beginning and the end, and says how much there is', () => {
    expect(requestText('short', ' tail')).toBe('short tail')
    expect(shortened(`ab${LONG}yz`)).toMatch(/^abx+… 5004 characters in all …x+yz$/)
    expect(shortened('😀'.repeat(500)).isWellFormed()).toBe(true)
  })
})

test('what grants most comes first, and the rest stays in order', () => {
  const allow = (tool: string, pattern?: string) => ({
    tool,
    action: 'allow',
    ...(pattern === undefined ? {} : { pattern }),
  })
  const { requests } = narrowConfig(
    {
      limits: { budgetUsd: 1_000 },
      permissions: [allow('bash', 'git log *'), allow('bash'), allow('write', '**'), allow('*', 'src/*')],
      smallModel: 'a/b',
      model: 'scripted:x.json',
    },
    {},
    SOURCE,
    () => false,
  )
  expect(broadFirst(requests).map(({ key }) => key)).toEqual([
    'permissions.1',
    'permissions.2',
    'permissions.3',
    'model',
    'limits.budgetUsd',
    'permissions.0',
    'smallModel',
  ])
})

test('a long list is counted by kind', () => {
  const rules = Array.from({ length: 10 }, () => ({ kind: 'rule' }))
  expect(kindsText(rules)).toBe('')
  expect(kindsText([...rules, { kind: 'model' }])).toBe(': 10 rules, 1 model')
})
