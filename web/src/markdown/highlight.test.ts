import { afterEach, expect, it, vi } from 'vitest'
import { coloursOf } from './code-languages.ts'
import { highlight } from './highlight.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const CODE = "export const text = 'a' // what it is\nconst more = `${text} b`\n".repeat(20)

it('gives the same colours on a machine on which every look at the clock is seconds later', async () => {
  const quiet = await highlight(CODE, 'ts')
  let now = 0
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 5000))
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 5000))
  expect(await highlight(CODE, 'ts')).toEqual(quiet)
  expect(new Set(quiet!.flat().map(({ color }) => color)).size).toBeGreaterThan(3)
})

it('leaves very long lines plain, and colours those beside them', async () => {
  const long = `const long = '${'x'.repeat(2000)}'`
  const lines = await highlight(`const short = 'x'\n${long}\nconst last = 1`, 'ts')
  expect(lines!.map((line) => line.map(({ content }) => content).join(''))).toEqual([
    "const short = 'x'",
    long,
    'const last = 1',
  ])
  expect(lines!.map((line) => line.length > 1)).toEqual([true, false, true])
})

it('has no colours for other languages and for very long code', async () => {
  expect(coloursOf('a', 'TS')).toBe('typescript')
  for (const [code, language] of [
    ['a', 'klingon'],
    ['a', 'constructor'],
    ['a'.repeat(50_000), 'ts'],
  ] as const) {
    expect(coloursOf(code, language)).toBeUndefined()
    expect(await highlight(code, language)).toBeUndefined()
  }
})
