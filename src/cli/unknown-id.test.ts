import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'
import { state } from '../core/run-status.ts'
import { Conversation, countedIds } from '../export/fixtures/conversations.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'

let user: TestUser
let parser: Conversation

beforeAll(async () => {
  user = new TestUser()
  await user.call(['ls']) // makes the home
  const store = await openSqliteStore({ file: user.database })
  parser = await store.tx(
    (tx) => {
      const it = new Conversation(tx, countedIds(2_000_000))
      const run = it.run(it.branches[0]!, state.completed, {
        agent: 'main',
        description: 'compare the parsers',
      })
      it.approval(run, it.call(run, {}, 'completed'), null)
      const change = { title: 'compare the parsers', directory: user.directory }
      tx.update('conversations', it.conversationId, change)
      return it
    },
    { durable: true },
  )
  await store.close()
})
afterAll(() => user.remove())

async function refused(...args: string[]): Promise<string> {
  const { code, stderr } = await user.call(args)
  expect(code).toBe(2)
  return stderr
}

describe('an id that names nothing', () => {
  test.each([
    [['approve', 'zzz'], 'there is no approval zzz'],
    [['answer', 'zzz', 'yes'], 'there is no question zzz'],
    [['steer', 'zzz', 'stop'], 'there is no run, branch or conversation zzz'],
    [['pause', 'zzz'], 'there is no run, branch or conversation zzz'],
    [['cancel', 'zzz'], 'there is no run, branch or conversation zzz'],
    [['show', 'zzz'], 'there is no conversation, branch or run zzz'],
    [['log', 'zzz'], 'there is no conversation, branch or run zzz'],
    [['continue', 'zzz'], 'there is no conversation, branch or run zzz'],
    [['export', 'zzz'], 'there is no conversation zzz'],
    [['rm', 'zzz'], 'there is no conversation zzz'],
    [['run', '--resume', 'zzz', 'go'], 'there is no conversation zzz'],
    [['fork', 'zzz'], 'there is no message zzz'],
    [['permissions', 'revoke', 'zzz'], 'there is no permission zzz'],
    [['approve', 'cnv_zzz'], 'there is no conversation cnv_zzz'],
  ])('%j: %s', async (args, words) => {
    expect(await refused(...args)).toContain(`offshoot: ${words}\n`)
  })

  test.each([
    [['approve', 'zzz'], 'offshoot ps shows which runs wait for an answer'],
    [['steer', 'zzz', 'stop'], 'offshoot ps --all lists the runs'],
    [['rm', 'zzz'], 'offshoot ls lists the conversations'],
    [['fork', 'zzz'], 'offshoot log ID --ids lists the messages of a conversation'],
    [['permissions', 'revoke', 'zzz'], 'offshoot permissions lists them'],
  ])('%j: the hint ends with %s', async (args, command) => {
    expect((await refused(...args)).trimEnd()).toMatch(new RegExp(`  .*${command}$`))
  })

  test('of something else is answered with what it is, and with its branch', async () => {
    const [approval] = user.rows('SELECT id, branch_id AS branch FROM approvals') as [Record<string, string>]
    const said = await refused('show', approval.id!)
    expect(said).toContain(
      `offshoot: ${approval.id} is an approval, and this command takes a conversation, branch or run\n`,
    )
    expect(said).toContain(`\n  it is on the branch ${approval.branch}\n`)
  })

  test('is answered with the open ones that it can mean', async () => {
    const [approval] = user.rows('SELECT id FROM approvals') as [{ id: string }]
    expect(await refused('approve', 'zzz')).toContain(`the latest: ${approval.id} (bash)`)
  })

  test('is answered with what has the text in its title', async () => {
    expect(await refused('rm', 'parsers')).toContain(
      `did you mean ${parser.conversationId} (compare the parsers)?`,
    )
  })

  test('is answered with the id that differs by a letter', async () => {
    const { conversationId } = parser
    const mistyped = `${conversationId.slice(0, 10)}Z${conversationId.slice(11)}`
    expect(await refused('show', mistyped)).toContain(`did you mean ${conversationId} (`)
  })
})
