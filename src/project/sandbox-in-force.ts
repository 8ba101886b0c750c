import type { Env } from '../config/homes.ts'
import type { SandboxSetting } from '../config/sandbox-setting.ts'
import { OffshootError } from '../core/errors.ts'
import { findSandbox, type FoundSandbox } from '../exec/sandbox/find-sandbox.ts'
import { cellPlaces, whyNotConfined, type CellPlaces } from '../tools/cell/cell-layout-of.ts'

/** What is between the commands of agents and the rest of the machine. */
export interface SandboxInForce {
  readonly setting: SandboxSetting
  readonly found: FoundSandbox
  readonly places: CellPlaces
}

export interface SandboxedRun {
  /** Real paths; the first one is the workspace. */
  readonly directories: readonly [string, ...string[]]
  readonly ownDirectories: readonly string[]
  readonly env: Env
}

/** Starts a program to see what the kernel allows. */
export async function sandboxInForce(setting: SandboxSetting, run: SandboxedRun): Promise<SandboxInForce> {
  const places = cellPlaces(run)
  const why = whyNotConfined(places)
  const search = { path: run.env['PATH'], directories: run.directories }
  const found: FoundSandbox = why === undefined ? await findSandbox(search) : { kind: 'none', why }
  return { setting, found, places }
}

/** @throws OffshootError `config` where one is required and there is none. */
export function requireSandbox({ setting, found }: SandboxInForce): void {
  if (setting !== 'required' || found.kind !== 'none') return
  throw new OffshootError('config', `a sandbox is required but not available: ${found.why}`, {
    hint: 'offshoot doctor checks again; "sandbox": "auto" runs without a sandbox and says so',
  })
}

/** Why commands are not confined; undefined where they are. */
export function whyNone({ setting, found }: SandboxInForce): string | undefined {
  if (found.kind === 'none') return found.why
  return setting === 'off' ? `it is off (bubblewrap ${found.version} is installed)` : undefined
}

/** One line. */
export function sandboxText(sandbox: SandboxInForce): string {
  const why = whyNone(sandbox)
  if (why !== undefined) return `none: ${why}`
  return sandbox.found.kind === 'none' ? '' : `bubblewrap ${sandbox.found.version}`
}
