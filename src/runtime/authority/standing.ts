import type { Widening } from '../../core/command-sandbox.ts'
import { isGranted } from '../../permissions/decide.ts'
import type { PermissionCall, Widens } from '../../permissions/types.ts'
import type { Standing } from '../../tools/command-cell.ts'
import { wideningSubjects } from '../../tools/cell/widening.ts'
import { grantsFor } from '../asking/grants.ts'
import type { Deps } from '../context/deps.ts'
import type { LiveRun } from '../run/live-run.ts'

/**
 * What the commands of a run have beyond its sandbox: what people have allowed, for the run or for longer, and a directory
 * of its own. Read from the grants each time, so that a revoked one counts at once; a rule that denies it to an agent of
 * the chain is stronger.
 */
export function standingOf(
  { store }: Pick<Deps, 'store'>,
  run: LiveRun,
  own: () => readonly string[],
): Standing {
  const granted = (kind: Widens) => grantsFor(store, run.row).filter(({ tool }) => tool === kind)
  const covers = (kind: Widens, value: string) => isGranted(callOf(kind, value), run.chain, granted(kind))
  const named = (kind: Widens) => {
    const patterns = granted(kind).flatMap(({ pattern }) => pattern ?? [])
    return [...new Set(patterns)].filter((pattern) => covers(kind, pattern))
  }
  return {
    widening: () => ({
      hosts: named('sandbox_network'),
      directories: [...new Set([...own(), ...named('sandbox_write')])],
    }),
    covers: (asked: Widening) =>
      wideningSubjects(asked).every(({ kind, value }) => covers(kind as Widens, value)),
  }
}

/** The part of a command's call that the rules decide apart from its command line. */
function callOf(kind: Widens, value: string): PermissionCall {
  const subjects = [{ kind, value }]
  const resolvePath = (absolute: string) => ({ absolute, relative: absolute, outside: true, guarded: null })
  return { tool: 'bash', toolset: 'shell', effects: 'execute', subjects, resolvePath }
}
