import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'
import { state } from '../core/run-status.ts'
import { Conversation, countedIds } from '../export/fixtures/conversations.ts'
import { openSqliteStore } from '../store/sqlite/open.ts'

let user: TestUser
/** Three conversations; the second is the latest of the user's directory. The third is somewhere else. */
let all: Conversation[]

beforeAll(async () => {
  user = new TestUser()
  await user.call(['ls']) // makes the home
  const store = await openSqliteStore({ file: user.database })
  all = await store.tx(
    (tx) =>
      [1_000_000, 2_000_000, 3_000_000].map((start, i) => {
        const it = new Conversation(tx, countedIds(start))
        it.message(it.branches[0]!, 'user', [it.text(`question ${i}`)])
        const run = it.run(it.branches[0]!, state.completed)
        if (i === 2) {
          it.approval(run, it.call(run, {}, 'completed'), null)
          it.question(run, it.call(run, {}, 'completed'), null)
          it.rule(null, 'grant')
          it.grow({ grow: 'item', on: 0, text: 'read me' })
          it.branch('fork', it.branches[0]!, it.messages[0]!.id, true)
        }
        const change = { title: `number ${i}`, updatedAt: 10 + i }
        const directory = i < 2 ? user.directory : '/elsewhere'
        tx.update('conversations', it.conversationId, { ...change, directory })
        return it
      }),
    { durable: true },
  )
  await store.close()
})
afterAll(() => user.remove())

/** Up to where the time of the id makes it the only one. */
const short = (id: string) => id.slice(0, 14)

