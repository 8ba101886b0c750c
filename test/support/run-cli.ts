import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Io } from '../../src/cli/io.ts'
import { runProgram } from '../../src/cli/program.ts'
import type { ScriptInput } from '../../src/model/model-script.ts'

export interface CliRun {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  /** Called with each piece of stdout; `signal` sends what a terminal would. */
  readonly onOutput?: (text: string, signal: (name: 'SIGINT' | 'SIGTERM') => void) => void
}

/** A user with a home and a workspace of their own, whose model answers what a script says. */
export interface CliUser {
  readonly workspace: string
  /** Where its database is. */
  readonly database: string
  write(name: string, text: string): void
  /** Says yes to all that the files of the workspace ask for, as a person does. */
  trust(): Promise<void>
  /** Runs `offshoot run` in this process, without a terminal. */
  run(script: ScriptInput['agents'], args: readonly string[], options?: CliOptions): Promise<CliRun>
  remove(): void
}

export function cliUser(): CliUser {
  const root = mkdtempSync(join(tmpdir(), 'offshoot-cli-'))
  const workspace = mkdtempSync(join(root, 'workspace-'))
  const env = { HOME: root, OFFSHOOT_HOME: join(root, 'data'), XDG_CONFIG_HOME: join(root, 'config') }
  return {
    workspace,
    database: join(env.OFFSHOOT_HOME, 'offshoot.db'),
    write: (name, text) => writeFileSync(join(workspace, name), text),
    async run(agents, args, options = {}) {
      const script = join(root, 'script.json')
      writeFileSync(script, JSON.stringify({ agents }))
      const { io, output } = testIo({ ...env, PATH: process.env['PATH'] }, workspace, options)
      const exitCode = await runProgram(['run', '-m', `scripted:${script}`, ...args], io)
      return { exitCode, ...output() }
    },
    async trust() {
      const { io } = testIo(env, workspace, {})
      if ((await runProgram(['trust'], io)) !== 0) throw new Error('the directory could not be trusted')
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

function testIo(env: Io['env'], cwd: string, { onOutput }: CliOptions) {
  const handlers = new Set<(signal: 'SIGINT' | 'SIGTERM') => void>()
  const signal = (name: 'SIGINT' | 'SIGTERM') => handlers.forEach((handler) => handler(name))
  const texts = { stdout: '', stderr: '' }
  const collect = (name: 'stdout' | 'stderr') =>
    new PassThrough().setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
      if (name === 'stdout') onOutput?.(text, signal)
    })
  const streams = { stdin: new PassThrough().end(), stdout: collect('stdout'), stderr: collect('stderr') }
  const io = {
    ...streams,
    env,
    cwd,
    interrupt: () => signal('SIGINT'),
    onSignal(handler: (signal: 'SIGINT' | 'SIGTERM') => void) {
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
  }
  return { io: io as unknown as Io, output: () => ({ ...texts }) }
}
