import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import type { Io } from '../io.ts'
import { createProgram } from '../program.ts'

let user: TestUser

beforeAll(() => {
  user = new TestUser()
})

afterAll(() => user.remove())

const task = { tool: 'task', input: { subagent_type: 'explore', description: 'look', prompt: 'Look.' } }

/** A conversation whose main agent is at its limit of one turn, with a subagent that has reported. */
async function paused() {
  const script = user.script({
    main: [{ toolCalls: [task] }, { text: 'so far' }, { text: 'the rest' }],
    explore: [{ text: 'found' }, { text: 'found more' }],
  })
  const { code } = await user.call(['run', 'Go.', '-m', script, '--max-turns', '1'])
  expect(code).toBe(4)
  const columns = 'id, branch_id as branch, conversation_id as conversation'
  const [child, main] = user.rows(`select ${columns} from runs order by id desc limit 2`)
  const ids = (row: typeof main) => row as { id: string; branch: string; conversation: string }
  return { main: ids(main), child: ids(child) }
}

describe('continue', () => {
  it('goes on with a conversation, a branch or a run, and prints the answer', async () => {
    const { main, child } = await paused()
    const { code, stdout } = await user.call([
      'continue',
      main.conversation,
      'and the rest?',
      '--max-turns',
      '3',
    ])
    expect([code, stdout]).toEqual([0, 'so far\n']) // a scripted model begins anew with each program
    const [{ turns, limits }] = user.rows(`select turns, limits from runs where id = '${main.id}'`) as [
      { turns: number; limits: string },
    ]
    expect([turns, (JSON.parse(limits) as { maxTurns: number }).maxTurns]).toEqual([3, 4])
    const json = await user.call(['continue', child.id, '--output-format', 'json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'completed',
      text: 'found',
      conversation_id: main.conversation,
    })
  })

  it('is named with what helps when a run pauses, and takes "last"', async () => {
    const model = user.script({ main: [{ toolCalls: [task] }, { text: 'so far' }], explore: [{ text: 'a' }] })
    const { stderr } = await user.call(['run', 'Go.', '-m', model, '--max-turns', '1'])
    const [last] = user.rows('select id from conversations order by id desc limit 1')
    const line = `offshoot: resume it: offshoot continue ${String(last!['id'])} (--max-turns N sets how many more turns it gets)`
    expect(stderr.split('\n').slice(-3)).toEqual(['offshoot: paused (limit)', line, ''])
    const bare = await user.call(['continue'])
    expect(bare).toMatchObject({ code: 2, stdout: '' })
    expect(bare.stderr).toContain('<id> [text] (last: the latest conversation of this directory)')
    expect((await user.call(['continue', 'last', 'and now?'])).code).toBe(0)
  })

  it('is also what a message to a paused conversation does', async () => {
    const { main } = await paused()
    const { code } = await user.call(['run', '--conversation', main.conversation, 'go on'])
    expect(code).toBe(0)
    const runs = user.rows(`select id from runs where branch_id = '${main.branch}'`)
    expect(runs).toEqual([{ id: main.id }])
  })

  it('tells a file that is not there from one outside of the directory', async () => {
    const { main } = await paused()
    const given = (file: string) => user.call(['continue', main.conversation, '--file', file])
    for (const file of ['missing.txt', '/nowhere/missing.txt']) {
      const { code, stderr } = await given(file)
      expect([code, stderr]).toEqual([2, expect.stringContaining(`--file ${file}: there is no such file`)])
    }
    const outside = join(user.root, 'outside.txt')
    writeFileSync(outside, 'text')
    const { code, stderr } = await given(outside)
    expect(code).toBe(2)
    expect(stderr).toContain(
      `${outside} is outside ${user.directory}, and no rule allows reading it\n  copy it into`,
    )
    expect(stderr).toContain('{"tool": "external_directory"')
  })

  it.each([
    [['continue', 'cnv_01K9Z300000000000000000000'], 2, /there is no conversation cnv_/],
    [['continue', 'nothing'], 2, /there is no conversation, branch or run nothing/],
    [['continue'], 2, /missing required argument/],
    [['continue', 'cnv_x', '--max-turns', '0'], 2, /max-turns/],
  ] as const)('of what is not there: %j', async (args, exitCode, said) => {
    const { code, stdout, stderr } = await user.call([...args])
    expect([code, stdout]).toEqual([exitCode, ''])
    expect(stderr).toMatch(said)
  })
})

describe('docs/recovery.md', () => {
  const page = readFileSync(new URL('../../../docs/recovery.md', import.meta.url), 'utf8')
  const typed = [...page.matchAll(/\boffshoot ([a-z]+)((?: [A-Z[\]-]+| --[a-z-]+)*)/g)]
  it.each(typed.map(([line]) => line))('%s is a command with such options', async (line) => {
    const program = await createProgram({} as Io, () => {})
    const [, name, ...words] = line.split(' ')
    const command = program.commands.find((each) => each.name() === name)!
    const options = command.options.map(({ long }) => long)
    expect(options).toEqual(expect.arrayContaining(words.flatMap((word) => /--[a-z-]+/.exec(word) ?? [])))
  })
})

describe('recover', () => {
  it('of nothing says so', async () => {
    for (const flags of [[], ['--dry-run'], ['--pause']])
      expect(await user.call(['recover', ...flags])).toMatchObject({
        code: 0,
        stdout: '',
        stderr: 'offshoot: no runs to recover\n  offshoot ps lists active and paused runs\n',
      })
  })
})