async function shown(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await user.call(args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

describe('a number of a list', () => {
  const numbers = ['1', '#2', '2']
  test.each(['show', 'log', 'export', 'inbox --json'])('names a conversation for %s', async (name) => {
    for (const number of numbers) {
      const id = all[Number(number.replace('#', '')) - 1]!.conversationId
      expect(await shown(...name.split(' '), number)).toBe(await shown(...name.split(' '), id))
    }
  })

  test('names a branch behind its conversation', async () => {
    const { branches } = all[2]!
    expect(await shown('show', '3.1')).toBe(await shown('show', branches[1]!))
  })

  test('stands in the first column of a terminal', async () => {
    const { stdout } = await user.call(['ls'], { columns: 120 })
    expect(stdout).toMatch(/^#  ID /m)
    expect(stdout).toMatch(/^3  cnv_/m)
  })

  test.each([['rm'], ['close'], ['cancel']])('is not taken by %s, which says what it names', async (name) => {
    const { code, stderr } = await user.call([name, '3'])
    expect(code).toBe(2)
    expect(stderr).toContain('offshoot: this command takes an id, not a number\n')
    expect(stderr).toContain(`\n  3 is ${all[2]!.conversationId} (number 2); `)
  })

  test('that nothing has is no conversation', async () => {
    const { code, stderr } = await user.call(['show', '17'])
    expect(code).toBe(2)
    expect(stderr).toContain('offshoot: there is no conversation, branch or run 17\n')
  })
})

describe('a unique prefix', () => {
  test.each(['show', 'log', 'export', 'inbox --json'])('of a conversation is enough for %s', async (name) => {
    const id = all[0]!.conversationId
    expect(await shown(...name.split(' '), short(id))).toBe(await shown(...name.split(' '), id))
  })

  test('of a branch or a run too', async () => {
    for (const id of [all[1]!.branches[0]!, all[1]!.runs[0]!.id])
      expect(await shown('show', short(id))).toBe(await shown('show', id))
  })

  test.each(['log', 'export', 'inbox --json'])(
    'of a conversation in lower case too, for %s',
    async (name) => {
      const id = all[0]!.conversationId
      expect(await shown(...name.split(' '), short(id).toLowerCase())).toBe(
        await shown(...name.split(' '), id),
      )
    },
  )

  test('needs no kind where a command takes one kind alone', async () => {
    const id = all[0]!.conversationId
    expect(await shown('export', short(id).slice('cnv_'.length))).toBe(await shown('export', id))
  })

  test('without its kind is ambiguous where a command takes several', async () => {
    const { code, stderr } = await user.call(['show', short(all[0]!.conversationId).slice('cnv_'.length)])
    expect(code).toBe(2)
    expect(stderr).toContain('is ambiguous: several ids start with it: cnv_')
  })

  test.each(['approve', 'answer'])(
    'of what is asked is enough for %s, with its kind and without',
    async (name) => {
      const [{ id }] = user.rows(
        `SELECT id FROM ${name === 'approve' ? 'approvals' : 'questions'} ORDER BY id LIMIT 1`,
      ) as [{ id: string }]
      const whole = await user.call([name, id])
      expect(whole.stdout).not.toBe('')
      for (const typed of [short(id), short(id).slice(4), short(id).toLowerCase(), id.slice(4)])
        expect(await user.call([name, typed]), typed).toEqual(whole)
    },
  )

  test('of what waits to be read is enough for inbox', async () => {
    const [{ id, branch }] = user.rows('SELECT id, branch_id AS branch FROM inbox ORDER BY id LIMIT 1') as [
      { id: string; branch: string },
    ]
    expect(await shown('inbox', branch, '--withdraw', short(id))).toBe(`withdrawn: ${id}\n`)
  })

  test('of a permission is enough to revoke it', async () => {
    const [{ id }] = user.rows("SELECT id FROM rules WHERE kind = 'grant' ORDER BY id LIMIT 1") as [
      { id: string },
    ]
    expect(await shown('permissions', 'revoke', short(id))).toContain(`revoked: ${id}, `)
  })

  test('names its conversation before the number of an approval', async () => {
    const { conversationId } = all[0]!
    const { stderr } = await user.call(['approve', `${short(conversationId)}#7`])
    expect(stderr).toContain(`unknown approval or question #7 in ${conversationId}`)
  })
})

describe('an ambiguous prefix', () => {
  test.each([['show'], ['log'], ['rm', '--yes'], ['close'], ['cancel'], ['continue'], ['export']])(
    'is wrong usage for %s, with the candidates',
    async (...command) => {
      const ended = await user.call([...command, 'cnv_00'])
      expect(ended).toMatchObject({ code: 2, stdout: '' })
      expect(ended.stderr).toContain('cnv_00 is ambiguous: several conversations start with it: ')
      for (const [i, { conversationId }] of all.entries())
        expect(ended.stderr).toContain(`${conversationId} (number ${i})`)
      expect(user.rows('SELECT id FROM conversations')).toHaveLength(3)
    },
  )

  test('among several ids cancels none of them', async () => {
    const ended = await user.call(['cancel', all[0]!.conversationId, 'cnv_00'])
    expect(ended).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('last', () => {
  test('is the latest conversation of the directory', async () => {
    for (const name of ['show', 'log', 'export', 'inbox --json'])
      expect(await shown(...name.split(' '), 'last')).toBe(
        await shown(...name.split(' '), all[1]!.conversationId),
      )
  })

  test('without a conversation in the directory is wrong usage', async () => {
    const ended = await user.call(['show', 'last'], { cwd: user.root })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no conversation in') })
  })

  test.each([
    ['offshoot ls lists the conversations', 'rm', '--yes'],
    ['offshoot ls lists the conversations', 'close'],
    ['offshoot ps --all lists the runs', 'cancel'],
    ['offshoot ps shows which runs wait for an answer', 'approve'],
    ['offshoot ps shows which runs wait for an answer', 'answer'],
  ])('is refused with the id that it would be, and %s: %s', async (listedBy, ...command) => {
    const ended = await user.call([...command, 'last'])
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr).toContain(`${all[1]!.conversationId} (number 1); ${listedBy}\n`)
    expect(user.rows('SELECT id FROM conversations')).toHaveLength(3)
  })
})

test.each(['cnv_0Z', 'cnv_', 'cnv_00%'])('%s names nothing', async (typed) => {
  expect(await user.call(['show', typed])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`there is no conversation ${typed}`),
  })
})

test('rm with a unique prefix says what it deleted', async () => {
  const { conversationId } = all[2]!
  expect(await shown('rm', '--yes', short(conversationId))).toBe(
    `deleted: ${conversationId} (number 2): 2 branches, 3 messages, 1 run\n`,
  )
})
