import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser

beforeEach(() => {
  user = new TestUser({
    '.offshoot/agents/critic.md': '---\nname: critic\ndescription: asks\ntools: [ask_user]\n---\nYou ask.\n',
  })
})

afterEach(() => user.remove())

const PROMPT = 'a number, or your own words, then press Enter: '
const ask = (question: string, options: readonly string[] = []) => ({
  toolCalls: [{ tool: 'ask_user', input: { question, options: [...options] } }],
})
const bash = (command: string) => ({ toolCalls: [{ tool: 'bash', input: { command } }] })
const critic = { toolCalls: [{ tool: 'task', input: { subagent_type: 'critic', prompt: 'Ask.' } }] }

/** What each answer was, as the models read it. */
function told(): string[] {
  const rows = user.rows(
    'select part from parts where part like \'%"tool-result"%\' and part like \'%"ask_user"%\'',
  )
  return rows.map(({ part }) => (JSON.parse(part as string) as { output: { text: string } }).output.text)
}

async function idOn(program: StartedProgram, prefix: string): Promise<string> {
  await program.untilStderr(`${prefix}_`)
  return new RegExp(`${prefix}_[0-9A-Z]{26}`).exec(program.stderr)![0]
}

describe('on the terminal', () => {
  it('a question of a subagent is answered with the number of an option', async () => {
    const script = user.script({
      main: [critic, { text: 'Done.' }],
      critic: [ask('Which way?', ['left', 'right']), { text: 'Right it is.' }],
    })
    const program = user.terminal(['run', 'hi', '-m', script])
    await program.untilStdout(PROMPT)
    program.type('3\r')
    await program.untilStdout(
      '3 is not the number of an option; as an answer of your own, type "3" with the quotes',
    )
    program.type('2\r')
    const { code, stdout } = await program.ended
    expect(code).toBe(0)
    expect(stdout).toContain(
      '⚑ main > critic asks you (#1, 1 of 1):\r\n    Which way?\r\n  [1] left\r\n  [2] right\r\n',
    )
    expect(told()).toEqual(['right'])
    expect(user.rows('select answer, answered_by from questions')).toEqual([
      { answer: 'right', answered_by: 'terminal' },
    ])
    expect(user.processes()).toEqual([])
  })

  it('or with words, or not at all, one after the other', async () => {
    const script = user.script({
      main: [ask('First?'), ask('Second?', ['x']), ask('Third?'), { text: 'Done.' }],
    })
    const program = user.terminal(['run', 'hi', '-m', script])
    await program.untilStdout('your answer, then press Enter: ')
    program.type('\r')
    program.type('neither of them\r')
    await program.untilStdout(PROMPT)
    program.type('my own\r')
    await program.untilStdout('Third?\r\n\u001b[1G\u001b[0J  your answer, then press Enter: ')
    program.type('\u0004')
    const { code } = await program.ended
    expect(code).toBe(0)
    expect(told().slice(0, 2)).toEqual(['neither of them', 'my own'])
    expect(told()[2]).toContain('terminal gave no answer')
  })

  it('nothing of it is a command to the terminal', async () => {
    const evil = 'sure?\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u202e'
    const script = user.script({ main: [ask(evil, [evil, `\n[9] ${evil}`]), { text: 'Done.' }] })
    const program = user.terminal(['run', 'hi', '-m', script])
    await program.untilStdout(PROMPT)
    const shown = program.stdout
    program.type('n\r')
    expect((await program.ended).code).toBe(0)
    expect(shown.replace(/\u001b\[(?:\d{1,2}m|\d{1,3}G|\d{1,2}A|0?J|0K)/g, '')).not.toMatch(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\p{Bidi_Control}]/u,
    )
    expect(shown).toContain('sure?␛]52;c;ZXZpbA==␇␛[2J')
  })

  it('is given up when somebody else is faster', async () => {
    const script = user.script({ main: [ask('Which?'), { text: 'Done.' }] })
    const program = user.terminal(['run', 'hi', '-m', script])
    await program.untilStdout('your answer, then press Enter: ')
    const { stdout } = await user.run(['ps', '--json'])
    const [run] = JSON.parse(stdout) as { questions: string[]; reason: string }[]
    expect(run).toMatchObject({ reason: 'question', questions: [expect.stringMatching(/^que_/)] })
    expect(await user.run(['answer', run!.questions[0]!, 'from elsewhere'])).toMatchObject({ code: 0 })
    expect((await program.ended).code).toBe(0)
    expect(told()).toEqual(['from elsewhere'])
  })
})

