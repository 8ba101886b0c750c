import { expect, test } from 'vitest'
import { z } from 'zod'
import { issueWords } from './issue-words.ts'

const schema = z.object({
  mode: z.enum(['plan', 'ask']).optional(),
  text: z.string().min(1).optional(),
  turns: z.int().max(5).optional(),
  list: z.array(z.number()).max(2).optional(),
  cost: z.number().positive().optional(),
  on: z.boolean().optional(),
  own: z.string('write a name').optional(),
  one: z.literal('x').optional(),
})

function words(given: unknown): string {
  const issue = schema.safeParse(given).error!.issues[0]!
  return issueWords(issue, given)
}

test.each([
  [{ mode: 'fast' }, 'expected one of "plan", "ask", got "fast"'],
  [{ mode: ['plan'] }, 'expected one of "plan", "ask", got a list'],
  [{ one: { x: 1 } }, 'expected "x", got an object'],
  [{ text: 5 }, 'expected text, got 5'],
  [{ text: null }, 'expected text, got null'],
  [{ text: '' }, 'it is empty'],
  [{ turns: 'many' }, 'expected a number, got "many"'],
  [{ turns: 1.5 }, 'expected a whole number, got 1.5'],
  [{ turns: 9 }, 'expected at most 5, got 9'],
  [{ cost: 0 }, 'expected more than 0, got 0'],
  [{ list: [1, 2, 3] }, 'expected array to have <=2 items'],
  [{ list: {} }, 'expected a list, got an object'],
  [{ list: [1, 'b'] }, 'expected a number, got "b"'],
  [{ on: 'yes' }, 'expected true or false, got "yes"'],
  [{ own: 5 }, 'write a name'],
  [[], 'expected an object, got a list'],
])('%j: %s', (given, said) => {
  expect(words(given)).toBe(said)
})
