import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

/** Goes on when the file `NAME.go` is there. */
const WAIT = '#!/bin/sh\nwhile [ ! -e "$1.go" ]; do sleep 0.02; done\necho "waited $1"\n'

const CONFIG = { permissions: [{ tool: 'bash', pattern: 'sh wait.sh *', action: 'allow' }] }

let user: TestUser

beforeEach(async () => {
  user = new TestUser({ 'wait.sh': WAIT, 'offshoot.jsonc': JSON.stringify(CONFIG) })
  await user.trust()
})

afterEach(() => user.remove())

const task = (name: string, more: object = {}) => ({
  tool: 'task',
  input: { subagent_type: 'general', description: `task ${name}`, prompt: `Do ${name}.`, ...more },
})
const bash = (command: string) => ({ tool: 'bash', input: { command } })
const waits = (name: string) => ({ match: `^Do ${name}\\.$`, toolCalls: [bash(`sh wait.sh ${name}`)] })

interface Listed {
  readonly depth: number
  readonly id: string
  readonly branchId: string
  readonly conversationId: string
  readonly task: string
  readonly status: string
  readonly reason: string | null
  readonly queuePosition: number | null
  readonly approvals: readonly string[]
  readonly lastAction: { readonly title: string } | null
  readonly owner: { readonly pid: number } | null
}

async function ps(...more: string[]): Promise<Listed[]> {
  const { stdout, code } = await user.call(['ps', '--json', ...more])
  expect(code).toBe(0)
  return JSON.parse(stdout) as Listed[]
}

async function taskOf(name: string, runs?: readonly Listed[]): Promise<Listed> {
  return (runs ?? (await ps('--all'))).find((run) => run.task === `task ${name}`)!
}

function start(agents: Parameters<TestUser['script']>[0], ...more: string[]): StartedProgram {
  const script = user.script(agents)
  return user.start(['run', 'Go.', '-m', script, '--output-format', 'events', ...more])
}

const begun = (program: StartedProgram, name: string) => program.untilStdout(`"title":"$ sh wait.sh ${name}"`)
const release = (name: string) => user.write(`${name}.go`, '')

