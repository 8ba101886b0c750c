import { expect, test } from 'vitest'
import { testOffshoot } from '../../test/support/test-offshoot.ts'

test('a program lists, edits, promotes, withdraws and clears what waits on a branch', async () => {
  await using t = await testOffshoot({ script: { main: [{ text: 'slow', delayMs: 60_000 }] } })
  const { inbox } = t.offshoot
  const run = await (await t.offshoot.chat()).send('go')
  for (const text of ['one', 'two', 'three']) await run.steer(text)
  const [one, two, three] = await inbox.list(run.id)
  expect([one, two, three].map((item) => item?.text)).toEqual(['one', 'two', 'three'])
  await inbox.edit(run.branchId, one!.id, 'other words')
  await inbox.promote(run.conversationId, two!.id)
  expect(await inbox.withdraw(run.branchId, three!.id)).toMatchObject({ itemId: three!.id })
  expect((await inbox.list(run.branchId)).map(({ text }) => text)).toEqual(['other words', 'two'])
  expect(await inbox.clear(run.branchId)).toEqual({ withdrawn: 2, left: 0 })
  expect(await inbox.list(run.branchId)).toEqual([])
  await expect(inbox.edit(run.branchId, one!.id, 'late')).rejects.toMatchObject({ code: 'conflict' })
  await expect(inbox.edit(run.branchId, one!.id, ' ')).rejects.toMatchObject({ code: 'usage' })
  await expect(inbox.list('brn_nowhere')).rejects.toMatchObject({ code: 'not_found' })
  await t.clock.until(run.cancel())
})
