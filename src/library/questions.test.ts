import { expect, test } from 'vitest'
import { testOffshoot } from '../../test/support/test-offshoot.ts'

const ask = { toolCalls: [{ tool: 'ask_user', input: { question: 'Which?', options: ['a', 'b'] } }] }

test('a program answers what an agent asks in words, once', async () => {
  await using t = await testOffshoot({ script: { main: [ask, { match: '^b$', text: 'b it is' }] } })
  const { questions } = t.offshoot
  const run = await (await t.offshoot.chat()).send('go')
  const answers = async () => {
    for await (const event of run.events({ answers: true })) {
      if (event.type !== 'question.asked') continue
      const [open] = await questions.list(run.conversationId)
      expect(open).toMatchObject({
        id: event.questionId,
        question: 'Which?',
        options: ['a', 'b'],
        path: ['main'],
      })
      expect(await questions.list()).toHaveLength(1)
      for (const text of ['', ' '])
        await expect(questions.answer(event.questionId, text)).rejects.toThrow(/answer/)
      await questions.answer(event.questionId, 'b', { by: 'Ann' })
    }
  }
  await t.clock.until(answers())
  expect(await t.clock.until(run.result())).toMatchObject({ status: 'completed', text: 'b it is' })
  expect(await questions.list()).toEqual([])
  const [asked] = t.store.find('questions', {})
  await expect(questions.answer(asked!.id, 'a')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('answered: b, by Ann') as string,
  })
  await expect(questions.answer('que_nonsense', 'a')).rejects.toMatchObject({ code: 'not_found' })
})

test('without a program that answers it fails at once', async () => {
  await using t = await testOffshoot({
    script: { main: [ask, { match: 'unattended', text: 'alone' }] },
  })
  const run = await (await t.offshoot.chat()).send('go')
  expect(await t.clock.until(run.result())).toMatchObject({ text: 'alone' })
})
