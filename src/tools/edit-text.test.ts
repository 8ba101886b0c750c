import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replaceText } from './edit-text.ts'
import { decodeText, encodeText } from './text-file.ts'

function replace(text: string, old: string, replacement: string, all = false) {
  return replaceText(text, { old, new: replacement, all, name: 'a.ts' })
}

const code = (error: string) => expect.objectContaining({ code: error })

test('replaces one exact match, or all', () => {
  expect(replace('a b c', 'b', '$& $1')).toMatchObject({ text: 'a $& $1 c', count: 1, tolerant: false })
  expect(replace('a b a', 'a', 'aa', true)).toMatchObject({ text: 'aa b aa', count: 2 })
  expect(() => replace('a b a', 'a', 'x')).toThrow(code('ambiguous'))
  expect(() => replace('aaa', 'aa', 'x')).toThrow(code('ambiguous'))
  expect(() => replace('a\nb\na', 'a', 'x')).toThrow(/lines 1, 3/)
  expect(() => replace('abc', 'abc', 'abc')).toThrow(code('no_change'))
  expect(() => replace('abc', '', 'x')).toThrow(code('no_match'))
})

test('white space at line ends may differ', () => {
  expect(replace('if (x) {  \n  y()\t\n}\nz', 'if (x) {\n  y()\n}', 'w').text).toBe('w\nz')
  expect(replace('a  \nb\n', 'a\nb\n', 'c\n')).toMatchObject({ text: 'c\n', tolerant: true })
  expect(replace('a  \nb\nc', 'a\nb\n', '').text).toBe('c')
})

test('a block with different indentation is replaced at the indentation in the file', () => {
  const text = 'class A {\n    f() {\n        g()\n    }\n}\n'
  expect(replace(text, 'f() {\n    g()\n}', 'f() {\n    h()\n\n}').text).toBe(
    'class A {\n    f() {\n        h()\n\n    }\n}\n',
  )
  expect(replace('\tif x:\n\t\ty\n', 'if x:\n\ty\n', 'if x:\n\tz\n').text).toBe('\tif x:\n\t\tz\n')
  expect(replace('a\n  f(x,   y)\n', 'f(x, y)\n', 'g(x)\n').text).toBe('a\n  g(x)\n')
})

test('inexact matching never guesses', () => {
  expect(() => replace('  a\nb\n    a\n', '\ta', 'x')).toThrow(code('ambiguous'))
  expect(() => replace('a {\n  b\n      c\n', '  a {\n    b\n    c\n', 'x')).toThrow(code('no_match'))
  expect(() => replace('\n\n \n', '  \n', 'x')).toThrow(code('no_match'))
  expect(() => replace('alpha\nbeta', 'alpha\ngamma', 'x')).toThrow(code('no_match'))
  expect(() => replace('abc', 'ab c', 'x')).toThrow(code('no_match'))
})

test('for a missing text, the error names the line of its first line', () => {
  let hint: unknown
  try {
    replace('x\nlet a = 1\n', 'let a = 1\nlet b = 2\n', 'y')
  } catch (error) {
    hint = (error as { hint: string }).hint
  }
  expect(hint).toContain('line 2')
})

test('an edit and its reverse restore the original', () => {
  const piece = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '\n', '\r\n', '\t', '€', '😀', '{'),
    maxLength: 12,
  })
  fc.assert(
    fc.property(piece, piece, piece, piece, (before, old, after, next) => {
      const text = before + old + after
      const once = (whole: string, part: string) =>
        part !== '' && whole.indexOf(part) === whole.lastIndexOf(part)
      const changed = before + next + after
      fc.pre(old !== next && once(text, old) && once(changed, next) && changed.includes(next))
      expect(replace(text, old, next).text).toBe(changed)
      expect(replace(changed, next, old).text).toBe(text)
    }),
  )
})

test('decoding and encoding a file preserves every byte', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '\r', '\ufeff', '€', '😀') })
  fc.assert(
    fc.property(text, (content) => {
      const bytes = Buffer.from(content)
      const file = decodeText(bytes, 'a')
      expect(encodeText(file, file.text).equals(bytes)).toBe(true)
    }),
  )
})
