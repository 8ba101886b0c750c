import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

test('a model that is named for a paused run, which keeps its own, is refused', async () => {
  const model = user.script({ main: [{ text: 'First half', finishReason: 'length' }] })
  expect(await user.call(['run', 'hi', '-m', model])).toMatchObject({ code: 4 })
  const [{ id }] = user.rows('SELECT id FROM conversations') as [{ id: string }]
  const named = await user.call(['run', '--conversation', id, '-m', 'offline', 'more'])
  expect(named).toMatchObject({ code: 1, stderr: expect.stringContaining('keeps its model scripted:') })
  expect(user.rows('SELECT status FROM runs')).toEqual([{ status: 'paused' }])
  user.script({ main: [{ text: 'and the rest.' }] })
  expect(await user.call(['run', '--conversation', id, 'more'])).toMatchObject({ code: 0 })
})

test('an agent that is named for a paused run, which keeps its own, is refused', async () => {
  const model = user.script({
    explore: [{ text: 'First half', finishReason: 'length' }],
  })
  expect(await user.call(['run', 'hi', '-m', model, '--agent', 'explore'])).toMatchObject({ code: 4 })
  const [{ id }] = user.rows('SELECT id FROM conversations') as [{ id: string }]
  const again = (...more: string[]) => user.call(['run', '--conversation', id, 'more', ...more])
  const named = await again('--agent', 'general')
  expect(named).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('keeps its agent explore: general'),
  })
  expect(await again('--agent', 'main')).toMatchObject({ code: 1 })
  expect(user.rows('SELECT status FROM runs')).toEqual([{ status: 'paused' }])
  expect(await again('--agent', 'explore')).toMatchObject({ code: 4 })
  user.script({ explore: [{ text: 'end' }] })
  expect(await again()).toMatchObject({ code: 0 })
})
