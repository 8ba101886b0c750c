import { expect, test } from 'vitest'
import { MAX_PATTERN_LENGTH } from './pattern.ts'
import { parseRule } from './rule.ts'

test('reads the long and the short form', () => {
  expect(parseRule({ tool: 'bash', pattern: 'git *', action: 'allow' })).toEqual({
    tool: 'bash',
    pattern: 'git *',
    action: 'allow',
  })
  expect(parseRule({ tool: '*', action: 'deny' })).toEqual({ tool: '*', action: 'deny' })
  expect(parseRule('bash:npm run x:y *', 'allow')).toEqual({
    tool: 'bash',
    pattern: 'npm run x:y *',
    action: 'allow',
  })
  expect(parseRule('edit', 'ask')).toEqual({ tool: 'edit', action: 'ask' })
})

test.each([
  [{ tool: '', action: 'allow' }, '"tool"'],
  [{ tool: 'a b', action: 'allow' }, '"tool"'],
  [{ tool: 'bash', action: 'maybe' }, '"action"'],
  [{ tool: 'bash' }, '"action"'],
  [{ tool: 'bash', pattern: '', action: 'allow' }, '"pattern"'],
  [{ tool: 'bash', pattern: 'a'.repeat(MAX_PATTERN_LENGTH + 1), action: 'allow' }, '"pattern"'],
  [{ tool: 'bash', patern: 'x', action: 'allow' }, 'patern'],
  [[], 'object'],
  [null, 'object'],
  ['bash:x', '"action"'],
])('%j is refused with a message that names %s', (input, named) => {
  expect(() => parseRule(input)).toThrow(named)
})
