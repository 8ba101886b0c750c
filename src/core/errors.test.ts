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
