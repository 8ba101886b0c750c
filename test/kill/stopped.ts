import { setTimeout } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import type { StartedProgram } from '../support/started-program.ts'
import { drive } from './drive.ts'
import { Person } from './person.ts'
import { judge, seenIn, unknownCalls, type Played, type Scenario } from './play.ts'
import { randomOf } from './random.ts'
import { dump, textOf } from './records.ts'
import { storyOf } from './story.ts'
import { MODEL, World } from './world.ts'

export interface Stop {
  /** `POINT:N` where the program stands still by itself, or a time after which it is stopped. */
  readonly at: string | number
  /** How long at least; 0: its lease is made old, so that nobody has to wait until it is. */
  readonly forMs: number
}

const WAKE_MS = 20_000
const LEASE_MS = 15_000

/**
 * A program is stopped for so long that another one takes over, and then wakes: it writes nothing any more (invariant
 * R5), and starts no effect whose intent was not stored before.
 */
export async function playStopped(scenario: Scenario, { at, forMs }: Stop): Promise<Played> {
  const { seed } = scenario
  const story = storyOf(scenario)
  await using world = await World.open([story], scenario)
  const fault = typeof at === 'string' ? { TEST_FAULT: `${at}:stop` } : {}
  const how = ['-m', MODEL, '--approvals', 'wait', '--output-format', 'events']
  const program = world.start(['run', story.opening, ...how], fault)
  if (typeof at === 'number') await stopAfter(world, program, at)
  await stopped(program)
  const stoppedAt = Date.now()
  if (forMs === 0) makeLeaseOld(world)
  else await setTimeout(LEASE_MS)
  const person = new Person(world, { seed, messages: 0 })
  const driven = await drive(world, { story, seed, deaths: [], random: randomOf(seed) })
  await person.leave()
  await setTimeout(Math.max(0, stoppedAt + forMs - Date.now()))
  const woken = await wake(world, program)
  const unknown = unknownCalls(world)
  const found = [...driven.violations, ...woken, ...(await judge(world, [story], scenario))]
  return { ...driven, unknown, seen: seenIn(world), violations: found, folder: world.user.root }
}

/** Not within a transaction: whoever holds the lock of the store cannot be replaced by anybody. */
async function stopAfter(world: World, program: StartedProgram, afterMs: number): Promise<void> {
  await program.untilStdout('"type":"run.started"')
  await setTimeout(afterMs)
  for (;;) {
    program.kill('SIGSTOP')
    await stopped(program)
    if (!isLocked(world)) return
    program.kill('SIGCONT')
    await setTimeout(3)
  }
}

async function stopped({ pid, ended }: StartedProgram): Promise<void> {
  let over = false
  void ended.then(() => (over = true))
  while (!/\) T /.test(textOf(`/proc/${pid}/stat`))) {
    if (over) throw new Error('it ended before it stood still')
    await setTimeout(5)
  }
}

function isLocked(world: World): boolean {
  try {
    write(world, 'PRAGMA user_version')
    return false
  } catch {
    return true
  }
}

function makeLeaseOld(world: World): void {
  write(world, `UPDATE leases SET renewed_at = renewed_at - ${LEASE_MS}`)
}

function write(world: World, sql: string): void {
  const db = new DatabaseSync(world.user.database, { timeout: 0 })
  try {
    db.exec(`BEGIN IMMEDIATE; ${sql}; COMMIT`)
  } finally {
    db.close()
  }
}

async function wake(world: World, program: StartedProgram): Promise<string[]> {
  const before = dump(world.user.database)
  program.kill('SIGCONT')
  const late = setTimeout(WAKE_MS, 'late', { ref: false })
  const ended = await Promise.race([program.ended, late])
  const after = dump(world.user.database)
  return [
    ...(ended === 'late' ? ['R5: the old owner, woken, goes on'] : []),
    ...(after === before ? [] : ['R5: the old owner, woken, has written']),
  ]
}
