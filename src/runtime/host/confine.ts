import type { LoadedConfig } from '../../config/config-sources.ts'
import { ownDirectories, type Env } from '../../config/homes.ts'
import type { Rule } from '../../core/agent.ts'
import { createGuard, type Guard } from '../../exec/start-guard.ts'
import { requireSandbox, sandboxInForce, sandboxText } from '../../project/sandbox-in-force.ts'
import { Confinement } from '../../tools/cell/confinement.ts'
import { RunCells } from '../../tools/cell/run-cells.ts'

interface ConfineOptions {
  readonly loaded: Pick<LoadedConfig, 'config' | 'sources'>
  readonly env: Env
  readonly owner: string
  /** Of the command line. */
  readonly rules?: readonly Rule[] | undefined
}

interface Confined {
  readonly guard: Guard
  /** Absent where nothing is to confine commands. */
  readonly confinement: Confinement | undefined
  /** Why nothing confines them, if a setting asks for it. */
  readonly notes: readonly string[]
}

/**
 * What stands between the processes that tools start and the rest of the machine. Without a setting, a sandbox is looked
 * for at the first command: that takes a tenth of a second. @throws OffshootError `config` where one is required and there
 * is none.
 */
export async function confine(root: string, options: ConfineOptions): Promise<Confined> {
  const { loaded, owner } = options
  const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
  if (loaded.config.sandbox === 'off') return { guard, confinement: undefined, notes: [] }
  const notes: string[] = []
  const confinement = new Confinement(() => findCells(root, guard, { ...options, notes }))
  const isNamed = loaded.sources.some(({ values }) => values['sandbox'] !== undefined)
  if (isNamed) await confinement.cells()
  // The cells first: nothing of them is left when the guard looks for what is.
  const close = async () => {
    await confinement.close()
    await guard.close()
  }
  return { guard: { ...guard, close }, confinement, notes }
}

async function findCells(
  root: string,
  guard: Guard,
  { loaded, env, owner, rules = [], notes }: ConfineOptions & { readonly notes: string[] },
): Promise<RunCells | undefined> {
  const directories = [root, ...addedDirectories(rules)] as const
  const run = { directories, ownDirectories: ownDirectories(env), env }
  const sandbox = await sandboxInForce(loaded.config.sandbox, run)
  requireSandbox(sandbox)
  const { found, places } = sandbox
  if (found.kind === 'bubblewrap') return new RunCells({ bubblewrap: found.program, places, owner, guard })
  notes.push(`sandbox: ${sandboxText(sandbox)}`)
  return undefined
}

/** Those of `--add-dir`. */
function addedDirectories(rules: readonly Rule[]): string[] {
  return rules.flatMap(({ tool, pattern, action }) => {
    const isDirectory = tool === 'external_directory' && action === 'allow' && pattern?.endsWith('/**')
    const path = isDirectory ? pattern!.slice(0, -'/**'.length) || '/' : '*'
    return path.includes('*') || path.includes('?') ? [] : [path]
  })
}
