import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import { state } from '../../core/run-status.ts'
import { Conversation, countedIds } from '../../export/fixtures/conversations.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'

let user: TestUser
beforeEach(async () => {
  user = new TestUser()
  await user.call(['ls']) // makes the home
})
afterEach(() => user.remove())

async function grown(grow: (conversation: Conversation) => void): Promise<void> {
  const store = await openSqliteStore({ file: user.database })
  await store.tx((tx) => grow(new Conversation(tx, countedIds(1_000))), { durable: true })
  await store.close()
}

test('names no command to continue what was refused', async () => {
  const refused = { finishReason: 'content-filter' as const }
  const model = user.script({ main: [{ text: 'No.', ...refused }] })
  const { conversation_id: id } = JSON.parse(
    (await user.call(['run', 'Go.', '-m', model, '--output-format', 'json'])).stdout,
  ) as { conversation_id: string }
  for (const command of [
    ['ps', '--all'],
    ['show', id],
    ['log', id],
  ]) {
    const { stdout } = await user.call(command)
    expect(stdout).toContain('the provider filtered the answer')
    expect(stdout).not.toContain('offshoot continue')
  }
})

test('a run that ended before it was queued, by a clock that was set back, took no time', async () => {
  await grown((it) => void it.run(it.branches[0]!, state.completed, { queuedAt: 2_000, endedAt: 1_999 }))
  const { stdout } = await user.call(['ps', '--all'])
  expect(stdout).toContain('  0.0s  ')
  expect(stdout).not.toContain('-0.0s')
})
