import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { MAX_PATTERN_LENGTH } from './pattern-problem.ts'
import { isRule, parseRule, readRule } from './read-rule.ts'
import { ruleNames } from './tool-names.ts'

test('reads the long and the short form', () => {
  expect(parseRule({ tool: 'bash', pattern: 'git *', action: 'allow' })).toEqual({
    tool: 'bash',
    pattern: 'git *',
    action: 'allow',
  })
  expect(parseRule({ tool: '*', action: 'deny' })).toEqual({ tool: '*', action: 'deny' })
  expect(parseRule('bash:npm run x:y *')).toEqual({
    tool: 'bash',
    pattern: 'npm run x:y *',
    action: 'allow',
  })
  expect(parseRule('edit')).toEqual({ tool: 'edit', action: 'allow' })
  const own = [
    { tool: 'bash', pattern: ':*', action: 'deny' },
    { tool: 'bash', pattern: '[ *', action: 'deny' },
    { tool: 'bash', pattern: '[[*', action: 'deny' },
    { tool: 'bash', pattern: "awk '{print $1, $2}'*", action: 'deny' },
    { tool: 'bash', pattern: '/usr/bin/rm *', action: 'deny' },
    { tool: 'read', pattern: 'app/[id]/page.tsx', action: 'allow' },
    { tool: 'webfetch', pattern: 'https://example.com/*', action: 'deny' },
    { tool: 'bash', pattern: 'npm run test:*', action: 'allow' },
    { tool: 'read', pattern: './secrets/**', action: 'deny' },
  ]
  for (const rule of own) expect(parseRule(rule)).toEqual(rule)
})

test.each([...ruleNames, 'deploy', 'my_tool'])('takes a rule for %s', (tool) => {
  expect(readRule({ tool, action: 'deny' })).toEqual({ tool, action: 'deny' })
})

/** What each wrong rule is answered with: the key, and what the sentence has to hold. */
const wrong: readonly (readonly [input: unknown, key: string | null, ...said: string[]])[] = [
  [{ tool: '', action: 'allow' }, 'tool', '"tool"'],
  [{ action: 'allow' }, 'tool', '"tool"'],
  [{ tool: 7, action: 'allow' }, 'tool', '"tool"'],
  [{ tool: 'a b', action: 'allow' }, 'tool', '"a b"'],
  [{ tool: 'Bash', action: 'deny' }, 'tool', '"Bash"', 'did you mean "bash"?'],
  [{ tool: 'WebFetch', action: 'deny' }, 'tool', 'did you mean "webfetch"?'],
  [{ tool: ' bash', action: 'deny' }, 'tool', 'did you mean "bash"?'],
  [{ tool: 'bash:*', action: 'deny' }, 'tool', 'write {"tool": "bash", "action": "deny"}'],
  [
    { tool: 'bash:rm *', action: 'deny' },
    'tool',
    'write {"tool": "bash", "pattern": "rm *", "action": "deny"}',
  ],
  [
    { tool: 'Bash(rm *)', action: 'deny' },
    'tool',
    'write {"tool": "bash", "pattern": "rm *", "action": "deny"}',
  ],
  [
    { tool: 'Bash(rm:*)', action: 'ask' },
    'tool',
    'write {"tool": "bash", "pattern": "rm *", "action": "ask"}',
  ],
  [{ tool: 'Bash(rm', action: 'deny' }, 'tool', '"pattern": "rm"'],
  [{ tool: 'Read(./.env)', action: 'deny' }, 'tool', '"tool": "read", "pattern": "./.env"'],
  [{ tool: 'mcp_github_*', action: 'deny' }, 'tool', 'MCP servers are not available yet'],
  [{ tool: 'github/search', action: 'deny' }, 'tool', 'MCP servers are not available yet'],
  [{ tool: 'b*', action: 'deny' }, 'tool', '"*" for every tool'],
  [{ tool: 'bash', action: 'dney' }, 'action', '"dney"', 'did you mean "deny"?'],
  [{ tool: 'bash', action: 'maybe' }, 'action', '"maybe"', '"allow", "ask" or "deny"'],
  [{ tool: 'bash' }, 'action', 'is missing'],
  [{ tool: 'bash', pattern: '', action: 'allow' }, 'pattern', '"pattern"'],
  [{ tool: 'bash', pattern: '  ', action: 'allow' }, 'pattern', '"pattern"'],
  [{ tool: 'bash', pattern: null, action: 'allow' }, 'pattern', '"pattern"'],
  [{ tool: 'bash', pattern: ['a'], action: 'allow' }, 'pattern', '"pattern"'],
  [{ tool: 'bash', pattern: 'a\0', action: 'allow' }, 'pattern', 'control characters'],
  [
    { tool: 'bash', pattern: 'a'.repeat(MAX_PATTERN_LENGTH + 1), action: 'allow' },
    'pattern',
    '1001 characters',
  ],
  [{ tool: 'bash', pattern: 'rm:*', action: 'deny' }, 'pattern', 'write "rm *"'],
  [
    { tool: 'shell', pattern: 'npm run test:*', action: 'deny' },
    'pattern',
    '"npm run test *"',
    '"npm run test:**"',
  ],
  [{ tool: 'webfetch', pattern: 'domain:example.com', action: 'deny' }, 'pattern', 'write "example.com"'],
  [{ tool: 'read', pattern: '~/.ssh/**', action: 'deny' }, 'pattern', 'home directory'],
  [{ tool: 'bash', pattern: 'Bash(rm *)', action: 'deny' }, 'pattern', 'write "rm *"'],
  [{ tool: 'bash', pattern: ' rm *', action: 'deny' }, 'pattern', 'write "rm *"'],
  [{ tool: 'bash', pattern: '^rm .*$', action: 'deny' }, 'pattern', 'regular expression'],
  [{ tool: 'bash', pattern: '/rm .*/', action: 'deny' }, 'pattern', 'regular expression'],
  [{ tool: 'bash', pattern: '{rm,mv} *', action: 'deny' }, 'pattern', 'each command'],
  [{ tool: 'bash', pattern: 'r? *', action: 'deny' }, 'pattern', 'each command'],
  [{ tool: 'read', pattern: '{a,b}.txt', action: 'deny' }, 'pattern', 'each name'],
  [{ tool: 'read', pattern: '[ab].txt', action: 'deny' }, 'pattern', '"?"'],
  [{ tool: 'read', pattern: '[a-z', action: 'deny' }, 'pattern', '"?"'],
  [{ tool: 'webfetch', pattern: 'https://*.evil.com', action: 'deny' }, 'pattern', 'write "*.evil.com"'],
  [{ tool: 'read', pattern: './/secrets/**', action: 'deny' }, 'pattern', 'write "secrets/**"'],
  [{ tool: 'files', pattern: '../x', action: 'deny' }, 'pattern', '".."'],
  [{ tool: 'edit', pattern: 'src/', action: 'deny' }, 'pattern', 'write "src/**"'],
  [{ tool: 'edit', pattern: '!src/**', action: 'allow' }, 'pattern', 'negate'],
  [{ tool: 'bash', patern: 'x', action: 'allow' }, 'patern', 'did you mean "pattern"?'],
  [{ tool: 'bash', action: 'allow', when: 'now' }, 'when', '"when"'],
  [[], null, 'object'],
  [null, null, 'object'],
  [true, null, 'object'],
  ['', null, '"tool"'],
  [':x', null, '"tool"'],
  ['bash:', null, '"pattern"'],
  ['Bash(rm:*)', null, 'write {"tool": "bash", "pattern": "rm *", "action": "allow"}'],
]

