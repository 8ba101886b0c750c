import { existsSync, realpathSync } from 'node:fs'
import type { RawConfig } from '../../config/config-file.ts'
import type { LoadedConfig } from '../../config/config-sources.ts'
import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import { dataHome, ownDirectories, type Env } from '../../config/homes.ts'
import { hostRules } from '../../config/sandbox-schema.ts'
import type { Rule } from '../../core/agent.ts'
import { createGuard, type Guard } from '../../exec/start-guard.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { requireSandbox, sandboxInForce, sandboxText } from '../../project/sandbox-in-force.ts'
import { RunCells } from '../../tools/cell/run-cells.ts'
import type { Workspace } from '../../tools/port.ts'
import { systemNetwork, type Network } from '../../tools/web/network.ts'
import { Confinements } from '../context/confinements.ts'
import { runningServer } from '../ownership/server-file.ts'

interface ConfineOptions {
  readonly loaded: Pick<LoadedConfig, 'config' | 'sources'>
  readonly env: Env
  readonly owner: string
  /** `rules`: those of the command line. */
  readonly own?: {
    readonly rules?: readonly Rule[] | undefined
    readonly config?: RawConfig | undefined
  }
  readonly network?: Network | undefined
}

interface Confined {
  readonly guard: Guard
  readonly confinements: Confinements
  /** The setting that a program or a command line names for all that it drives. */
  readonly namedSandbox: SandboxSetting | undefined
  /** Why nothing confines them, if a setting asks for it. */
  readonly notes: readonly string[]
}

/**
 * What stands between the processes that tools start and the rest of the machine. Without a setting, a sandbox is looked
 * for at the first command: that takes a tenth of a second. @throws OffshootError `config` where one is required and there
 * is none.
 */
export async function confine({ root }: Workspace, options: ConfineOptions): Promise<Confined> {
  const { loaded, owner } = options
  const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
  const notes: string[] = []
  const confinements = new Confinements((setting) => findCells(root, guard, { ...options, setting, notes }))
  const isNamed = loaded.sources.some(({ values }) => hasMode(values['sandbox']))
  if (isNamed) await confinements.at(loaded.config.sandbox.mode)?.cells()
  // The cells first: nothing of them is left when the guard looks for what is.
  const close = async () => {
    await confinements.close()
    await guard.close()
  }
  return { guard: { ...guard, close }, confinements, notes, namedSandbox: namedIn(options) }
}

function namedIn({ own, loaded }: ConfineOptions): SandboxSetting | undefined {
  const named = own?.config?.['sandbox']
  return typeof named === 'string' || hasMode(named) ? loaded.config.sandbox.mode : undefined
}

function hasMode(setting: unknown): boolean {
  return typeof setting === 'object' && setting !== null && 'mode' in setting
}

async function findCells(
  root: string,
  guard: Guard,
  { loaded, env, owner, own = {}, network = systemNetwork, setting, notes }: FindCellsOptions,
): Promise<RunCells | undefined> {
  const { network: hosts, ports } = loaded.config.sandbox
  const directories = [root, ...addedDirectories(own.rules ?? [])] as const
  const sandbox = await sandboxInForce(setting, { directories, ownDirectories: ownDirectories(env), env })
  requireSandbox(sandbox)
  const { found, places } = sandbox
  if (found.kind === 'none') {
    notes.push(`sandbox: ${sandboxText(sandbox)}`)
    return undefined
  }
  const reach = {
    rules: hostRules(hosts),
    ports,
    network,
    env,
    clock: systemClock,
    ownPort: () => runningServer(dataHome(env))?.port,
  }
  return new RunCells({ bubblewrap: found.program, places, network: reach, owner, guard })
}

type FindCellsOptions = ConfineOptions & { readonly setting: SandboxSetting; readonly notes: string[] }

/** Those of `--add-dir`, and of rules like its own: these may name a link, or what is not there. */
function addedDirectories(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ tool, pattern, action }) => {
    const isDirectory = tool === 'external_directory' && action === 'allow' && pattern?.endsWith('/**')
    const path = isDirectory ? pattern!.slice(0, -'/**'.length) || '/' : '*'
    return path.includes('*') || path.includes('?') || !existsSync(path) ? [] : [realpathSync(path)]
  })
}
