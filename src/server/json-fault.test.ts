import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonFault } from './json-fault.ts'

test.each([
  ['{"a":1,"a":2}', 'gives the key "a" twice'],
  ['{"a":1,"\\u0061":2}', 'gives the key "a" twice'],
  ['{"x":[{"b":{},"b":1}]}', 'gives the key "b" twice'],
  ['{"__proto__":1,"__proto__":2}', 'gives the key "__proto__" twice'],
  ['{"n":1e999}', 'has the number 1e999, which is too large'],
  ['{"n":[-1E+400]}', 'has the number -1E+400, which is too large'],
  [`${'['.repeat(65)}${']'.repeat(65)}`, 'is nested deeper than 64 levels'],
  [`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'is nested deeper than 64 levels'],
])('%s', (text, fault) => {
  expect(jsonFault(text)).toBe(fault)
})

test.each([
  '{"a":{"a":1},"b":["a","a",{"a":1},{"a":2}]}',
  '{"a\\"":1,"a\\\\":2,"a":"\\\\"}',
  '{"a":"{\\"b\\":1e999,\\"b\\":1}"}',
  '{"n":1e308,"m":-0,"k":1e-999}',
  `${'['.repeat(64)}${']'.repeat(64)}`,
  ' { "a" : [ ] , "b" : { } } ',
])('%s is good', (text) => {
  expect(jsonFault(text)).toBeUndefined()
})

test('whatever JSON.stringify writes is good', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(jsonFault(JSON.stringify(value, null, 1))).toBeUndefined()
    }),
  )
})

test('a key is found twice at any place of an object', () => {
  const keys = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(keys, fc.nat(), fc.jsonValue({ maxDepth: 2 }), (names, at, value) => {
      const again = names.toSpliced(at % (names.length + 1), 0, names[at % names.length]!)
      const text = `{${again.map((key) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`
      expect(jsonFault(text)).toMatch(/^gives the key .* twice$/)
    }),
  )
})

test('a body of 8 MiB is read in a moment, whatever it is made of', () => {
  const size = 8 * 1024 * 1024
  const all = [`"${'a'.repeat(size)}"`, `"${'\\\\'.repeat(size / 2)}"`, `[${'1,'.repeat(size / 2)}1]`]
  for (const text of all) {
    const from = performance.now()
    expect(jsonFault(text)).toBeUndefined()
    expect(performance.now() - from).toBeLessThan(5_000)
  }
})