describe('from another terminal', () => {
  it('a question is shown, listed, answered once, and only as what it is', async () => {
    const script = user.script({
      main: [critic, { text: 'Done.' }],
      critic: [ask('Which way?', ['left', 'right']), { text: 'Left it is.' }],
    })
    const args = ['run', 'hi', '-m', script, '--approvals', 'wait', '--output-format', 'events']
    const program = user.start(args)
    const id = await idOn(program, 'que')
    expect(program.stderr).toContain(`  [2] right\n  answer it with: offshoot answer ${id} OPTION|TEXT\n`)

    const ps = await user.call(['ps'])
    expect(ps.stdout).toMatch(
      new RegExp(
        `waiting \\(question\\) .*Waiting for you: Which way\\?, for \\d+s · offshoot answer ${id} · #1`,
      ),
    )
    const shown = await user.call(['answer', id])
    expect(shown).toMatchObject({ code: 2, stdout: expect.stringContaining('    Which way?\n  [1] left\n') })
    expect(shown.stderr).toBe(`offshoot: offshoot answer ${id} OPTION|TEXT\n`)
    expect(await user.call(['approve', id, 'once'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`offshoot answer ${id}`),
    })
    expect(await user.call(['answer', id, ' '])).toMatchObject({ code: 2 })
    expect(await user.call(['answer', id, '3'])).toMatchObject({
      code: 2,
      stderr: `offshoot: 3 is not the number of an option of ${id}\n  1: left, 2: right; as an answer of your own: offshoot answer ${id} '"3"'\n`,
    })

    const [run] = user.rows('select run_id from questions')
    expect(await user.call(['answer', run!['run_id'] as string, '1'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^${id}: left: Which way\\? \\(#1 of cnv_\\w+\\)\\n$`),
    })
    const again = await user.call(['answer', id, 'right'])
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toMatch(/already answered: left, by offshoot answer, \d{4}-\d\d-\d\dT/)
    expect(await user.call(['answer', id])).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(`^${id}: Which way\\?: left, by offshoot answer, `),
    })

    const { code, stdout } = await program.ended
    expect(code).toBe(0)
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type: string })
    expect(events.filter(({ type }) => type.startsWith('question.'))).toMatchObject([
      { type: 'question.asked', questionId: id, path: ['main', 'critic'], position: 1, of: 1, depth: 1 },
      { type: 'question.answered', questionId: id, text: 'left', by: 'offshoot answer' },
    ])
    expect(told()).toEqual(['left'])
    const nothing = await user.call(['answer', run!['run_id'] as string, 'x'])
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('has no open question') })
  }, 30_000)

  it('a question of a killed program is answered, and the answer is there when somebody goes on', async () => {
    const script = user.script({ main: [{ match: '^this one$', text: 'Done.' }, ask('Which?')] })
    const program = user.start(['run', 'hi', '-m', script, '--approvals', 'wait'])
    const id = await idOn(program, 'que')
    program.kill('SIGKILL')
    await program.ended
    const answered = await user.run(['answer', id, 'this one'])
    expect(answered).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the answer counts when it is resumed'),
    })
    const { code, stdout } = await user.run(['recover'])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('completed') })
    expect(told()).toEqual(['this one'])
  }, 30_000)

  it('unattended it fails at once, and the run goes on', async () => {
    const script = user.script({
      main: [ask('Which?'), { match: 'nobody can answer here', text: 'I took one.' }],
    })
    expect(await user.run(['run', 'hi', '-m', script])).toMatchObject({ code: 0, stdout: 'I took one.\n' })
    expect(user.rows('select * from questions')).toEqual([])
  })
})

describe('an approval from depth 3', () => {
  it('has the path of agents, and goes on with an answer from another terminal', async () => {
    user.write('offshoot.jsonc', JSON.stringify({ limits: { maxDepth: 3 } }))
    await user.trust()
    const task = (prompt: string) => ({
      toolCalls: [{ tool: 'task', input: { subagent_type: 'general', prompt } }],
    })
    const script = user.script({
      main: [task('one'), { text: 'Done.' }],
      general: [
        { match: '^one$', ...task('two') },
        { match: '^two$', ...task('three') },
        { match: '^three$', ...bash('touch made') },
        { text: 'Made.' },
        { text: 'Made below.' },
        { text: 'Made below.' },
      ],
    })
    const args = ['run', 'hi', '-m', script, '--approvals', 'wait', '--output-format', 'events']
    const program = user.start(args)
    const id = await idOn(program, 'apr')
    expect(await user.run(['approve', id, 'once'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^${id}: once: .* \\(#1 of cnv_\\w+\\)\\n$`),
    })
    const { code, stdout } = await program.ended
    expect(code).toBe(0)
    const events = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type: string })
    const path = ['main', 'general', 'general', 'general']
    expect(events.find(({ type }) => type === 'approval.requested')).toMatchObject({
      approvalId: id,
      path,
      depth: 3,
    })
    expect(existsSync(join(user.directory, 'made'))).toBe(true)
  }, 30_000)
})