test.each(wrong)('%j is refused: %s, %s', (input, key, ...said) => {
  const read = readRule(input)
  if (isRule(read)) throw new Error(`it is a rule: ${JSON.stringify(read)}`)
  if (typeof input === 'object') expect(read.key).toBe(key)
  for (const part of said) expect(read.problem).toContain(part)
  expect(() => parseRule(input)).toThrow(read.problem)
})

describe('whatever is given', () => {
  const word = fc.oneof(
    fc.constantFrom(...ruleNames, 'Bash', 'bsh', 'Bash(rm *)', 'bash:*', 'mcp_x', '__proto__', '(', ':', '~'),
    fc.string({ unit: anyCharacter, maxLength: 40 }),
  )
  const anything = fc.oneof(
    word,
    fc.anything(),
    fc.record({ tool: word, pattern: word, action: word }, { requiredKeys: [] }),
    fc.dictionary(word, fc.anything()),
  )

  test('is a rule with its three keys as they were, or one sentence of bounded length', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const read = readRule(input)
        if (!isRule(read)) {
          expect(read.problem).toMatch(/^[^]{10,1000}$/)
          return
        }
        expect(Object.keys(read).every((key) => ['tool', 'pattern', 'action'].includes(key))).toBe(true)
        if (typeof input === 'object') expect(read).toEqual({ ...input })
        expect(parseRule(read)).toEqual(read)
      }),
      { numRuns: 2_000 },
    )
  })

  test('with one key too many, a rule is none', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ruleNames), fc.string({ minLength: 1 }), (tool, key) => {
        fc.pre(!['tool', 'pattern', 'action'].includes(key))
        const input: unknown = JSON.parse(
          `{"tool": ${JSON.stringify(tool)}, "action": "allow", ${JSON.stringify(key)}: 1}`,
        )
        expect(isRule(readRule(input))).toBe(false)
      }),
    )
  })
})
