import { Finding, hold } from './target.ts'

/** No message of an error is longer: it stands on one line of a terminal or of a log. Characters. */
const MAX_MESSAGE = 2_000

/** What a terminal would read as a command, and what turns the direction of writing; lines are one behind the other where they are shown. */
const UNSHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/u

/** What stands in an error, a warning or a reason: short, without anything that a terminal acts on. */
export function checkMessage(message: string, where: string): void {
  hold(message.trim() !== '', `${where} says nothing`, () => JSON.stringify(message))
  hold(message.length <= MAX_MESSAGE, `${where} is too long`, () => `${message.length}: ${message}`)
  hold(!UNSHOWN.test(message), `${where} has control characters`, () => JSON.stringify(message))
  hold(message.isWellFormed(), `${where} has half a character`, () => JSON.stringify(message))
}

/** What is said beside a result. It is shown by programs that make it fit for a terminal. */
export function checkNote(note: string, where: string): void {
  hold(note.trim() !== '', `${where} says nothing`, () => JSON.stringify(note))
}

/** The result, or undefined where it was refused with an error that `isDocumented`. */
export function readOrRefused<T>(
  read: () => T,
  isDocumented: (error: unknown) => error is Error,
): { readonly value: T } | { readonly error: Error } {
  try {
    return { value: read() }
  } catch (error) {
    if (!isDocumented(error)) throw error
    checkMessage(error.message, 'the error')
    return { error }
  }
}

const SHARED: readonly object[] = [Object, Array, Function, String, Map, Promise].map(
  (each) => each.prototype as object,
)
const BEFORE = SHARED.map((each) => Reflect.ownKeys(each).length)

/** What every object has is as it was. */
export function checkPrototypes(): void {
  SHARED.forEach((each, i) => {
    const keys = Reflect.ownKeys(each)
    if (keys.length === BEFORE[i]) return
    const added = keys.slice(BEFORE[i])
    for (const key of added) Reflect.deleteProperty(each, key)
    throw new Finding('pollutes a prototype', added.map(String).join(', '))
  })
}

/** -0 is 0; a number that JSON does not have is not null. */
export function written(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'number' && !Number.isFinite(each) ? String(each) : each,
  )
}
