import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { cutToWidth, drawable, padToWidth, terminalRows, widthOf } from './text-width.ts'

describe('cutToWidth', () => {
  it('leaves alone what fits, and says where something is left out', () => {
    expect(cutToWidth('abcd', 4)).toBe('abcd')
    expect(cutToWidth('abcde', 4)).toBe('abc…')
    expect(cutToWidth('', 4)).toBe('')
    expect(cutToWidth('abc', 0)).toBe('…')
  })

  it('counts two columns for wide characters', () => {
    expect(cutToWidth('行行', 4)).toBe('行行')
    expect(cutToWidth('行行行', 5)).toBe('行行…')
    expect(cutToWidth('行行行', 4)).toBe('行…')
    expect(cutToWidth('😀😀😀', 5)).toBe('😀😀…')
  })

  it('cuts between what a reader sees as characters', () => {
    expect(cutToWidth('🇩🇪🇫🇷', 4)).toBe('🇩🇪🇫🇷')
    expect(cutToWidth('🇩🇪🇫🇷🇮🇹', 5)).toBe('🇩🇪🇫🇷…')
    expect(cutToWidth('🇩🇪🇫🇷', 3)).toBe('🇩🇪…')
    expect(cutToWidth('👍🏽👍🏽', 3)).toBe('👍🏽…')
    expect(cutToWidth('👍🏽👍🏽', 2)).toBe('…')
    expect(cutToWidth('\u1112\u1161\u11ab\u1112\u1161\u11ab', 3)).toBe('\u1112\u1161\u11ab…')
    expect(cutToWidth('abe\u0301fg', 4)).toBe('abe\u0301…')
  })

  it('keeps to the columns, and leaves no part of what fits behind', () => {
    const piece = fc.constantFrom(
      'a',
      '—',
      '行',
      '🇩🇪',
      '🇩',
      '👍🏽',
      '🏽',
      '👩',
      'e\u0301',
      'ｱ',
      'नि',
      '\u0300',
      '1',
    )
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 1, max: 30 }), (pieces, columns) => {
        const text = drawable(pieces.join(''))
        const cut = cutToWidth(text, columns)
        expect(stringWidth(cut)).toBeLessThanOrEqual(columns)
        if (stringWidth(text) <= columns) expect(cut).toBe(text)
        else expect(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true)
      }),
    )
  })

  it('counts none for marks, and still ends', () => {
    expect(cutToWidth('e\u0301e\u0301', 2)).toBe('e\u0301e\u0301')
    expect(cutToWidth(`x${'\u0300'.repeat(3_000)}`, 10).length).toBeLessThan(50)
  })
})

describe('widths', () => {
  it('are those of cells: wide characters two, marks none', () => {
    expect(['a', '行', '😀', 'e\u0301', '⚑', '⏸', '䷀', 'ｱ', 'Ａ', '𗀀'].map(widthOf)).toEqual([
      1, 2, 2, 1, 1, 1, 2, 1, 2, 2,
    ])
  })

  it.each([
    ['a flag', '🇩🇪', 2],
    ['a skin tone', '👍🏽', 2],
    ['a skin tone on a person', '👩🏿', 2],
    ['a family', '👨‍👩‍👧', 2],
    ['a person at work', '👩🏽‍🚀', 2],
    ['marks', 'Z\u0351\u036b\u0343', 1],
    ['a syllable of parts', '\u1112\u1161\u11ab', 2],
    ['trigrams', '☰', 2],
    ['what the terminal reads as a command', '\u001b[31mred\u001b[0m', 3],
    ['control characters', 'a\u0007b\u0085', 2],
  ])('of %s', (_, text, columns) => {
    expect(widthOf(text)).toBe(columns)
    expect(padToWidth(text, 5)).toBe(text + ' '.repeat(5 - columns))
  })

  it('of plain text are those of the package, which is not asked', () => {
    const char = fc.integer({ min: 0x20, max: 0x2fff }).map((code) => String.fromCharCode(code))
    const plain = fc.array(char).map((chars) => chars.filter((each) => widthOf(each) === 1).join(''))
    fc.assert(
      fc.property(plain, (text) => {
        expect(widthOf(text)).toBe(stringWidth(text))
      }),
    )
    for (let code = 0x20; code <= 0xffff; code++) {
      const one = String.fromCharCode(code)
      if (widthOf(one) !== stringWidth(one)) expect.fail(`U+${code.toString(16)}`)
    }
  })

  it('of what is drawn do not depend on joiners and selectors', () => {
    expect(drawable('👨‍👩‍👧 ❤️ a\u00adb\u3164c')).toBe('👨👩👧 ❤ abc')
    expect(drawable(`x${'\u0300'.repeat(9)}`)).toBe('x\u0300\u0300')
    expect(drawable(' a\r\nb\u001b[2J\u202ec ')).toBe('a b␛[2J\ufffdc')
  })

  it('give the rows of a line when the terminal becomes narrow', () => {
    expect(terminalRows('', 10)).toBe(1)
    expect(terminalRows('0123456789', 10)).toBe(1)
    expect(terminalRows('\u001b[2m0123456789\u001b[22ma', 10)).toBe(2)
    expect(terminalRows('行行行', 5)).toBe(2) // nothing stands half on the edge
    expect(terminalRows('行行行', 3)).toBe(3)
    expect(terminalRows('🇩🇪🇫🇷', 4)).toBe(1)
    expect(terminalRows('\u001b[1m🇩🇪🇫🇷🇮🇹\u001b[22m', 5)).toBe(2)
  })
})
