import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../test/support/any-character.ts'
import { terminalLine, terminalText } from './terminal-text.ts'

interface Row {
  readonly id: string
  readonly payload: string
  readonly why: string
}

const rows = readFileSync(new URL('fixtures/ansi.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row)

/** Code points, so that nothing is shared with the expression that is tested. */
function interpreted(text: string): string[] {
  return [...text].filter((char) => {
    const code = char.codePointAt(0)!
    if (code < 0x20) return code !== 0x09 && code !== 0x0a
    const isBidi =
      code === 0x061c ||
      code === 0x200e ||
      code === 0x200f ||
      (code >= 0x202a && code <= 0x202e) ||
      (code >= 0x2066 && code <= 0x2069)
    return (code >= 0x7f && code <= 0x9f) || isBidi
  })
}

/** The basic plane, which has all characters that control anything. */
const bmp = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))

const controls = fc.constantFrom(
  '\u001b',
  '\u009b',
  '\u0007',
  '\r',
  '\r\n',
  '\n',
  '\t',
  '\u007f',
  '\u200f',
  '\u2066',
  '\u0000',
  '\u061c',
  '\u2028',
  '[31m',
  'é',
  '行',
  '🎉',
)
const texts = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(controls).map((parts) => parts.join('')),
)

describe('text on its way to a terminal', () => {
  test('holds nothing that a terminal interprets', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(interpreted(terminalText(text))).toEqual([])
        expect(interpreted(terminalLine(text))).toEqual([])
        expect(terminalLine(text)).not.toMatch(/[\n\t\u2028\u2029]/)
      }),
    )
  })

  test('shows that something was there, and changes nothing else', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = terminalText(text)
        expect([...shown]).toHaveLength([...text.replaceAll('\r\n', '\n')].length)
        if (interpreted(text).length === 0 && !/[\u2028\u2029]/.test(text)) expect(shown).toBe(text)
      }),
    )
  })

  test('is the same when it is treated twice', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(terminalText(terminalText(text))).toBe(terminalText(text))
      }),
    )
  })

  test.each(rows)('$id: $why', ({ payload }) => {
    expect(interpreted(terminalText(payload))).toEqual([])
    expect(interpreted(terminalLine(payload))).toEqual([])
    expect(terminalText(payload).length).toBeGreaterThanOrEqual(payload.replaceAll('\r\n', '\n').length)
  })

  test('shows what turns the direction of writing, as Unicode defines it', () => {
    for (const char of bmp) if (/\p{Bidi_Control}/u.test(char)) expect(terminalText(char)).toBe('\ufffd')
  })

  test('a line break of Windows is one line break, a lone carriage return is shown', () => {
    expect(terminalText('a\r\nb\rc')).toBe('a\nb␍c')
  })

  test('marks that turn the direction of writing are shown', () => {
    expect(terminalText('a\u200eb\u200fc\u061cd\u202ee\u2067f')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf')
  })

  test('a megabyte of escapes is treated at once', () => {
    const shown = terminalText('\u001b['.repeat(500_000))
    expect(shown).toBe('␛['.repeat(500_000))
  })
})