describe('a run in one terminal, everything else in another', () => {
  it('is listed, steered, cancelled and approved while it runs, and nobody else may drive it', async () => {
    const run = start(
      {
        main: [{ toolCalls: [task('a'), task('b'), task('c')] }, { text: 'All done.' }],
        general: [
          waits('a'),
          waits('b'),
          { match: '^Do c\\.$', toolCalls: [bash('touch made.txt && echo made')] },
          { match: '^leave the tests alone$', text: 'Left alone.' },
          { match: 'made', text: 'Made it.' },
        ],
      },
      '--approvals',
      'wait',
    )
    await Promise.all([begun(run, 'a'), begun(run, 'b'), run.untilStderr('offshoot approve apr_')])

    const runs = await ps()
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => taskOf(name, runs)))
    expect(runs).toHaveLength(4)
    expect(runs[0]).toMatchObject({ status: 'running' })
    expect(a).toMatchObject({ status: 'running', lastAction: { title: '$ sh wait.sh a' } })
    expect(c).toMatchObject({
      status: 'waiting',
      reason: 'approval',
      approvals: [expect.stringMatching(/^apr_/)],
    })
    expect(new Set(runs.map((each) => each.owner!.pid)).size).toBe(1)
    const shown = await user.call(['ps'])
    expect(shown.stdout).toMatch(
      /general +task a +1\/\d+ turns +1 tool +\d+\.\ds +\$1\.25 left · Running: \$ sh wait\.sh a, for \d+s\n/,
    )
    expect(shown.stdout).toMatch(
      new RegExp(
        `Waiting for you: \\$ touch made\\.txt && echo made, for \\d+s · offshoot approve ${c!.approvals[0]} · #1\\n`,
      ),
    )

    const steered = await user.run(['steer', a!.id, 'leave the tests alone'])
    expect(steered).toMatchObject({ code: 0, stdout: expect.stringMatching(/^inb_\w+: run_\w+ reads it/) })
    const waiting = await user.call(['inbox', a!.branchId])
    expect(waiting.stdout).toMatch(/^inb_\w+ .* message +steer +leave the tests alone\n$/)

    const cancelled = await user.call(['cancel', b!.branchId])
    expect(cancelled).toMatchObject({ code: 0, stdout: `cancelled: ${b!.branchId}\n` })
    expect(await taskOf('b')).toMatchObject({ status: 'cancelled' })

    const second = await user.run(['run', 'Me too.', '-m', 'offline', '--conversation', a!.conversationId])
    expect(second.code).toBe(1)
    expect(second.stderr).toContain(`is driven by another process: pid ${a!.owner!.pid} on `)
    expect(second.stderr).toContain('cancel, steer and approve reach them from here')

    const approval = c!.approvals[0]!
    const byNumber = await user.call(['approve', '#1'])
    expect(byNumber).toMatchObject({ code: 2, stderr: expect.stringContaining(approval) })
    expect(await user.call(['approve', '#99'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown approval or question #99'),
    })
    const question = await user.call(['approve', approval])
    expect(question).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('touch made.txt && echo made'),
    })
    expect(await user.call(['approve', c!.id, 'once'])).toMatchObject({
      code: 0,
      stdout: `${approval}: once: $ touch made.txt && echo made (#1 of ${c!.conversationId})\n`,
    })
    const again = await user.call(['approve', approval, 'deny'])
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(again.stderr).toMatch(/already answered: once, by offshoot approve, \d{4}-\d\d-\d\dT/)
    await run.untilStdout('"type":"approval.answered"')

    release('a')
    const ended = await run.ended
    expect(ended.code).toBe(0)
    expect(existsSync(join(user.directory, 'made.txt'))).toBe(true)
    const tree = await user.call(['show', a!.conversationId, '--messages'])
    for (const text of ['Left alone.', 'Made it.', 'All done.']) expect(tree.stdout).toContain(text)
    expect(await ps()).toEqual([])
    expect(user.processes()).toEqual([])

    const late = await user.call(['steer', a!.id, 'too late'])
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('offshoot continue') })
    const finished = await user.call(['cancel', a!.id, b!.id, 'run_00000000000000000000000000'])
    expect(finished.code).toBe(2)
    expect(finished.stdout.split('\n')).toEqual([
      `already_finished: ${a!.id} is completed`,
      `already_finished: ${b!.id} is cancelled`,
      'not_found: "run_00000000000000000000000000"',
      '',
    ])
  }, 60_000)

  it('has its queue shown in order, and is closed as a whole', async () => {
    user.write('offshoot.jsonc', JSON.stringify({ ...CONFIG, limits: { maxConcurrent: 1 } }))
    const names = ['a', 'b', 'c']
    const run = start({
      main: [{ toolCalls: names.map((name) => task(name)) }],
      general: names.map(waits),
    })
    await begun(run, 'a')
    const queued = (await ps()).filter((each) => each.status === 'queued')
    expect(queued.map((each) => [each.task, each.queuePosition])).toEqual([
      ['task b', 1],
      ['task c', 2],
    ])
    expect((await user.call(['ps'])).stdout).toMatch(
      /queued +general +task b .* Queued \(number 1 of 2\), for/,
    )
    const id = queued[0]!.conversationId
    const closed = await user.call(['close', id])
    expect(closed).toMatchObject({ code: 0, stdout: `closed: ${id}, 4 runs cancelled\n` })
    expect(await run.ended).toMatchObject({ code: 1 })
    expect(user.processes()).toEqual([])
    expect((await user.call(['show', id])).code).toBe(0)
  }, 60_000)

  it('is interrupted alone: what it has in the background goes on', async () => {
    const run = start({
      main: [{ toolCalls: [task('a', { run_in_background: true }), bash('sh wait.sh main')] }],
      general: [waits('a'), { match: 'waited a', text: 'A is done.' }],
    })
    await Promise.all([begun(run, 'a'), begun(run, 'main')])
    const [first] = await ps()
    const interrupted = await user.call(['interrupt', first!.conversationId])
    expect(interrupted.stdout).toMatch(/^run_\w+: paused \(user\); offshoot continue brn_\w+ resumes it\n$/)
    expect(await taskOf('a')).toMatchObject({ status: 'running' })
    release('a')
    expect(await run.ended).toMatchObject({ code: 4 })
    expect(await taskOf('a')).toMatchObject({ status: 'completed' })
    const again = await user.call(['interrupt', first!.conversationId])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('there is nothing to interrupt') })
  }, 60_000)

  it('lets go of a subagent, and pauses once the turn is done, with all that runs', async () => {
    const run = start({
      main: [
        { toolCalls: [task('a')] },
        { match: 'moved it to the background', toolCalls: [bash('sh wait.sh main')] },
      ],
      general: [waits('a')],
    })
    await begun(run, 'a')
    const a = await taskOf('a')
    const moved = await user.call(['background', a.id])
    expect(moved).toMatchObject({ code: 0, stdout: `${a.id}: running in the background\n` })
    expect((await user.call(['background', a.id])).code).toBe(1)
    await begun(run, 'main')
    const paused = await user.call(['pause', a.conversationId])
    expect(paused).toMatchObject({
      code: 0,
      stdout: `${a.conversationId}: 0 paused, 2 stop after this turn; offshoot continue ${a.conversationId} resumes it\n`,
    })
    expect((await user.call(['ps'])).stdout).toMatch(/running +main .* Pausing: asked by you/)
    release('a')
    release('main')
    expect(await run.ended).toMatchObject({ code: 4 })
    const states = (await ps()).map(({ status, reason }) => `${status} ${reason}`)
    expect(states.toSorted()).toEqual(['paused parent', 'paused user'])
    const again = await user.call(['pause', a.conversationId])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('there is nothing to pause') })
  }, 60_000)

  it('takes in a subagent and a fork that somebody starts beside it', async () => {
    const run = start({
      main: [
        { match: '^Go', toolCalls: [bash('sh wait.sh main')] },
        { match: '^Say it in short', text: 'In short.' },
        { match: 'waited main', text: 'Done.' },
      ],
      general: [
        { match: '^Look beside', text: 'Looked.' },
        { match: '^Look beside', text: 'Looked again.' },
      ],
    })
    await begun(run, 'main')
    const [main] = await ps()
    const id = main!.conversationId
    const spawn = ['spawn', '--conversation', id, '--label', 'beside', 'Look beside.']
    const spawned = await user.call(spawn)
    expect(spawned).toMatchObject({
      code: 0,
      stdout: 'Looked.\n',
      stderr: expect.stringMatching(/run_\w+ runs in process \d+\n/),
    })
    const handed = await user.call([...spawn, '--background', '--output-format', 'json'])
    expect(handed).toMatchObject({ code: 0, stderr: '' })
    const { branch_id: branch } = JSON.parse(handed.stdout) as { branch_id: string }
    expect(await user.start(['log', '-f', branch]).ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('general (agent): Looked again.\n'),
    })

    const [said] = user.rows(
      `SELECT id FROM messages WHERE branch_id = '${main!.branchId}' AND role = 'user'`,
    )
    const forked = await user.call(['fork', String(said!['id']), 'Say it in short.'])
    expect(forked).toMatchObject({ code: 0, stdout: 'In short.\n' })
    expect(new Set((await ps('--all')).map(({ status }) => status))).toEqual(
      new Set(['completed', 'running']),
    )

    const wrong = await user.call(['spawn', '--conversation', id, '--agent', 'nobody', 'x'])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('nobody') })
    release('main')
    expect(await run.ended).toMatchObject({ code: 0 })
    expect(user.rows("SELECT count(*) AS n FROM runs WHERE status = 'completed'")).toEqual([{ n: 4 }])
  }, 60_000)

  it('ends with a line of its own run, and says what else runs in its process', async () => {
    const model = user.script({
      main: [
        { match: '^Go', toolCalls: [bash('sh wait.sh main')] },
        { match: '^Otherwise', toolCalls: [bash('sh wait.sh fork')] },
        { match: 'waited main', text: 'Done.' },
        { match: 'waited fork', text: 'Done otherwise.' },
      ],
    })
    const run = user.start(['run', 'Go.', '-m', model])
    await run.untilStderr('$ sh wait.sh main')
    const [said] = user.rows("SELECT id FROM messages WHERE role = 'user'")
    const fork = user.start(['fork', String(said!['id']), 'Otherwise.'])
    await run.untilStderr('offshoot: this process also drives run_')
    const [other] = user.rows('SELECT id, branch_id AS branch FROM runs ORDER BY id DESC LIMIT 1')
    expect(run.stderr).toContain(
      `also drives ${String(other!['id'])} on ${String(other!['branch'])} (main: Otherwise.)\n`,
    )
    release('main')
    await run.untilStderr(
      `done here, but this process still drives ${String(other!['id'])}; Ctrl-C pauses it\n`,
    )
    release('fork')
    const { code, stdout, stderr } = await run.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Done.\n' })
    expect(stderr.match(/^✓ .*$/gm)).toEqual([expect.stringMatching(/^✓ main — done in \S+ · 1 tool · \$0$/)])
    expect(await fork.ended).toMatchObject({ code: 0, stdout: 'Done otherwise.\n' })
  }, 60_000)

  it('shows what it was given in each format, with nothing of what else runs there', async () => {
    const agents = {
      main: [{ toolCalls: [bash('sh wait.sh main')] }, { match: 'waited main', text: 'Done.' }],
      general: [
        {
          match: '^Nest',
          toolCalls: [{ tool: 'task', input: { subagent_type: 'explore', prompt: 'Look.' } }],
        },
        { match: 'Found', text: 'Nested.' },
        { match: '^Ask', toolCalls: [bash('touch asked.txt')] },
        { match: 'exit code 0', text: 'Asked.' },
      ],
      explore: [{ text: 'Found.' }],
    }
    user.write('offshoot.jsonc', JSON.stringify({ ...CONFIG, limits: { maxDepth: 2 } }))
    await user.trust()
    const run = start(agents, '--approvals', 'wait')
    await begun(run, 'main')
    const [main] = await ps()
    const spawn = ['spawn', '--conversation', main!.conversationId, '--output-format']
    const nested = await user.call([...spawn, 'events', 'Nest it.'])
    expect(nested.code).toBe(0)
    const events = linesOf(nested.stdout)
    expect(events.map(({ agent }) => agent)).not.toContain('main')
    expect(events.find(({ type }) => type === 'run.completed' || type === 'run.failed')).toBeDefined()

    const asked = user.start([...spawn, 'stream-json', 'Ask first.'])
    await asked.untilStderr('offshoot approve apr_')
    const [approval] = user.rows('SELECT id FROM approvals WHERE answer IS NULL')
    await user.call(['approve', String(approval!['id']), 'once'])
    const ended = await asked.ended
    expect(ended.code).toBe(0)
    const lines = linesOf(ended.stdout)
    expect(lines[0]).toMatchObject({ type: 'system', subtype: 'init' })
    expect(lines.filter(({ type }) => type === 'result')).toEqual([
      expect.objectContaining({ subtype: 'success', result: 'Asked.' }),
    ])
    release('main')
    expect(await run.ended).toMatchObject({ code: 0 })
  }, 60_000)

  it('is followed until it stops', async () => {
    const run = start({
      main: [
        { text: 'I wait.', toolCalls: [bash('sh wait.sh main')] },
        { match: 'waited main', text: 'Now I have it.' },
      ],
    })
    await begun(run, 'main')
    const [only] = await ps()
    const log = user.start(['log', '-f', only!.id])
    await log.untilStdout('I wait.')
    release('main')
    const { code, stdout } = await log.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: (await user.call(['log', only!.id])).stdout })
    expect(stdout).toContain('main (agent): Now I have it.\n')
    expect(await run.ended).toMatchObject({ code: 0 })
  }, 60_000)
  it('says what it waits for, with the command that answers it, once', async () => {
    const run = start(
      {
        main: [{ toolCalls: [task('c')] }, { text: 'All done.' }],
        general: [{ match: '^Do c\\.$', toolCalls: [bash('touch made.txt')] }, { text: 'Left it.' }],
      },
      '--approvals',
      'wait',
    )
    await run.untilStderr('offshoot approve apr_')
    const [asking] = (await ps()).filter(({ reason }) => reason === 'approval')
    const command = `Waiting for you: $ touch made.txt: offshoot approve ${asking!.approvals[0]}\n`
    const fromMain = `  ∙ subagent general (task c): ${command}`
    expect((await user.call(['log', asking!.id])).stdout).toContain(`  ∙ ${command}`)
    expect((await user.call(['log', asking!.conversationId])).stdout).toContain(fromMain)
    const log = user.start(['log', '-f', asking!.conversationId])
    await log.untilStdout(fromMain)
    expect(await user.call(['approve', asking!.approvals[0]!, 'deny'])).toMatchObject({ code: 0 })
    expect((await log.ended).stdout.split(fromMain)).toHaveLength(2)
    expect(await run.ended).toMatchObject({ code: 0 })
  }, 60_000)

  it('says it once where the run ends before anybody answers', async () => {
    const run = start(
      {
        main: [
          { toolCalls: [task('c', { run_in_background: true })] },
          { toolCalls: [bash('sh wait.sh main')] },
          { match: 'waited main', text: 'I go ahead.' },
          { text: 'All done.' },
        ],
        general: [{ match: '^Do c\\.$', toolCalls: [bash('touch made.txt')] }, { text: 'Left it.' }],
      },
      '--approvals',
      'wait',
    )
    await Promise.all([begun(run, 'main'), run.untilStderr('offshoot approve apr_')])
    const main = (await ps()).find(({ depth }) => depth === 0)!
    const [asking] = (await ps()).filter(({ reason }) => reason === 'approval')
    const log = user.start(['log', '-f', main.id])
    const said = `Waiting for you: $ touch made.txt: offshoot approve ${asking!.approvals[0]}\n`
    await log.untilStdout(said)
    release('main')
    const { code, stdout } = await log.ended
    expect(code).toBe(0)
    expect(stdout).toContain('main (agent): I go ahead.\n')
    expect(stdout.split(said)).toHaveLength(2)
    expect(await user.call(['approve', asking!.approvals[0]!, 'deny'])).toMatchObject({ code: 0 })
    expect(await run.ended).toMatchObject({ code: 0 })
  }, 60_000)
})

