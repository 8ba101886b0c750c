import { expect, test } from 'vitest'
import { foldedName } from './agent-requests.ts'

test.each([
  ['Explore', 'case'],
  ['ex_pl-o re', 'what separates words'],
  ['ｅｘｐｌｏｒｅ', 'another form of a letter'],
  ['explore\ufe0f', 'a variation selector'],
  ['exp\u034flore', 'a joiner of graphemes'],
  ['explore\u3164', 'a filler'],
  ['explore\u2800', 'a pattern of braille without a dot'],
  ['\u200bexplore', 'a space of no width'],
])('%j is the name explore: %s', (name) => {
  expect(foldedName(name)).toBe('explore')
})

test('another word is another name', () => {
  expect(foldedName('explorer')).toBe('explorer')
  expect(foldedName('Größe')).toBe('größe')
})
