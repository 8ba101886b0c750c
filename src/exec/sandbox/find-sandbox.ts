import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findProgram } from '../find-program.ts'
import { runProcess } from '../run-process.ts'
import { ISOLATION, systemArguments, userArguments } from './cell-layout.ts'
import { systemCallFilter } from './system-call-filter.ts'
import { NOT_INSTALLED, whyRefused } from './why-refused.ts'

/** What can confine the commands of agents on this machine. */
export type FoundSandbox =
  | { readonly kind: 'bubblewrap'; readonly program: string; readonly version: string }
  | { readonly kind: 'none'; readonly why: string }

export interface SandboxSearch {
  readonly path: string | undefined
  /** No program in these is taken: they are what is to be confined. */
  readonly directories: readonly string[]
  readonly platform?: NodeJS.Platform
}

const PROBE_MS = 10_000
/** A sandbox that nobody has tried is none (seatbelt-profile.ts). */
const NOT_ON_MACOS = 'there is none for macOS yet: the Seatbelt profile for it has never been run'

/** By program: one that worked is not tried again. What refused may have been mended since. */
const tried = new Map<string, FoundSandbox>()

/** Starts one command in a cell, as only that tells what the kernel refuses. */
export async function findSandbox(search: SandboxSearch): Promise<FoundSandbox> {
  const { platform = process.platform, path, directories } = search
  if (platform === 'darwin') return { kind: 'none', why: NOT_ON_MACOS }
  if (platform !== 'linux') return { kind: 'none', why: `there is none for this system (${platform}) yet` }
  const lacking = whyNoSupervisor()
  if (lacking !== undefined) return { kind: 'none', why: lacking }
  const program = findProgram('bwrap', { path, outside: directories })
  if (program === undefined) return { kind: 'none', why: NOT_INSTALLED }
  const found = tried.get(program) ?? (await tryProgram(program))
  if (found.kind !== 'none') tried.set(program, found)
  return found
}

/** Node runs the supervisor of a cell, and a program of one file may lie without it. */
function whyNoSupervisor(): string | undefined {
  const { bun, deno } = process.versions
  if (bun !== undefined || deno !== undefined) return 'its supervisor needs Node, and this is another runtime'
  if (!systemCallFilter()) return `it has no list of system calls for this processor (${process.arch}) yet`
  const file = fileURLToPath(new URL('./cell-supervisor.ts', import.meta.url))
  return existsSync(file)
    ? undefined
    : 'cell.js is missing: copy node_modules/offshoot/cell.js beside your bundle'
}

async function tryProgram(program: string): Promise<FoundSandbox> {
  const args = [...ISOLATION, ...userArguments(), ...systemArguments(), '--', '/bin/sh', '-c', 'exit 0']
  try {
    const [about, { exitCode, output }] = await Promise.all([run(program, ['--version']), run(program, args)])
    const version = about.output.trim().replace(/^bubblewrap +/, '')
    if (exitCode === 0) return { kind: 'bubblewrap', program, version: version.slice(0, 40) }
    return { kind: 'none', why: whyRefused(output || `exit code ${exitCode ?? 'none'}`) }
  } catch (error) {
    return { kind: 'none', why: `${program} cannot be started: ${String(error)}` }
  }
}

function run(program: string, args: readonly string[]) {
  return runProcess({ program, args, directory: '/', timeoutMs: PROBE_MS })
}