describe('an answer for good', () => {
  it('is for the directory if that is said, holds in other programs, and is taken back', async () => {
    const made = (name: string) => existsSync(join(user.directory, name))
    const script = (name: string) =>
      user.script({ main: [bash(`touch ${name}`), { text: 'Done.' }] }, `${name}.json`)
    const program = user.start(['run', 'hi', '-m', script('a'), '--approvals', 'wait'])
    const id = await idOn(program, 'apr')
    expect(program.stderr).toContain('"run" and "always" allow: bash:touch *')
    expect(await user.call(['approve', id])).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('"run" and "always" allow: bash:touch *'),
    })
    expect(await user.call(['approve', id, 'once', '--scope', 'project'])).toMatchObject({ code: 2 })
    expect(await user.call(['approve', id, 'always', '--scope', 'project'])).toMatchObject({ code: 0 })
    expect((await program.ended).code).toBe(0)

    expect(await user.run(['run', 'hi', '-m', script('b')])).toMatchObject({ code: 0 })
    expect([made('a'), made('b')]).toEqual([true, true])
    const { stdout } = await user.call(['permissions'])
    expect(stdout).toMatch(/^rul_\w+ {2}project +bash:touch \* {2}20/)
    const grant = stdout.split(' ')[0]!
    expect(await user.call(['permissions', 'revoke', grant])).toMatchObject({
      code: 0,
      stdout: `revoked: ${grant}, bash:touch *\n`,
    })
    expect(await user.run(['run', 'hi', '-m', script('c')])).toMatchObject({ code: 5 })
    expect(made('c')).toBe(false)
  }, 30_000)

  it('of a conversation is taken back while another program drives it', async () => {
    user.write('wait.sh', 'while [ ! -e go ]; do sleep 0.02; done\n')
    user.write('offshoot.jsonc', JSON.stringify({ permissions: ['bash:sh wait.sh'] }))
    await user.trust()
    const script = user.script({
      main: [bash('touch a'), bash('sh wait.sh'), bash('touch b'), { text: 'Done.' }],
    })
    const args = ['run', 'hi', '-m', script, '--approvals', 'wait', '--output-format', 'events']
    const program = user.start(args)
    const id = await idOn(program, 'apr')
    await user.call(['approve', id, 'always'])
    await program.untilStdout('"title":"$ sh wait.sh"')
    const [grant] = user.rows('select id from rules')
    expect(await user.call(['permissions', 'revoke', grant!['id'] as string])).toMatchObject({ code: 0 })
    user.write('go', '')
    await program.untilStdout('"title":"$ touch b"')
    expect(user.rows('select title from approvals where answer is null')).toEqual([{ title: '$ touch b' }])
    program.kill('SIGTERM')
    await program.ended
  }, 30_000)

  it('is refused where nothing may be allowed for good', async () => {
    const script = user.script({ main: [bash('touch a && rm a'), { text: 'Done.' }] })
    const program = user.start(['run', 'hi', '-m', script, '--approvals', 'wait'])
    const id = await idOn(program, 'apr')
    expect(program.stderr).toContain(`offshoot approve ${id} once|deny\n`)
    for (const word of ['run', 'always'])
      expect(await user.call(['approve', id, word])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('can be allowed only once'),
      })
    expect(await user.call(['approve', id, 'deny', '--note', 'not here'])).toMatchObject({ code: 0 })
    expect((await program.ended).code).toBe(0)
  }, 30_000)
})

describe('--mode', () => {
  it('that was plan stays, and one that was wider has to be named again', async () => {
    const script = (name: string) =>
      user.script({ main: [bash(`touch ${name}`), { text: 'Done.' }] }, `${name}.json`)
    const args = (name: string, ...more: string[]) => ['run', 'hi', '-m', script(name), '--continue', ...more]
    expect(await user.call(['run', 'hi', '-m', script('a'), '--mode', 'plan'])).toMatchObject({ code: 0 })
    expect(await user.call(args('b'))).toMatchObject({
      code: 0, // denied by a rule, not for want of somebody to ask
      stderr: expect.stringContaining('offshoot: mode plan, as before; --mode ask changes it'),
    })
    expect(await user.call(args('c', '--mode', 'auto'))).toMatchObject({ code: 0 })
    expect(await user.call(args('d'))).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('offshoot: mode ask; it was auto before; --mode auto restores that'),
    })
    const there = ['a', 'b', 'c', 'd'].filter((name) => existsSync(join(user.directory, name)))
    expect(there).toEqual(['c'])
  }, 30_000)
})
