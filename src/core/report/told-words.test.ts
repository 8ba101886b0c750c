import { expect, test } from 'vitest'
import { saidText } from './told-words.ts'

const branchId = 'brn_00000000000000000000000001' as never
const LINE = `(It is paused, not done: \`task\` with continue "${branchId as string}" goes on with it.)`
const told = (status: string) => ({
  before: `<subagent_report agent="a" task_id="${branchId as string}" status="${status}">\n`,
  after: '\n</subagent_report>\n',
})

test('the line that an older program put under the report of a run that had paused is not of the report', () => {
  const facts = { branchId, told: told('paused (limit)') }
  expect(saidText(`No weeds.\n${LINE}`, facts)).toBe('No weeds.')
  expect(saidText(LINE, facts)).toBe('')
})

test('the same words of a subagent itself are of its report', () => {
  const text = `No weeds.\n${LINE}`
  expect(saidText(text, { branchId, told: told('completed') })).toBe(text)
  expect(saidText(text, { branchId })).toBe(text)
  const paused = { branchId, told: told('paused (limit)') }
  expect(saidText(`${LINE}\nNo weeds.`, paused)).toBe(`${LINE}\nNo weeds.`)
  expect(saidText(`No weeds.\n${LINE}\n${LINE}`, paused)).toBe(text)
})
