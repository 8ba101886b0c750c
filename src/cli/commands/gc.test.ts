import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

const DAY_MS = 86_400_000

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

/** One conversation for each age, in days; returns their ids. */
async function conversations(...ages: number[]): Promise<string[]> {
  const ids: string[] = []
  for (const days of ages) {
    const model = user.script({ main: [{ text: 'Good. '.repeat(20_000) }] })
    const { stdout } = await user.call(['run', `asked ${days}`, '-m', model, '--output-format', 'json'])
    const { conversation_id: id } = JSON.parse(stdout) as { conversation_id: string }
    sql('UPDATE conversations SET updated_at = ? WHERE id = ?', Date.now() - days * DAY_MS - 1, id)
    ids.push(id)
  }
  return ids
}

function sql(text: string, ...values: (string | number)[]): void {
  const db = new DatabaseSync(user.database)
  db.prepare(text).run(...values)
  db.close()
}

const left = () => user.rows('SELECT id FROM conversations ORDER BY id').map(({ id }) => id)

test('a preview names what would go and how much it is, and nothing goes', async () => {
  const [old, young] = await conversations(100, 1)
  const shown = await user.call(['gc', '--dry-run'])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(
    new RegExp(
      `^${old} {2}\\d{4}-\\d\\d-\\d\\d {2} +\\d+ KiB {2}asked 100 {2}.*\n1 conversation would be deleted, about \\d+ KiB\n$`,
    ),
  )
  expect(left()).toEqual([old, young])
  const { stdout } = await user.call(['gc', '--dry-run', '--json'])
  const { would_delete: rows, bytes } = JSON.parse(stdout) as { would_delete: object[]; bytes: number }
  expect(rows).toMatchObject([{ id: old }])
  expect(bytes).toBeGreaterThan(120_000)
})

test('without --yes nothing is deleted where nobody can be asked', async () => {
  const [old] = await conversations(100)
  expect(await user.call(['gc'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect(left()).toEqual([old])
})

test('what is old goes with everything in it, and its room is given back', async () => {
  const [, young] = await conversations(100, 1)
  const before = statSync(user.database).size
  const ended = await user.call(['gc', '--yes'])
  expect(ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/1 deleted, \d+ KiB returned to the disk\n$/),
  })
  expect(left()).toEqual([young])
  expect(
    user.rows(
      'SELECT count(*) AS rows FROM parts WHERE conversation_id NOT IN (SELECT id FROM conversations)',
    ),
  ).toEqual([{ rows: 0 }])
  expect(statSync(user.database).size).toBeLessThan(before - 100_000)
  expect(await user.call(['show', young!])).toMatchObject({ code: 0 })
})

test('--older-than and --keep: a conversation goes where both let it', async () => {
  const [first, second, third] = await conversations(30, 20, 10)
  expect((await user.call(['gc', '--dry-run', '--keep', '2'])).stdout).toMatch(
    /^cnv.*asked 30(.*\n)+1 conversation /,
  )
  expect((await user.call(['gc', '--dry-run', '--older-than', '15d'])).stdout).toContain('2 conversations')
  await user.call(['gc', '--yes', '--older-than', '15d', '--keep', '2'])
  expect(left()).toEqual([second, third])
  expect(left()).not.toContain(first)
  expect((await user.call(['gc', '--yes', '--json', '--keep', '0'])).stdout).toContain(second!)
  expect(left()).toEqual([])
})

test.each(['0', 'soon', '-1d', '1y'])('--older-than %s is wrong usage', async (age) => {
  expect(await user.call(['gc', `--older-than=${age}`])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('as 12h'),
  })
})

describe('what is open stays, however old it is', () => {
  test.each(['queued', 'running', 'waiting', 'paused'])('a %s run', async (status) => {
    const [old] = await conversations(100)
    sql('UPDATE runs SET status = ?', status)
    expect((await user.call(['gc', '--yes'])).stdout).toContain('0 conversations')
    expect(left()).toEqual([old])
  })

  test('a message that nobody has read', async () => {
    const [old] = await conversations(100)
    sql(`INSERT INTO inbox (id, conversation_id, branch_id, kind, mode, text, created_at)
      SELECT 'inb_00000000000000000000000000', conversation_id, id, 'user', 'follow_up', 'x', 1 FROM branches`)
    await user.call(['gc', '--yes'])
    expect(left()).toEqual([old])
  })

  test('a conversation that another process has at hand', async () => {
    const [old] = await conversations(100)
    sql(
      'INSERT OR REPLACE INTO leases SELECT id, ?, ?, ?, 1, 1, 1, 0, ? FROM conversations',
      'other',
      'elsewhere',
      'boot',
      Date.now(),
    )
    await user.call(['gc', '--yes'])
    expect(left()).toEqual([old])
  })
})

test('while another program reads, the room stays with the store', async () => {
  await conversations(100)
  const other = new DatabaseSync(user.database)
  other.exec('BEGIN; SELECT * FROM conversations')
  other.prepare('SELECT * FROM conversations').get()
  const ended = await user.call(['gc', '--yes'])
  other.close()
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('1 deleted, 0 B returned') })
  expect(left()).toEqual([])
})

test('a store that has grown is named at the start, once, and with what helps', async () => {
  user.write('offshoot.jsonc', '{"store": {"warnBytes": 1000}}')
  const model = user.script({ main: [{ text: 'Good.' }, { text: 'Good.' }] })
  const { stderr } = await user.call(['run', 'hi', '-m', model])
  expect(stderr.match(/more than store\.warnBytes \(1000 B\): offshoot gc --dry-run/g)).toHaveLength(1)
  user.write('offshoot.jsonc', '{"store": {"warnBytes": null}}')
  expect((await user.call(['run', 'hi', '-m', model])).stderr).not.toContain('warnBytes')
})
