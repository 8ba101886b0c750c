import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { MutantCopy } from '../mutants/copy.ts'
import { editsOf } from '../mutants/table.ts'
import type { Mechanism } from '../support/faults.ts'

/** What the sources have to be without, where no decorator takes it away. */
export function sourceEdits(off: readonly Mechanism[]) {
  return off.flatMap((name) => editsOf(name) ?? [])
}

/** This program once more, from a copy of the sources; returns its exit code. */
export function runInCopy(off: readonly Mechanism[], args: readonly string[]): number {
  using copy = new MutantCopy(sourceEdits(off))
  const main = join(copy.root, 'test/sim/main.ts')
  const rest = off.filter((name) => !editsOf(name)).flatMap((name) => ['--off', name])
  return spawnSync(process.execPath, [main, ...args, ...rest], { stdio: 'inherit' }).status ?? 1
}