describe('what a killed program left', () => {
  it('is answered, steered and cancelled by whoever comes, who starts nothing', async () => {
    const run = start(
      {
        main: [{ toolCalls: [task('a'), task('c')] }],
        general: [waits('a'), { match: '^Do c\\.$', toolCalls: [bash('touch made.txt')] }],
      },
      '--approvals',
      'wait',
    )
    await Promise.all([begun(run, 'a'), run.untilStderr('offshoot approve apr_')])
    run.kill('SIGKILL')
    await run.ended
    const runs = await ps()
    const [a, c] = await Promise.all([taskOf('a', runs), taskOf('c', runs)])
    expect(runs.map((each) => each.owner)).toEqual([null, null, null])
    expect((await user.call(['ps'])).stdout).toMatch(
      /running +general +task a .* Left behind: its process exited while it was running · offshoot recover\n/,
    )
    expect(await user.call(['log', '-f', a.id])).toMatchObject({ code: 1 })
    const main = runs.find(({ depth }) => depth === 0)!
    const followed = await user.call(['log', '-f', main.id])
    expect(followed).toMatchObject({ code: 1, stderr: expect.stringContaining('its process has died') })
    expect(followed.stdout).toMatch(
      /∙ subagent general \(task a\) is left behind, running: offshoot recover\n/,
    )

    const approved = await user.call(['approve', c.approvals[0]!, 'deny', '--note', 'not now'])
    expect(approved).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the answer counts when it is resumed'),
    })
    expect(await user.call(['approve', c.approvals[0]!, 'once'])).toMatchObject({ code: 1 })
    expect(await user.call(['steer', a.id, 'hello'])).toMatchObject({ code: 0 })
    expect(existsSync(join(user.directory, 'made.txt'))).toBe(false)

    const cancelled = await user.call(['cancel', a.conversationId])
    expect(cancelled).toMatchObject({ code: 0, stdout: `cancelled: ${a.conversationId}, 3 runs\n` })
    expect(await ps()).toEqual([])
    expect((await ps('--all')).map((each) => each.status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(user.processes()).toEqual([])
  }, 60_000)
})

