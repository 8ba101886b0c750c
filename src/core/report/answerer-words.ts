import { authorWords } from '../message.ts'

/** Recorded as who answered where no person did. */
export const BY_RULES = 'rules'
export const BY_TIME_LIMIT = 'time limit'
export const BY_STOP = 'stop'

/** A program that answers through the library, without a name of its own. */
export const BY_PROGRAM = 'program'

const NO_PERSON: ReadonlySet<string> = new Set([BY_RULES, BY_TIME_LIMIT, BY_STOP, BY_PROGRAM])

/** Who answered an approval or a question: `User (web 612)`. What is recorded of a person is a name, or the place. */
export function answererWords(by: string): string {
  return NO_PERSON.has(by) ? by : `${authorWords('person')} (${by})`
}
