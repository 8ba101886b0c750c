import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorMessage, OffshootError, ProviderError, unreachable } from './errors.ts'

test('an error has its code, its sentence, and what to do next', () => {
  const error = new OffshootError('usage', 'unknown agent "x"', { hint: 'did you mean y?', cause: 'why' })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'OffshootError', code: 'usage', message: 'unknown agent "x"' })
  expect(error).toMatchObject({ hint: 'did you mean y?', cause: 'why' })
})

test('an error without a cause has none to print', () => {
  const error = new OffshootError('config', 'bad')
  expect(Object.hasOwn(error, 'cause')).toBe(false)
  expect(error.hint).toBeUndefined()
})

test.each([
  ['a command for a terminal', 'unknown key "\u001b[2J\u009b1m\u202e"', 'unknown key "␛[2J�1m�"'],
  ['half a character', 'no \ud83d', 'no �'],
  ['lines', 'one\ntwo', 'one\ntwo'],
])('an error that quotes %s does not hand it on', (_, message, shown) => {
  expect(new OffshootError('config', message).message).toBe(shown)
  expect(errorMessage(new Error(message))).toBe(shown.replace('\n', ' '))
})

test('an error that quotes a long text is short', () => {
  const { message } = new OffshootError('config', `unknown key ${'a'.repeat(1_000_000)}`)
  expect(message.length).toBeLessThan(2_000)
  expect(message.endsWith('a…')).toBe(true)
})

test('an error of a provider says whether and when it may be tried again', () => {
  const error = new ProviderError('too many requests', { status: 429, retryAfterMs: 2_000, retryable: true })
  expect(error).toBeInstanceOf(OffshootError)
  expect(error).toMatchObject({ code: 'provider', status: 429, retryAfterMs: 2_000, retryable: true })
})

describe('the message of what was thrown', () => {
  test.each([
    [new Error('two\nlines\tand  more '), 'two lines and more'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Symbol('s'), 'Symbol(s)'],
    [new Error(''), 'unknown error'],
    ['', 'unknown error'],
    [Object.create(null), 'unknown error'],
  ])('%#', (thrown, message) => {
    expect(errorMessage(thrown)).toBe(message)
  })

  test('is one line that is not empty, for anything', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (thrown) => {
        expect(errorMessage(thrown)).toMatch(/^\S(.*\S)?$/u)
      }),
    )
  })
})

test('a case that cannot be is an internal error that shows it', () => {
  expect(() => unreachable('odd' as never)).toThrow(
    expect.objectContaining({ code: 'internal', message: 'unexpected value: "odd"' }),
  )
})
