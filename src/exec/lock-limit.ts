import { hash } from 'node:crypto'
import { readLockLimit, type LockLimit, type ProcessMark } from './process-table.ts'

// The limit of file locks carries a shortened copy of the marks. Linux keeps it for each process and has not enforced it
// since 2.4. A process inherits it, whatever happens to its environment, its session and its parents, and lowers the hard
// limit for good: only root raises it again.
//
//   hard, 62 bits: the outermost program (the highest bit is 1) | how deep programs may still nest | this program
//   soft, 61 bits: the run | the call
//
// A program that a command starts can only lower the hard limit. It keeps the first part and counts down the second.
const HARD = { outermost: 31n, nesting: 3n, program: 28n }
const SOFT = { run: 33n, call: 28n }
const BELOW_OUTERMOST = HARD.nesting + HARD.program
const LOWEST = 2n ** 61n
const PLAIN = 1_000_003

/** The hard limit of every command of a run is below this, even after the command lowered it. */
export const END_OF_RUN_LIMITS = 2n ** 62n

type Marks = Readonly<Record<string, string>>

/**
 * The limit for a command with these marks in its environment. Undefined if the inherited limit is too low to carry
 * them; such a limit is still below `END_OF_RUN_LIMITS`.
 */
export function lockLimitOf(marks: Marks, inherited: bigint | undefined): LockLimit | undefined {
  const hard = hardLimit(marks['OFFSHOOT_OWNER'] ?? '', inherited)
  if (hard === undefined) return undefined
  const run = part(marks['OFFSHOOT_RUN_ID'] ?? '', SOFT.run)
  return { soft: (run << SOFT.call) | part(marks['OFFSHOOT_CALL_ID'] ?? '', SOFT.call), hard }
}

/** Whether a limit is one that `lockLimitOf` sets for processes with one of the marks. */
export function createLimitTest(marks: readonly ProcessMark[]): (limit: LockLimit) => boolean {
  const tests = marks.map(testOf)
  return (limit) => isOfRun(limit) && tests.some((test) => test(limit))
}

/**
 * Script for /bin/sh before a command: sets the limit that carries the marks. bash and busybox call the limit -x, dash
 * -w, and zsh sets the hard limit only by name. A shell that cannot handle such large numbers sets a plain limit, which
 * shows only that the process belongs to some run.
 */
export function limitScript(marks: Marks, inherited = readLockLimit(process.pid)?.hard): string {
  const limit = lockLimitOf(marks, inherited)
  if (!limit) return ':'
  const set = (option: string) =>
    `{ ulimit -S ${option} ${limit.soft} && ulimit -H ${option} ${limit.hard}; }`
  return `{ ${set('-x')} || ${set('-w')} || ulimit -x ${PLAIN} || ulimit -w ${PLAIN}; } 2>/dev/null`
}

function hardLimit(owner: string, inherited: bigint | undefined): bigint | undefined {
  const program = part(owner, HARD.program)
  if (inherited === undefined || inherited >= END_OF_RUN_LIMITS) {
    const nesting = 2n ** HARD.nesting - 1n
    return (outermost(owner) << BELOW_OUTERMOST) | (nesting << HARD.program) | program
  }
  if (inherited < LOWEST) return undefined
  const above = inherited >> HARD.program // keeps the outermost program and the nesting
  const isDeepest = (above & (2n ** HARD.nesting - 1n)) === 0n
  return isDeepest ? inherited : ((above - 1n) << HARD.program) | program
}

function testOf({ name, value }: ProcessMark): (limit: LockLimit) => boolean {
  switch (name) {
    case 'OFFSHOOT_OWNER': {
      const [first, program] = [outermost(value), part(value, HARD.program)]
      return ({ hard }) => hard >> BELOW_OUTERMOST === first || low(hard, HARD.program) === program
    }
    case 'OFFSHOOT_RUN_ID': {
      const run = part(value, SOFT.run)
      return ({ soft }) => soft >> SOFT.call === run
    }
    case 'OFFSHOOT_CALL_ID': {
      const call = part(value, SOFT.call)
      return ({ soft }) => low(soft, SOFT.call) === call
    }
    default:
      return () => false
  }
}

function isOfRun({ soft, hard }: LockLimit): boolean {
  return hard >= LOWEST && hard < END_OF_RUN_LIMITS && soft <= hard
}

function outermost(owner: string): bigint {
  const bits = HARD.outermost - 1n
  return 2n ** bits + part(`outermost ${owner}`, bits)
}

function part(value: string, bits: bigint): bigint {
  return low(BigInt(`0x${hash('sha256', value)}`), bits)
}

function low(number: bigint, bits: bigint): bigint {
  return BigInt.asUintN(Number(bits), number)
}
