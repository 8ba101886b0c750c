import { expect, it } from 'vitest'
import { agentMark, agentTitle, NO_MARK } from './agent-mark.ts'

it.each([
  ['🔍', '🔍'],
  [' 🛠️ ', '🛠️'],
  ['👩‍💻', '👩‍💻'],
  ['🇩🇪', '🇩🇪'],
  ['★ reviewer', '★'],
  ['🔍🔍🔍', '🔍'],
  ['R', 'R'],
  ['QA', 'QA'],
  ['é', 'é'],
  ['查', '查'],
])('%j is drawn as %j', (icon, mark) => {
  expect(agentMark(icon)).toBe(mark)
})

it.each([
  null,
  undefined,
  '',
  '   ',
  'robot',
  '<b>',
  '<img src=x onerror=hit()>',
  '\u001b[31m',
  '🔍\u001b[2J',
  '\u202e🔍',
  '\u2066x',
  '\u200b',
  '\u200d',
  '\ufe0f',
  '\ud800',
  '\ue000',
  '\n',
  `a${'\u0301'.repeat(50)}`,
  `★${'\u0301'.repeat(3)}`,
  `👩${'\u200d👩'.repeat(30)}`,
])('%j is no icon', (icon) => {
  expect(agentMark(icon)).toBe(NO_MARK)
})

it('looks at the beginning of a long text alone', () => {
  expect(agentMark('x'.repeat(10_000_000))).toBe(NO_MARK)
  expect(agentMark('🔍'.repeat(1_000_000))).toBe('🔍')
})

it.each([
  ['The scout', 'The scout'],
  [' a\n\u0000b\u2028c ', 'a b c'],
  ['\u202eabc\u2066', 'abc'],
  ['x'.repeat(100), `${'x'.repeat(79)}…`],
  [null, ''],
])('the title %j is drawn as %j', (title, drawn) => {
  expect(agentTitle(title)).toBe(drawn)
})

it('draws each geometric shape as what it is', () => {
  const shapes = Array.from({ length: 0x60 }, (_, at) => String.fromCharCode(0x25a0 + at))
  expect(shapes.map(agentMark)).toEqual(shapes)
  expect(shapes.filter((shape) => !/^\p{S}$/u.test(shape))).toEqual([])
})

it('leaves nothing of a title that controls a screen or the direction of writing, as Unicode defines it', () => {
  const chars = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))
  const drawn = chars.map((char) => [char, agentTitle(`a${char}b`)] as const)
  const gone = drawn.filter(([, title]) => title === 'ab').map(([char]) => char)
  const blank = drawn.filter(([, title]) => title === 'a b').map(([char]) => char)
  expect(gone).toEqual(chars.filter((char) => /[\p{Cs}\p{Bidi_Control}]/u.test(char)))
  expect(blank).toEqual(chars.filter((char) => /[\p{Cc}\p{Zl}\p{Zp}\s]/u.test(char)))
})