describe('what waits on a branch', () => {
  it('can be edited, promoted and withdrawn until it is read, from any process', async () => {
    const run = start({
      main: [{ toolCalls: [bash('sh wait.sh main')] }, { match: '^second, better$', text: 'I heard.' }],
    })
    await begun(run, 'main')
    const [only] = await ps()
    const say = async (text: string) => {
      const { stdout } = await user.call(['steer', only!.id, text])
      return stdout.split(':', 1)[0]!
    }
    const [first, second] = [await say('first'), await say('second')]
    const edited = await user.call(['inbox', only!.branchId, '--edit', second, 'second, better'])
    expect(edited).toMatchObject({ code: 0, stdout: `edited: ${second}\n` })
    expect(await user.call(['inbox', only!.branchId, '--promote', second])).toMatchObject({ code: 0 })
    expect(await user.call(['inbox', only!.branchId, '--withdraw', first])).toMatchObject({ code: 0 })
    expect(await user.call(['inbox', only!.branchId, '--withdraw', first])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was withdrawn'),
    })
    const { stdout } = await user.call(['inbox', only!.branchId, '--json'])
    expect(JSON.parse(stdout)).toMatchObject([{ id: second, text: 'second, better', mode: 'steer' }])
    release('main')
    expect(await run.ended).toMatchObject({ code: 0 })
    expect((await user.call(['show', only!.branchId, '--messages'])).stdout).toContain(
      'main (agent): I heard.',
    )
    const late = await user.call(['inbox', only!.branchId, '--edit', second, 'too late'])
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('was read') })
    expect(await user.call(['inbox', only!.branchId])).toMatchObject({ code: 0, stdout: '' })
  }, 60_000)
})

