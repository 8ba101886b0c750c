import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { processesWith } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const users: TestUser[] = []
afterEach(() => users.splice(0).forEach((user) => user.remove()))

function newUser(files: Readonly<Record<string, string>> = {}): TestUser {
  const user = new TestUser(files)
  users.push(user)
  return user
}

interface Branch {
  readonly id: string
  readonly type: string
  readonly messages: readonly Message[]
}
interface Message {
  readonly id: string
  readonly role: string
  readonly content: string
  readonly branches?: readonly Branch[]
}
interface Document {
  readonly id: string
  readonly messages: readonly Message[]
}

const task = (name: string) => ({
  tool: 'task',
  input: { subagent_type: 'general', description: `task ${name}`, prompt: `Do ${name}.` },
})

/** Commands too, whose environment is scrubbed. */
const processesOf = (user: TestUser) => processesWith(`HOME=${user.root}`)
const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

describe('a conversation', () => {
  it('is listed, shown as a tree, exported, imported equal, gone on with, and forked at a subagent’s message', async () => {
    const user = newUser({ 'a.txt': 'alpha' })
    const script = user.script({
      main: [
        { match: '^Start\\.$', toolCalls: [task('one'), task('two')] },
        { match: 'report', text: 'Both are done.' },
        { match: '^And then\\?$', text: 'Then nothing.' },
      ],
      general: [
        { match: '^Do one\\.$', toolCalls: [{ tool: 'read', input: { path: 'a.txt' } }] },
        { match: '^Do two\\.$', text: 'Two is a report.' },
        { match: 'alpha', text: 'One is a report.' },
        { match: '^Rather three\\.$', text: 'Three, then.' },
      ],
    })
    const first = await user.run(['run', 'Start.', '-m', script, '--output-format', 'json'])
    expect(first).toMatchObject({ code: 0 })
    const { conversation_id: id } = JSON.parse(first.stdout) as { conversation_id: string }

    expect((await user.run(['ls'])).stdout).toContain(id)
    const tree = await user.run(['show', id])
    expect(tree.stdout).toMatch(/task one[^]*task two/)

    const file = join(user.root, 'export.json')
    const exported = (await user.run(['export', id])).stdout
    user.write('../export.json', exported)
    const document = JSON.parse(exported) as Document
    const asking = document.messages.find((message) => message.branches)!
    expect(asking.role).toBe('assistant')
    expect(asking.branches!.map(({ type }) => type)).toEqual(['subagent', 'subagent'])

    const other = newUser()
    expect(await other.run(['import', file])).toMatchObject({ code: 0, stdout: `${id}\n` })
    expect((await other.run(['export', id])).stdout).toBe(exported)
    const again = await user.run(['import', file])
    expect(again.stdout).toMatch(/^cnv_\w+\n$/)
    expect(again.stdout).not.toContain(id)

    const next = await user.run(['continue', id, 'And then?'])
    expect(next).toMatchObject({ code: 0, stdout: 'Then nothing.\n' })

    const inner = asking.branches!.find(({ messages }) =>
      messages.some(({ content }) => content === 'Do one.'),
    )!
    const call = inner.messages.find(({ role }) => role === 'assistant')!
    const forked = await user.run(['fork', call.id, 'Rather three.'])
    expect(forked).toMatchObject({ code: 0, stdout: 'Three, then.\n' })
    const after = JSON.parse((await user.run(['export', id])).stdout) as Document
    const origin = after.messages
      .flatMap(({ branches }) => branches ?? [])
      .flatMap(({ messages }) => messages)
      .find((message) => message.id === call.id)!
    expect(origin.branches!.map(({ type }) => type)).toEqual(['human'])
    expect(origin.branches![0]!.messages.map(({ content }) => content)).toEqual([
      'Rather three.',
      'Three, then.',
    ])
    expect((await user.run(['show', id])).stdout).toMatch(/⑂ Rather three/)
  })

  it('that has something to read and nothing that runs is woken by recover', async () => {
    const user = newUser()
    const script = user.script({ main: [{ text: 'First.' }] })
    await user.run(['run', 'Start.', '-m', script])
    user.script({ main: [{ match: 'the news', text: 'I have read them.' }] })
    const db = new DatabaseSync(user.database)
    db.exec(`insert into inbox (id, conversation_id, branch_id, kind, mode, text, created_at)
      select 'inb_01K9Z300000000000000000000', conversation_id, id, 'note', 'follow_up', 'the news', 1 from branches`)
    db.close()
    expect(await user.run(['recover'])).toMatchObject({ code: 0 })
    expect(user.rows('select count(*) as left from inbox where delivered_at is null')).toEqual([{ left: 0 }])
    const { stdout } = await user.call([
      'export',
      user.rows('select id from conversations')[0]!['id'] as string,
    ])
    expect(stdout).toContain('I have read them.')
  })

  it('whose program and guard were killed is rid of its commands by the first who writes to it', async () => {
    const user = newUser()
    const command = `touch begun; sleep 1000`
    const script = user.script({ main: [{ toolCalls: [{ tool: 'bash', input: { command } }] }] })
    // what is in a sandbox ends with the program
    const program = user.start(['run', 'Start.', '-m', script, '--mode', 'auto', '--sandbox', 'off'])
    await expect.poll(() => existsSync(join(user.directory, 'begun')), { timeout: 30_000 }).toBe(true)
    const [main] = JSON.parse((await user.call(['ps', '--json'])).stdout) as { conversationId: string }[]
    const guards = childrenOf(program.pid).filter((pid) => commandOf(pid).includes('guard-process'))
    expect(guards).toHaveLength(1)
    process.kill(guards[0]!, 'SIGKILL')
    program.kill('SIGKILL')
    await program.ended
    expect(processesOf(user).length).toBeGreaterThan(0)
    const steered = await user.call(['steer', main!.conversationId, 'hey'])
    expect(steered).toMatchObject({ code: 0, stdout: expect.stringContaining('offshoot recover') })
    expect(processesOf(user)).toEqual([])
  })

  it('that is cancelled from another terminal leaves none of its commands, wherever they went', async () => {
    const user = newUser()
    const command = `bash -c 'setsid sleep 1000 & touch begun; sleep 1000'`
    const script = user.script({
      main: [{ toolCalls: [task('one')] }],
      general: [{ toolCalls: [{ tool: 'bash', input: { command } }] }],
    })
    const program = user.start(['run', 'Start.', '-m', script, '--mode', 'auto', '--output-format', 'json'])
    await expect.poll(() => existsSync(join(user.directory, 'begun')), { timeout: 30_000 }).toBe(true)
    const [main] = JSON.parse((await user.call(['ps', '--json'])).stdout) as { conversationId: string }[]
    const cancelled = await user.call(['cancel', main!.conversationId])
    expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringContaining('cancelled') })
    expect(await program.ended).toMatchObject({ code: 1 })
    expect(processesOf(user)).toEqual([])
    const statuses = user.rows('select status, end_reason from runs order by depth')
    expect(statuses).toEqual([
      { status: 'cancelled', end_reason: 'user' },
      { status: 'cancelled', end_reason: 'parent' },
    ])
  })
})
