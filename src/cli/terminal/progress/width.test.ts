import { describe, expect, it } from 'vitest'
import { cutToWidth, drawable, rowsOf, widthOf } from './width.ts'

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

  it('counts none for marks, and still ends', () => {
    expect(cutToWidth('e\u0301e\u0301', 2)).toBe('e\u0301e\u0301')
    expect(cutToWidth(`x${'\u0300'.repeat(3_000)}`, 10).length).toBeLessThan(50)
  })
})

describe('widths', () => {
  it('are those of cells: wide characters two, marks none', () => {
    expect(['a', '行', '😀', 'e\u0301', '🇩🇪', '⚑', '⏸', '䷀', 'ｱ', 'Ａ', '𗀀'].map(widthOf)).toEqual([
      1, 2, 2, 1, 4, 1, 1, 2, 1, 2, 2,
    ])
  })

  it('are one column for ASCII and for the shapes that the program draws, as Unicode defines it', () => {
    const shapes = Array.from({ length: 0x5d }, (_, at) => String.fromCharCode(0x25a0 + at))
    const ascii = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code))
    const odd = /[\p{M}\p{Default_Ignorable_Code_Point}\p{Emoji_Presentation}]/u
    expect([...ascii, ...shapes].filter((char) => odd.test(char))).toEqual([])
    expect([...ascii, ...shapes].filter((char) => widthOf(char) !== 1)).toEqual([])
    expect(['\u25fd', '\u25fe'].map(widthOf)).toEqual([2, 2])
  })

  it('of what is drawn do not depend on joiners and selectors', () => {
    expect(drawable('👨‍👩‍👧 ❤️ a\u00adb\u3164c')).toBe('👨👩👧 ❤ abc')
    expect(drawable(`x${'\u0300'.repeat(9)}`)).toBe('x\u0300\u0300')
    expect(drawable(' a\r\nb\u001b[2J\u202ec ')).toBe('a b␛[2J\ufffdc')
  })

  it('give the rows of a line when the terminal becomes narrow', () => {
    expect(rowsOf('', 10)).toBe(1)
    expect(rowsOf('0123456789', 10)).toBe(1)
    expect(rowsOf('\u001b[2m0123456789\u001b[22ma', 10)).toBe(2)
    expect(rowsOf('行行行', 5)).toBe(2) // nothing stands half on the edge
    expect(rowsOf('行行行', 3)).toBe(3)
  })
})