describe('what is typed wrongly', () => {
  const UNKNOWN = '00000000000000000000000000'

  it.each([
    ['steer', `run_${UNKNOWN}`, 'hi'],
    ['steer', 'nonsense', 'hi'],
    ['steer', `apr_${UNKNOWN}`, 'hi'],
    ['interrupt', `brn_${UNKNOWN}`],
    ['cancel', `cnv_${UNKNOWN}`],
    ['cancel', `msg_${UNKNOWN}`],
    ['close', `run_${UNKNOWN}`],
    ['inbox', `brn_${UNKNOWN}`],
    ['approve', `apr_${UNKNOWN}`],
    ['approve', `apr_${UNKNOWN}`, 'once'],
    ['approve', `apr_${UNKNOWN}`, 'perhaps'],
    ['answer', 'que_1', 'yes'],
    ['log', '-f', `run_${UNKNOWN}`],
    ['run', 'hi', '--conversation', `cnv_${UNKNOWN}`],
    ['run', 'hi', '--approvals', 'never'],
  ])('exits with 2: %s %s %s', async (...args) => {
    const { code, stderr } = await user.call(args.filter((each) => each !== undefined))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^offshoot: .+\n {2}\S/m)
  })

  it('reaches nothing of another conversation, and nothing that has ended', async () => {
    const script = () => user.script({ main: [{ text: 'Hello.' }] })
    await user.call(['run', 'One.', '-m', script()])
    await user.call(['run', 'Two.', '-m', script()])
    const [two, one] = await ps('--all')
    expect(await ps()).toEqual([])
    const nothing = await user.call(['approve', one!.id])
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('has no open approval') })
    const steered = await user.call(['steer', one!.conversationId, 'hi'])
    expect(steered).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is completed and does not read messages'),
    })
    const empty = await user.call(['steer', one!.id, '  '])
    expect(empty.code).toBe(2)
    const closed = await user.call(['close', two!.conversationId])
    expect(closed).toMatchObject({ code: 0, stdout: `closed: ${two!.conversationId}, 0 runs cancelled\n` })
    const run = await user.call(['close', one!.id])
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`is a run of ${one!.conversationId}`),
    })
    for (const flags of [
      ['--edit', `inb_${UNKNOWN}`, 'text'],
      ['--withdraw', `inb_${UNKNOWN}`],
      ['--promote', 'nonsense'],
      ['--edit', `inb_${UNKNOWN}`],
      ['--clear', '--promote', `inb_${UNKNOWN}`],
      ['text without an item'],
    ]) {
      const { code, stderr } = await user.call(['inbox', two!.branchId, ...flags])
      expect(code, flags.join(' ')).toBe(2)
      expect(stderr).toMatch(/^offshoot: /)
    }
  })

  it('finds an item on its own branch alone', async () => {
    const run = start({ main: [{ toolCalls: [bash('sh wait.sh main')] }, { text: 'Heard.' }] })
    await begun(run, 'main')
    const other = await user.call(['run', 'Two.', '-m', user.script({ main: [{ text: 'Hi.' }] }, 'two.json')])
    expect(other.code).toBe(0)
    const all = await ps('--all')
    const [here, there] = [all.find((each) => each.owner)!, all.find((each) => !each.owner)!]
    const item = (await user.call(['steer', here.id, 'hi'])).stdout.split(':', 1)[0]!
    const wrong = await user.call(['inbox', there.branchId, '--withdraw', item])
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(`there is no ${item} in`) })
    expect(await user.call(['inbox', here.id, '--clear'])).toMatchObject({
      code: 0,
      stdout: 'withdrawn: 1\n',
    })
    release('main')
    await run.ended
  }, 60_000)
})

