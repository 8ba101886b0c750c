import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OffshootError } from '../../src/core/errors.ts'
import type { ConversationId } from '../../src/core/ids.ts'
import { systemClock } from '../../src/exec/system-clock.ts'
import { Ownership } from '../../src/runtime/ownership/leases.ts'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { ServedUser } from '../support/served-user.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
beforeEach(() => void (user = new TestUser()))
afterEach(() => user.remove())

/** A run in the middle of a command, whose process is gone. */
async function leave(prompt: string): Promise<void> {
  const model = user.script({
    '*': [
      { toolCalls: [{ tool: 'bash', input: { command: `touch ${prompt}; sleep 600` } }] },
      { text: 'done' },
    ],
  })
  const program = user.start(['run', prompt, '-m', model, '--mode', 'auto', '--output-format', 'events'])
  await program.untilStdout('"tool.started"')
  program.kill('SIGKILL')
  await program.ended
}

function conversation(title: string): ConversationId {
  return user.rows(`SELECT id FROM conversations WHERE title = '${title}'`)[0]!['id'] as ConversationId
}

test('a server takes up what another process held when it began, as soon as that lets go', async () => {
  await leave('one')
  await leave('two')
  const store = await openSqliteStore({ file: user.database })
  const other = new Ownership({ store, clock: systemClock, owner: 'a steer in another terminal' })
  await other.acquire(conversation('two'))
  user.script({ '*': [{ text: 'done' }, { text: 'done' }] })
  const server = user.start(['serve', '--port', '0'])
  await server.untilStderr('recovered 1 run')
  const statuses = () =>
    user.rows(
      'SELECT title, runs.status FROM runs JOIN conversations c ON c.id = conversation_id ORDER BY title',
    )
  await expect.poll(statuses).toEqual([
    { title: 'one', status: 'completed' },
    { title: 'two', status: 'running' },
  ])
  await other.release(conversation('two'))
  await expect.poll(statuses, { timeout: 20_000 }).toEqual([
    { title: 'one', status: 'completed' },
    { title: 'two', status: 'completed' },
  ])
  const said = () => server.stderr.match(/(?<=offshoot: )(recovered 1 run|.*not known)/g)
  // The store is written before the last line on stderr.
  await expect
    .poll(said)
    .toEqual([
      expect.stringMatching(/touch one.*not known/),
      'recovered 1 run',
      expect.stringMatching(/touch two.*not known/),
      'recovered 1 run',
    ])
  server.kill('SIGTERM')
  await server.ended
  await store.close()
})

test('a server that ends keeps what it has taken up until that is paused, though it had been at rest before', async () => {
  const model = user.script({ '*': [{ toolCalls: [{ tool: 'bash', input: { command: 'sleep 600' } }] }] })
  const asking = ['--approvals', 'wait', '--output-format', 'events']
  const program = user.start(['run', 'one', '-m', model, ...asking])
  await program.untilStdout('"approval.requested"')
  program.kill('SIGKILL')
  await program.ended
  const served = await ServedUser.start(user)
  const { store, server } = served
  await server.recover()
  const id = conversation('one')
  const [approval] = store.find('approvals', {})
  await served.until(id, ({ type }) => type === 'run.waiting')
  await served.post(`/approvals/${approval!.id}`, { answer: 'once' })
  await served.until(id, ({ type }) => type === 'tool.started')
  const closed = server.close()
  while (store.get('leases', id)!.renewedAt !== 0) await new Promise((resolve) => setImmediate(resolve))
  expect(store.find('runs', {})).toMatchObject([{ status: 'paused', reason: 'restart' }])
  await closed
  await store.close()
})

test('what cannot be taken up is said once, and taken up when it can be', async () => {
  await leave('one')
  user.script({ '*': [{ text: 'done' }] })
  const config = join(user.directory, 'offshoot.jsonc')
  writeFileSync(config, '{')
  const served = await ServedUser.start(user)
  const { store, server, said } = served
  const looks = vi.spyOn(store, 'find')
  await server.recover()
  const left = said.filter((line) => line.includes('not resumed'))
  expect(left).toEqual([expect.stringContaining('offshoot.jsonc')])
  const before = looks.mock.calls.length
  looks.mockImplementationOnce(() => {
    throw new OffshootError('store_locked', 'the store is busy')
  })
  await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(before + 1) // the look after the one that failed
  rmSync(config)
  await served.ended(conversation('one'))
  expect(said.filter((line) => line.includes('not resumed'))).toEqual(left)
  expect(said).toContain('cannot look for the runs of exited processes: the store is busy')
  await server.close()
  await store.close()
})
