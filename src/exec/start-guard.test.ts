import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { processesWith } from '../../test/support/started-program.ts'
import { createGuard, tryGuard, type Guard } from './start-guard.ts'
import { listProcesses, readEntry } from './process-table.ts'
import { runProcess } from './run-process.ts'

/** invariant R6 allows ten seconds */
const IN_TIME = { timeout: 10_000, interval: 20 }
const LIMIT_MS = 30_000
const OWNER = fileURLToPath(new URL('./fixtures/guarded-owner.ts', import.meta.url))
/** Leaves an orphan that ignores SIGTERM, with an empty environment and its own session, and prints its pid. */
const LEAVES_DAEMON = `env -i setsid sh -c 'trap "" TERM; sleep 1000 & echo $!'`
const LEAVES_SESSION = 'setsid sleep 1000 & echo $!; sleep 1000 & echo $!; wait'

const ids: string[] = []
const directory = mkdtempSync(join(tmpdir(), 'offshoot-test-'))

afterEach(() => {
  // processes remain only after a failed test
  for (const id of ids.splice(0))
    for (const pid of [...guardsOf(id), ...childrenOf(id)]) process.kill(pid, 'SIGKILL')
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('an owner that is killed', { timeout: LIMIT_MS }, () => {
  test('leaves no process, not even one in its own session', async () => {
    const owner = await startOwner({ scripts: [LEAVES_SESSION], prints: 2 })
    expect(guardsOf(owner.id)).toHaveLength(1)
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
  })

  test('leaves no process when its whole group is killed', async () => {
    const shell = 'exec setsid "$0" "$@"'
    const owner = await startOwner({ scripts: [LEAVES_SESSION], prints: 2, shell })
    expect(readEntry(owner.pid)!.group).toBe(owner.pid)
    process.kill(-owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
  })

  test('leaves no process when its guard received a signal first', async () => {
    const owner = await startOwner({ scripts: [LEAVES_SESSION], prints: 2 })
    const [pid] = guardsOf(owner.id)
    await expect.poll(() => catchesSignals(pid!), IN_TIME).toBe(true)
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.kill(pid!, signal)
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
  })

  test('leaves no directory that it held, even when its guard was replaced', async () => {
    const held = join(directory, 'held by an owner, with 100 % of ö\n')
    const owner = await startOwner({ scripts: [LEAVES_SESSION], prints: 2, holds: held })
    writeFileSync(join(held, 'file'), '')
    const [first] = guardsOf(owner.id)
    process.kill(first!, 'SIGKILL')
    await expect.poll(() => guardsOf(owner.id).filter((each) => each !== first), IN_TIME).toHaveLength(1)
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
    await expect.poll(() => existsSync(held), IN_TIME).toBe(false)
  })

  test('leaves no process that ignores SIGTERM, at any depth', async () => {
    const leaf = file('leaf.sh', `trap '' TERM; echo $$; while :; do sleep 1000; done`)
    const middle = file('middle.sh', `trap '' TERM; echo $$; setsid bash ${leaf} & bash ${leaf} & wait`)
    const owner = await startOwner({ scripts: [`setsid bash ${middle} & bash ${middle}`], prints: 6 })
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
  })

  test('gives its processes time to exit on their own', async () => {
    const note = join(directory, 'note')
    const script = `trap 'echo bye > ${note}; exit' TERM; echo $$; sleep 1000 & wait`
    const owner = await startOwner({ scripts: [script], prints: 1, graceMs: 4_000 })
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
    expect(readFileSync(note, 'utf8')).toBe('bye\n')
  })

  test('leaves no process that lost the mark, if it leads a group or was left in one', async () => {
    const left = 'env -i "$(command -v sleep)" 1000 > /dev/null 2>&1 & echo $!'
    const alone = 'echo $$; exec env -i "$(command -v sleep)" 1000'
    const owner = await startOwner({ scripts: [left, alone], prints: 2 })
    await expect.poll(() => childrenOf(owner.id), IN_TIME).toEqual([])
    expect(owner.printed.filter(isAlive)).toHaveLength(2)
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
  })

  test('leaves no process that keeps restarting itself', async () => {
    const again = file('again.sh', `trap '' TERM; echo $$; sleep 0.05; setsid bash $0 & exit`)
    const inGroup = file('in-group.sh', `trap '' TERM; echo $$; sleep 0.01; bash $0 & exit`)
    const owner = await startOwner({ scripts: [`bash ${again} & bash ${inGroup} & sleep 1000`], prints: 6 })
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
  })

  test('does not make a pipeline wait for its guard', async () => {
    const script = `trap '' TERM; echo $$; while :; do sleep 1000; done`
    const shell = '"$0" "$@" 7>&1 | cat'
    const owner = await startOwner({ scripts: [script], prints: 1, graceMs: 1_500, shell })
    process.kill(owner.pid, 'SIGKILL')
    await owner.closed
    expect(guardsOf(owner.id)).toHaveLength(1)
    await expectNothingLeft(owner)
  })

  test('ends no process of another owner', async () => {
    const first = await startOwner({ scripts: [LEAVES_SESSION], prints: 2 })
    const second = await startOwner({ scripts: [LEAVES_SESSION], prints: 2 })
    // during exec a process briefly has no environment
    const commands = () => childrenOf(second.id).map((pid) => commandLine(pid)[0]!)
    await expect.poll(() => commands().toSorted(), IN_TIME).toEqual(['bash', 'sleep', 'sleep'])
    const before = childrenOf(second.id)
    process.kill(first.pid, 'SIGKILL')
    await expectNothingLeft(first)
    expect(childrenOf(second.id)).toEqual(before)
    expect(guardsOf(second.id)).toHaveLength(1)
    process.kill(second.pid, 'SIGKILL')
    await expectNothingLeft(second)
  })
})

describe('an owner whose commands have a limit', { timeout: LIMIT_MS }, () => {
  const limited = { shell: 'LIMITED=1 exec "$0" "$@"' }

  test('leaves no daemon when it is killed', async () => {
    const owner = await startOwner({ scripts: [`${LEAVES_DAEMON}; exec sleep 1000`], prints: 1, ...limited })
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
  })

  test('ends no daemon of another owner', async () => {
    const first = await startOwner({ scripts: [`${LEAVES_DAEMON}; exec sleep 1000`], prints: 1, ...limited })
    const second = await startOwner({ scripts: [`${LEAVES_DAEMON}; exec sleep 1000`], prints: 1, ...limited })
    process.kill(first.pid, 'SIGKILL')
    await expectNothingLeft(first)
    expect(second.printed.filter(isAlive)).toHaveLength(1)
    process.kill(second.pid, 'SIGKILL')
    await expectNothingLeft(second)
  })

  test('ends no process of another owner nested in its command', async () => {
    const inner = newId()
    // keeps running after the inner owner exits: an owner that exits cleanly ends its own daemons
    const script = `${LEAVES_DAEMON}; LIMITED=1 '${process.execPath}' '${OWNER}' ${inner} 200 '${quoted(`${LEAVES_DAEMON}; exec sleep 1000`)}'; exec sleep 1000`
    const outer = await startOwner({ scripts: [script], prints: 3, ...limited })
    const [ofOuter, innerOwner, ofInner] = outer.printed
    process.kill(innerOwner!, 'SIGKILL')
    await expect.poll(() => [...guardsOf(inner), ...[ofInner!].filter(isAlive)], IN_TIME).toEqual([])
    expect(isAlive(ofOuter!)).toBe(true)
    process.kill(outer.pid, 'SIGKILL')
    await expectNothingLeft(outer)
  })

  test('leaves no process of a nested owner that died together with its guard', async () => {
    const inner = newId()
    const script = `LIMITED=1 exec '${process.execPath}' '${OWNER}' ${inner} 200 '${quoted(`${LEAVES_DAEMON}; exec sleep 1000`)}'`
    const outer = await startOwner({ scripts: [script], prints: 2, ...limited })
    for (const pid of [...guardsOf(inner), outer.printed[0]!]) process.kill(pid, 'SIGKILL')
    for (const pid of childrenOf(inner)) process.kill(pid, 'SIGKILL')
    expect(isAlive(outer.printed[1]!)).toBe(true)
    process.kill(outer.pid, 'SIGKILL')
    await expectNothingLeft(outer)
  })
})

describe('an owner that exits', { timeout: LIMIT_MS }, () => {
  test('leaves neither its guard nor processes of its commands', async () => {
    const marked = 'setsid sleep 1000 > /dev/null & echo $!'
    const unmarked = 'env -i "$(command -v sleep)" 1000 > /dev/null & echo $!'
    const owner = await startOwner({ scripts: [marked, unmarked, 'true'], prints: 2 })
    expect(await owner.closed).toContain('closed\n')
    expect(leftOf(owner)).toEqual([])
  })
})

describe('the guard process', { timeout: LIMIT_MS }, () => {
  test('can be tested with nothing to watch, within a time limit', async () => {
    expect(await tryGuard()).toBe(true)
    const atOnce = (_ms: number, ring: () => void) => (ring(), () => {})
    expect(await tryGuard({ after: atOnce })).toBe(false)
  })

  test('starts with the first process, and only once', async () => {
    const { id, guard } = ownGuard()
    await guard.close()
    expect(guardsOf(id)).toEqual([])
    await runUnder(guard)
    await runUnder(guard)
    expect(guardsOf(id)).toHaveLength(1)
    await guard.close()
    expect(guardsOf(id)).toEqual([])
  })

  test('removes what its owner holds, and nothing that was released', async () => {
    const { guard } = ownGuard()
    const [held, released] = ['held', 'released'].map((name) => join(directory, name))
    guard.hold(held!)
    guard.hold(released!).release()
    for (const each of [held!, released!]) mkdirSync(each)
    await guard.close()
    expect([held!, released!].map((each) => existsSync(each))).toEqual([false, true])
  })

  test('has no terminal and no mark, and its own session and root', async () => {
    const { id, guard } = ownGuard()
    await runUnder(guard)
    const [pid] = guardsOf(id)
    expect(readEntry(pid!)!.group).toBe(pid)
    expect(childrenOf(id)).toEqual([])
    const links = ['cwd', 'fd/1', 'fd/2'].map((name) => readlinkSync(`/proc/${pid}/${name}`))
    expect(links).toEqual(['/', '/dev/null', '/dev/null'])
    await guard.close()
  })

  test('is replaced when killed, and the new one knows the running processes', async () => {
    const { id, guard } = ownGuard()
    const unmarked = runUnder(guard, 'exec env -i "$(command -v sleep)" 1000')
    const [first] = guardsOf(id)
    process.kill(first!, 'SIGKILL')
    await expect.poll(() => readEntry(first!)).toBeUndefined()
    await runUnder(guard)
    expect(guardsOf(id)).toHaveLength(1)
    expect(guardsOf(id)).not.toContain(first)
    await guard.close()
    expect(await unmarked).toMatchObject({ signal: 'SIGTERM' })
  })

  test('is replaced even if no further command starts', async () => {
    const owner = await startOwner({ scripts: [LEAVES_SESSION], prints: 2 })
    for (const pid of guardsOf(owner.id)) {
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => guardsOf(owner.id).filter((each) => each !== pid), IN_TIME).toHaveLength(1)
    }
    process.kill(owner.pid, 'SIGKILL')
    await expectNothingLeft(owner)
  })

  test('cannot delay the exit of its owner', async () => {
    const { id, guard } = ownGuard({ after: (_, fire) => (setImmediate(fire), () => {}) })
    const stop = new AbortController()
    const unmarked = runUnder(guard, 'exec sleep 1000', stop.signal)
    for (const pid of guardsOf(id)) process.kill(pid, 'SIGSTOP')
    await guard.close()
    expect(guardsOf(id)).toEqual([])
    stop.abort()
    expect(await unmarked).toMatchObject({ signal: 'SIGTERM' })
  })
})

interface OwnerOptions {
  /** bash scripts that the owner runs one after another. */
  readonly scripts: readonly string[]
  /** How many pids the scripts print, one per line, when they are ready for the test. */
  readonly prints: number
  readonly graceMs?: number
  /** A command line in which `"$0" "$@"` is the owner. */
  readonly shell?: string
  /** A directory. */
  readonly holds?: string
}

interface Owner {
  readonly id: string
  readonly pid: number
  readonly printed: readonly number[]
  /** What stdout contained when every process had closed it. */
  readonly closed: Promise<string>
}

async function startOwner({ scripts, prints, graceMs = 200, shell, holds }: OwnerOptions): Promise<Owner> {
  const id = newId()
  const args = [process.execPath, OWNER, id, String(graceMs), ...scripts]
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const env = { ...process.env, ...(holds !== undefined && { HOLDS: holds }) }
  const child = spawn('bash', ['-c', shell ?? 'exec "$0" "$@"', ...args], { stdio: [...stdio], env })
  let text = ''
  const pids = () => [...text.matchAll(/^(?:owner )?(\d+)\n/gm)].map((match) => Number(match[1]))
  const ready = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (pids().length > prints) ready.resolve()
  })
  const closed = once(child, 'close').then(() => text)
  void closed.then(() => ready.reject(new Error(`ended too early:\n${text}`)))
  await ready.promise
  const [pid, ...printed] = pids()
  return { id, pid: pid!, printed, closed }
}