describe('a store that another program holds', () => {
  it('is said to be locked, and nothing is done', async () => {
    const run = start({ main: [{ toolCalls: [bash('sh wait.sh main')] }, { text: 'Done.' }] })
    await begun(run, 'main')
    const [only] = await ps()
    const holder = new DatabaseSync(user.database)
    holder.exec('BEGIN IMMEDIATE')
    const { code, stderr } = await user.call(['cancel', only!.id])
    holder.exec('ROLLBACK')
    holder.close()
    expect(code).toBe(1)
    expect(stderr).toContain('is locked by another program')
    release('main')
    expect(await run.ended).toMatchObject({ code: 0 })
  }, 60_000)
})

describe('a number that two conversations have given', () => {
  const asks = { toolCalls: [bash('touch made.txt')] }
  const startAsking = async () => {
    const run = start({ main: [asks, { text: 'Done.' }] }, '--approvals', 'wait')
    await run.untilStderr('offshoot approve apr_')
    const approval = /offshoot approve (apr_\w+)/.exec(run.stderr)![1]!
    const [row] = user.rows(`select conversation_id as conversation from approvals where id = '${approval}'`)
    return { run, approval, conversation: String(row!['conversation']) }
  }

  it('decides for neither, also when one of them is answered; with its conversation it decides', async () => {
    const first = await startAsking()
    const second = await startAsking()
    expect(await user.call(['approve', first.approval, 'deny'])).toMatchObject({
      code: 0,
      stdout: `${first.approval}: deny: $ touch made.txt (#1 of ${first.conversation})\n`,
    })
    await first.run.ended
    const alone = await user.call(['approve', '#1', 'once'])
    expect(alone).toMatchObject({ code: 2, stdout: '' })
    expect(alone.stderr).toContain('2 conversations have an approval or question #1')
    expect(user.rows('select count(*) as open from approvals where answer is null')).toEqual([{ open: 1 }])
    const late = await user.call(['approve', `${first.conversation}#1`, 'once'])
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('already answered: deny') })
    expect(await user.call(['approve', `${second.conversation}#1`, 'once'])).toMatchObject({
      code: 0,
      stdout: `${second.approval}: once: $ touch made.txt (#1 of ${second.conversation})\n`,
    })
    expect(await second.run.ended).toMatchObject({ code: 0 })
  })
})

function linesOf(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
