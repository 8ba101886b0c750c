import type { LoadedConfig } from '../../config/config-sources.ts'
import { ownDirectories, type Env } from '../../config/homes.ts'
import type { Rule } from '../../core/agent.ts'
import { createGuard, type Guard } from '../../exec/start-guard.ts'
import { requireSandbox, sandboxInForce, sandboxText } from '../../project/sandbox-in-force.ts'
import { RunCells } from '../../tools/cell/run-cells.ts'

interface ConfineOptions {
  readonly loaded: Pick<LoadedConfig, 'config'>
  readonly env: Env
  readonly owner: string
  /** Of the command line. */
  readonly rules?: readonly Rule[] | undefined
}

interface Confined {
  readonly guard: Guard
  /** Absent where commands are not confined. */
  readonly cells: RunCells | undefined
  /** Why they are not, where that was wanted. */
  readonly notes: readonly string[]
}

/**
 * What stands between the processes that tools start and the rest of the machine. A sandbox is looked for where one is
 * wanted: that takes a tenth of a second. @throws OffshootError `config` where one is required and there is none.
 */
export async function confine(
  root: string,
  { loaded, env, owner, rules = [] }: ConfineOptions,
): Promise<Confined> {
  const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
  const { sandbox: setting } = loaded.config
  if (setting === 'off') return { guard, cells: undefined, notes: [] }
  const directories = [root, ...addedDirectories(rules)] as const
  const sandbox = await sandboxInForce(setting, { directories, ownDirectories: ownDirectories(env), env })
  requireSandbox(sandbox)
  const { found, places } = sandbox
  if (found.kind === 'none') return { guard, cells: undefined, notes: [`sandbox: ${sandboxText(sandbox)}`] }
  const cells = new RunCells({ bubblewrap: found.program, places, owner, guard })
  // The cells first: nothing of them is left when the guard looks for what is.
  const close = async () => {
    await cells.close()
    await guard.close()
  }
  return { guard: { ...guard, close }, cells, notes: [] }
}

/** Those of `--add-dir`. */
function addedDirectories(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ tool, pattern, action }) => {
    const isDirectory = tool === 'external_directory' && action === 'allow' && pattern?.endsWith('/**')
    const path = isDirectory ? pattern!.slice(0, -'/**'.length) || '/' : '*'
    return path.includes('*') || path.includes('?') ? [] : [path]
  })
}