async function expectNothingLeft(owner: Owner): Promise<void> {
  await expect.poll(() => leftOf(owner), IN_TIME).toEqual([])
}

function leftOf({ id, printed }: Owner): number[] {
  return [...childrenOf(id), ...guardsOf(id), ...printed.filter(isAlive)]
}

function ownGuard(clock?: Parameters<typeof createGuard>[0]['clock']): { id: string; guard: Guard } {
  const id = newId()
  const mark = { name: 'OFFSHOOT_OWNER', value: id }
  return { id, guard: createGuard({ mark, graceMs: 200, ...(clock && { clock }) }) }
}

function runUnder(guard: Guard, script = 'true', signal = new AbortController().signal) {
  return runProcess({ program: 'bash', args: ['-c', script], directory: tmpdir(), guard, signal })
}

function newId(): string {
  ids.push(`test_${process.pid}_${Date.now()}_${ids.length}`)
  return ids.at(-1)!
}

/** Quotes a script for use between single quotes of a shell. */
function quoted(script: string): string {
  return script.replaceAll("'", `'\\''`)
}

function file(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

function childrenOf(id: string): number[] {
  return processesWith(`OFFSHOOT_OWNER=${id}`).filter(isAlive)
}

function guardsOf(id: string): number[] {
  return listProcesses()
    .map((each) => each.pid)
    .filter((pid) => commandLine(pid).includes(id) && commandLine(pid)[1]?.endsWith('guard-process.ts'))
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return [] // it has just exited
  }
}

/** SIGQUIT is the last signal for which the guard installs its handler. */
function catchesSignals(pid: number): boolean {
  const caught = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!
  return (BigInt(`0x${caught}`) & (1n << BigInt(constants.signals.SIGQUIT - 1))) !== 0n
}

function isAlive(pid: number): boolean {
  return readEntry(pid)?.zombie === false
}
