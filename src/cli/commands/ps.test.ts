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

const DAY_MS = 86_400_000

test('what was paused long ago is counted, and listed where it is asked for', async () => {
  const now = Date.now()
  const runs: string[] = []
  await grown((it) => {
    for (const endedAt of [now - 8 * DAY_MS, now - DAY_MS])
      runs.push(it.run(it.branches[0]!, state.paused('user'), { endedAt }).id)
  })
  const [old, recent] = runs as [string, string]
  const listed = async (...more: string[]) => {
    const { stdout, stderr } = await user.call(['ps', ...more])
    return { old: stdout.includes(old), recent: stdout.includes(recent), stderr }
  }
  expect(await listed()).toEqual({
    old: false,
    recent: true,
    stderr:
      'offshoot: 1 run has been paused for more than 7 days; offshoot ps --status paused lists all paused runs\n',
  })
  const all = { old: true, recent: true, stderr: '' }
  for (const more of [['--status', 'paused'], ['--all'], ['--json'], ['--search', 'GENERAL']])
    expect(await listed(...more)).toEqual(all)
  for (const none of [
    ['--status', 'running'],
    ['--search', 'no such text'],
  ])
    expect(await listed(...none)).toEqual({
      old: false,
      recent: false,
      stderr: 'offshoot: no run matches\n  leave out --status and --search to list more\n',
    })
  expect((await user.call(['ps', '--all', '--limit', '1'])).stdout.trimEnd().split('\n')).toHaveLength(1)
  expect(JSON.parse((await user.call(['ps', '--all', '--limit', '1', '--json'])).stdout)).toHaveLength(1)
  for (const wrong of [
    ['--limit', '0'],
    ['--status', 'asleep'],
  ])
    expect(await user.call(['ps', ...wrong])).toMatchObject({ code: 2, stdout: '' })
})

const DOLLARS = 'the next request may cost $0.2, and $0.017 was left'
const TOKENS = 'the next request may take 5,465 tokens, and 3,000 tokens were left'

test.each([
  ['budget', DOLLARS, 'offshoot continue BRN --budget-usd N, with N above the budget so far'],
  ['budget', TOKENS, 'offshoot continue BRN, after you have raised limits.maxTokens in the configuration'],
  ['max_turns', null, 'offshoot continue BRN (--max-turns N sets how many more turns it gets)'],
  ['user', null, 'offshoot continue BRN'],
] as const)(
  'of a pause for %s, with the note %j, ps, show and log say: %s',
  async (why, reportNote, said) => {
    let branch = ''
    await grown((it) => {
      branch = it.run(it.branches[0]!, state.paused(why), { reportNote, endedAt: Date.now() }).branchId
    })
    const listed = await Promise.all(
      [['ps'], ['show', branch], ['log', branch]].map((args) => user.call(args)),
    )
    for (const { stdout } of listed) expect(stdout.split(/ · |: |\n/)).toContain(said.replace('BRN', branch))
  },
)
