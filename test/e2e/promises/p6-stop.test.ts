import { describe, expect, it } from 'vitest'
import type { Mechanism } from '../../support/faults.ts'
import type { StartedProgram } from '../../support/started-program.ts'
import { bash, ScriptedTree, task, untilEvent, waits, type Listed } from '../../support/scripted-tree.ts'

const BACKGROUND = { run_in_background: true }
type Call = ReturnType<typeof task> | ReturnType<typeof bash>

/**
 * Leaves its process group and its parent, as a server does that is started in the background. The command ends when that
 * is done: what is in the group of a command that has ended, the guard knows without a mark.
 */
const LEAVES =
  'mkfifo left && (setsid sh -c "echo left > left; exec sleep 1000" > /dev/null 2>&1 &) && cat left'

describe('P6: the verbs that stop', () => {
  it('mean different things, and each reaches all that it has to', async () => {
    expect(await stopsAndGoesOn()).toEqual([])
  })

  it('fails without a stop of the whole tree: what an interrupt was to stop goes on', async () => {
    expect(await stopsAndGoesOn('whole-tree-stop')).toEqual([
      'interrupted: a is waiting (children)',
      'interrupted: b is running',
      'interrupted: the command of b goes on',
    ])
  })
})

describe('P6: a cancel', () => {
  it('ends the subtree for good, and leaves no process, in the background or out of its group', async () => {
    expect(await cancels()).toEqual([])
  })

  it('fails without the mark of its processes: what has left its group goes on', async () => {
    expect(await cancels('process-mark')).toEqual(['these commands go on: sleep 1000'])
  })

  it('fails without a stop of the whole tree: it leaves orphans', async () => {
    expect(await cancels('whole-tree-stop')).toEqual([
      'cancelled: a is waiting (children)',
      'cancelled: b is running',
      'these commands go on: sh wait.sh b, sleep 1000',
    ])
  })
})

/** `a` waits for `b`, which runs a command; `c` runs another one. */
function openTree(main: readonly Call[], off?: Mechanism) {
  return ScriptedTree.open(
    {
      'Go.': [{ toolCalls: main }, { text: 'All done.' }],
      'Do a.': [{ toolCalls: [task('b')] }, { text: 'The result of a.' }],
      'Do b.': [
        { text: 'I begin.', toolCalls: [bash(LEAVES)] },
        { toolCalls: [waits('b')] },
        { toolCalls: [waits('again')] },
        { text: 'The result of b.' },
      ],
      'Do c.': [{ toolCalls: [waits('c')] }, { text: 'The result of c.' }],
    },
    { config: { limits: { maxDepth: 2 } }, off },
  )
}

async function stopsAndGoesOn(off?: Mechanism): Promise<string[]> {
  await using tree = await openTree([task('c', BACKGROUND), task('a')], off)
  const { user } = tree
  const program = tree.go('--mode', 'auto')
  await Promise.all([waitsFor(program, 'b'), waitsFor(program, 'c')])
  const runs = await tree.ps()
  const [main, c] = [mainOf(runs), runs.find((run) => run.task === 'c')!]
  const verb = async (...args: string[]) => {
    const { code, stdout, stderr } = await user.call(args)
    expect(code, stderr).toBe(0)
    return stdout
  }

  expect(await verb('steer', c.id, 'Look left.')).toContain('reads it at its next turn')
  await verb('interrupt', main.id)
  const interrupted = states(await tree.ps('--all'))
  const left = ['a', 'b'].filter((name) => interrupted[name] !== 'paused (parent)')
  if (left.length > 0)
    return [
      ...left.map((name) => `interrupted: ${name} is ${interrupted[name]}`),
      ...(tree.commands().includes('sh wait.sh b') ? ['interrupted: the command of b goes on'] : []),
    ]
  expect(interrupted).toEqual({
    main: 'paused (user)',
    a: 'paused (parent)',
    b: 'paused (parent)',
    c: 'running',
  })
  expect(tree.commands()).toEqual(['sh wait.sh c'])

  tree.release('c')
  expect(await program.ended).toMatchObject({ code: 4 })
  expect(tree.of('Do c.').at(-1)!.whole).toContain('Look left.')
  expect(states(await tree.ps('--all'))).toMatchObject({ main: 'paused (user)', c: 'completed' })

  const again = tree.start('continue', main.conversationId, '--mode', 'auto', '--output-format', 'events')
  await waitsFor(again, 'again')
  expect(tree.of('Do b.').at(-1)!.whole).toContain('interrupted')
  expect(await verb('pause', main.conversationId)).toMatch(/: 0 paused, 3 stop after this turn;/)
  tree.release('again')
  expect(await again.ended).toMatchObject({ code: 4 })
  const paused = { main: 'paused (user)', a: 'paused (parent)', b: 'paused (parent)' }
  expect(states(await tree.ps('--all'))).toMatchObject(paused)
  expect(tree.of('Do b.')).toHaveLength(3) // its command was done first, and no turn after it has begun

  const last = await tree.start('continue', main.conversationId, '--mode', 'auto').ended
  expect(last).toMatchObject({ code: 0, stdout: 'All done.\n' })
  const done = { main: 'completed', a: 'completed', b: 'completed', c: 'completed' }
  expect(states(await tree.ps('--all'))).toEqual(done)
  expect(tree.of('Go.').at(-1)!.whole).toMatch(/The result of a\.[^]*The result of c\./)
  expect(user.processes()).toEqual([])
  return []
}

async function cancels(off?: Mechanism): Promise<string[]> {
  await using tree = await openTree([task('a', BACKGROUND), waits('main')], off)
  const program = tree.go('--mode', 'auto')
  await Promise.all([waitsFor(program, 'b'), waitsFor(program, 'main')])
  const main = mainOf(await tree.ps())
  const cancelled = await tree.user.call(['cancel', main.id])
  expect(cancelled.stdout).toMatch(/^cancelled: run_/)
  const after = states(await tree.ps('--all'))
  const commands = tree.commands()
  const violations = [
    ...['main', 'a', 'b']
      .filter((name) => after[name] !== 'cancelled')
      .map((name) => `cancelled: ${name} is ${after[name]}`),
    ...(commands.length > 0 ? [`these commands go on: ${commands.join(', ')}`] : []),
  ]
  if (violations.length > 0) return violations
  expect(await program.ended).toMatchObject({ code: 1 })
  expect(tree.user.processes()).toEqual([])
  expect(await tree.user.call(['cancel', main.id])).toMatchObject({
    code: 0,
    stdout: `already_finished: ${main.id} is cancelled\n`,
  })
  return []
}

/** Resolves once the command has begun. */
function waitsFor(program: StartedProgram, name: string) {
  return untilEvent(program, ({ type, text }) => type === 'tool.output' && text === `${name} waits\n`)
}

function mainOf(runs: readonly Listed[]): Listed {
  return runs.find(({ depth }) => depth === 0)!
}

/** By name; the latest run of each. */
function states(runs: readonly Listed[]): Record<string, string> {
  const named = runs.toReversed().map(({ task, depth, status, reason }) => {
    return [depth === 0 ? 'main' : task, reason ? `${status} (${reason})` : status] as const
  })
  return Object.fromEntries(named)
}
