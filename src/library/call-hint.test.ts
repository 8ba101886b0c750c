import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import { callHint } from './call-hint.ts'

const SRC = join(import.meta.dirname, '..')

/** Commands and options that have a call or an option in the library. */
const COMMAND = /\boffshoot (?:ls|ps|show|continue|steer|run|agents|fork|models)\b|(?:^|[ (])-{1,2}[a-z]/i

/** Every text behind `hint` in the sources of the runtime, as it is written there. */
const hints = globSync('runtime/**/*.ts', { cwd: SRC })
  .filter((name) => !name.endsWith('.test.ts'))
  .flatMap((name) => [
    ...readFileSync(join(SRC, name), 'utf8').matchAll(
      /^(?!\s*(?:\/\/|\*|\/\*)).*?(['`])((?:offshoot |--|-[mC] |leave out |run it there|continue with ).*?)\1/gm,
    ),
  ])
  .map(([, , text]) => text!)

it('finds the hints of the runtime', () => {
  expect(hints.length).toBeGreaterThan(15)
})

it.each([...new Set(hints)])('names calls in the place of commands: %s', (hint) => {
  expect(callHint(hint)).not.toMatch(COMMAND)
})

test('what the library refuses names calls', async () => {
  await using t = await testOffshoot({ script: { main: [{ text: 'end' }] } })
  const run = await (await t.offshoot.chat()).send('go')
  await t.clock.until(run.result())
  const hintOf = (call: Promise<unknown>) => call.then(String, ({ hint }: { hint?: string }) => hint)
  expect(await hintOf(t.offshoot.conversations.get('cnv_x'))).toBe(
    'conversations.list() lists the conversations',
  )
  expect(await hintOf(run.steer('more'))).toBe(`continue('${run.branchId}', text) resumes it with a message`)
  const known = {
    message: 'there is no approval apr_x',
    hint: 'approvals.list() lists them',
    code: 'not_found',
  }
  await expect(t.offshoot.approvals.answer('apr_x', 'once')).rejects.toMatchObject(known)
  for (const id of ['qst_x', '#3'])
    await expect(t.offshoot.questions.answer(id, 'yes')).rejects.toMatchObject({
      message: `there is no question ${id}`,
      hint: 'questions.list() lists them',
    })
  await expect(t.offshoot.approvals.answer('#3', 'once')).rejects.toThrow('there is no approval #3')
  const chat = await t.offshoot.chat()
  expect(await hintOf(chat.send('x', { model: 'offline' } as never))).toBe(
    'model belongs to chat() or createOffshoot()',
  )
  expect(await hintOf(chat.send('x', { tools: [] } as never))).toBe('tools belongs to chat()')
  expect(await hintOf(t.offshoot.interrupt('brn_x'))).toBe(
    'conversations.list() lists the conversations, conversations.get(id) the branches of one',
  )
})
