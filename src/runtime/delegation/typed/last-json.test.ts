import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lastJson, MAX_JSON_CHARS } from './last-json.ts'

const prose = fc.string({ unit: fc.constantFrom(...'ab "\'`\n,:.;-)>') })

describe('the value of a text', () => {
  test('is any value that the text is, or ends with', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), prose, (value, before) => {
        const text = JSON.stringify(value, null, 2)
        const same = JSON.parse(text) as unknown
        expect(lastJson(text)).toEqual({ value: same })
        expect(lastJson(`\n\`\`\`json\n${text}\n\`\`\`\n`)).toEqual({ value: same })
        if (typeof value === 'object' && value !== null)
          expect(lastJson(`${before.replaceAll('"', '')} ${text} ${before}`)).toEqual({ value: same })
      }),
    )
  })

  test.each([
    ['of two the last', '{"a":1} or rather {"a":2}', { a: 2 }],
    ['of a block the inside', 'So:\n```\ntrue\n```', true],
    ['behind a block that is none', '```js\nlet a = [b]\n```\nIt is {"a":1}.', { a: 1 }],
    ['a block in a text of the value', '{"code":"```js\\n{}\\n```"}', { code: '```js\n{}\n```' }],
    ['brackets in texts', 'x {"a":"}]","b":"\\"{"} y', { a: '}]', b: '"{' }],
    ['numbers in all forms', '[1,-2.5e+3,0.1]', [1, -2500, 0.1]],
  ])('%s', (_, text, value) => {
    expect(lastJson(text)).toEqual({ value })
  })

  test.each([
    ['nothing', ''],
    ['words', 'I could not do it [sorry]'],
    ['a value that is cut', 'first {"a":1, "b": [1,2], "c": "and'],
    ['a list that is cut', '[{"a":1},'],
    ['the other kind of bracket', '{"a":1]'],
    ['a key without quotes', '{a: 1}'],
    ['too much of it', `[${'1,'.repeat(MAX_JSON_CHARS / 2)}1]`],
    ['a value of a hundred thousand levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['the same between words', `x ${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)} y`],
  ])('there is none in %s', (_, text) => {
    expect(lastJson(text)).toBeUndefined()
  })

  test.each([
    ['openings', '['.repeat(MAX_JSON_CHARS - 1)],
    ['objects', '{"a":'.repeat(MAX_JSON_CHARS / 6)],
    ['texts', 'x ["'.repeat(MAX_JSON_CHARS / 5)],
    ['escapes', `x ["${'\\"'.repeat(MAX_JSON_CHARS / 3)}`],
    ['long lists in lists', `${`[${'1,'.repeat(10_000)}`.repeat(95)} x`],
    ['closings', ']}'.repeat(MAX_JSON_CHARS / 3)],
  ])('a text of nothing but %s is read in time', (_, text) => {
    expect(lastJson(text)).toBeUndefined() // hours, where each beginning is followed to the end
  })
})
