import type { LoadedConfig } from '../../config/config-sources.ts'
import { dataHome, ownDirectories, type Env } from '../../config/homes.ts'
import { hostRules } from '../../config/sandbox-schema.ts'
import type { Rule } from '../../core/agent.ts'
import { createGuard, type Guard } from '../../exec/start-guard.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { requireSandbox, sandboxInForce, sandboxText } from '../../project/sandbox-in-force.ts'
import { RunCells } from '../../tools/cell/run-cells.ts'
import { systemNetwork, type Network } from '../../tools/web/network.ts'
import { runningServer } from '../ownership/server-file.ts'

interface ConfineOptions {
  readonly loaded: Pick<LoadedConfig, 'config'>
  readonly env: Env
  readonly owner: string
  /** `rules`: those of the command line. */
  readonly own?: { readonly rules?: readonly Rule[] | undefined }
  readonly network?: Network | undefined
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
  { loaded, env, owner, own = {}, network = systemNetwork }: ConfineOptions,
): Promise<Confined> {
  const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
  const { mode: setting, network: hosts, ports } = loaded.config.sandbox
  if (setting === 'off') return { guard, cells: undefined, notes: [] }
  const directories = [root, ...addedDirectories(own.rules ?? [])] as const
  const sandbox = await sandboxInForce(setting, { directories, ownDirectories: ownDirectories(env), env })
  requireSandbox(sandbox)
  const { found, places } = sandbox
  if (found.kind === 'none') return { guard, cells: undefined, notes: [`sandbox: ${sandboxText(sandbox)}`] }
  const reach = {
    rules: hostRules(hosts),
    ports,
    network,
    env,
    clock: systemClock,
    ownPort: () => runningServer(dataHome(env))?.port,
  }
  const cells = new RunCells({ bubblewrap: found.program, places, network: reach, owner, guard })
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
