import { afterEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

const user = new TestUser()
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
