import { describe, expect, it } from 'vitest'
import { cutToWidth } from './width.ts'

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
