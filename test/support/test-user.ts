import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable, Writable } from 'node:stream'
import type { Io } from '../../src/cli/io.ts'
import { runProgram } from '../../src/cli/program.ts'
import type { ScriptInput } from '../../src/model/model-script.ts'
import { temporaryFolder, userEnvironment } from './fresh-copy.ts'
import { programFiles } from './program-files.ts'
import {
  commandLine,
  type Ended,
  type StartOptions,
  StartedProgram,
  processesWith,
} from './started-program.ts'

const FAULTS = ['TEST_OFF', 'TEST_FAULT', 'TEST_POINTS']

type TestPorts = NonNullable<Io['testPorts']>

type RunOptions = Partial<Omit<StartOptions, 'env'>> & {
  readonly env?: Readonly<Record<string, string>>
  /** What is started, in place of the program of this tree. */
  readonly main?: string | undefined
}

interface Held {
  readonly at: string
  readonly until: Promise<unknown>
}

interface CallOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Its stdout is a terminal of so many columns. */
  readonly columns?: number
  /** Nobody reads on in its stderr from this text on, until then. */
  readonly stderrHeld?: Held
  /** How its tools reach the network. */
  readonly network?: TestPorts['network']
  /** How its store is opened. */
  readonly openFile?: TestPorts['openFile']
}

interface TerminalOptions {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Somebody with a home, a workspace and a store of their own, no keys, and no Ollama that answers. */
export class TestUser {
  readonly root = temporaryFolder('user')
  readonly directory = join(this.root, 'work')
  /** What OFFSHOOT_HOME names; made by the program. */
  readonly home = join(this.root, 'home')
  readonly database = join(this.home, 'offshoot.db')
  readonly env: Record<string, string>
  readonly #files = programFiles()

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.directory)
    chmodSync(this.root, 0o755)
    for (const [name, content] of Object.entries(files)) this.write(name, content)
    const home = { HOME: this.root, OLLAMA_HOST: 'http://127.0.0.1:9', SHELL: '/bin/sh' }
    // One for all of them: each has a home of its own, in which nothing is compiled yet.
    const { compiled } = this.#files
    this.env = { ...userEnvironment(this.home), ...home, NODE_COMPILE_CACHE: compiled }
  }

  /** Writes a file of the workspace and returns its path. */
  write(name: string, content: string | Uint8Array): string {
    const path = join(this.directory, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }

  /** `scripted:FILE` for `-m`. */
  script(agents: ScriptInput['agents'], name = 'script.json'): string {
    const path = join(this.root, name)
    writeFileSync(path, JSON.stringify({ agents }))
    return `scripted:${path}`
  }

  command(args: readonly string[], main = this.#files.main): [string, ...string[]] {
    return [process.execPath, main, ...args]
  }

  /** With a switch or a fault in `env` (faultsOf) it is the test build. */
  start(args: readonly string[], { env = {}, main, ...options }: RunOptions = {}): StartedProgram {
    const isTestBuild = FAULTS.some((name) => name in env)
    const files = this.#files
    return new StartedProgram(this.command(args, main ?? (isTestBuild ? files.testBuild : files.main)), {
      cwd: this.directory,
      ...options,
      env: { ...this.env, ...env },
    })
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return this.start(args, options).ended
  }

  /** The same in this process: ten times as quick, for what does not depend on being a program. */
  async call(
    args: readonly string[],
    { cwd = this.directory, env = {}, input = '', columns, stderrHeld, ...testPorts }: CallOptions = {},
  ): Promise<Ended> {
    const [stdout, stderr] = [new Collected(), new Collected(stderrHeld)]
    if (columns !== undefined) Object.assign(stdout, { isTTY: true, columns })
    const io = {
      env: { ...this.env, ...env },
      cwd,
      stdin: Readable.from([Buffer.from(input)]),
      stdout,
      stderr,
      onSignal: () => () => {},
      interrupt: () => {},
      testPorts,
    }
    const code = await runProgram(args, io as unknown as Io)
    return { code, signal: null, stdout: stdout.text, stderr: stderr.text }
  }

  /** Says yes to all that the files of the workspace ask for, as a person does. */
  async trust(directory = this.directory): Promise<void> {
    const { code, stderr } = await this.call(['trust', directory])
    if (code !== 0) throw new Error(stderr)
  }

  /** The program on a terminal of 50 lines, whatever these tests were started on; all that it shows is in `stdout`. */
  terminal(args: readonly string[], { columns = 200, env = {} }: TerminalOptions = {}): StartedProgram {
    const program = this.command(args).map(quoted).join(' ')
    const command = `stty rows 50 cols ${columns} && exec ${program}`
    return new StartedProgram(
      ['script', '--quiet', '--flush', '--return', '--command', command, '/dev/null'],
      {
        cwd: this.directory,
        env: { ...this.env, TERM: 'xterm', ...env },
        typing: true,
      },
    )
  }

  /** Rows of the store, while no program has it open. */
  rows(sql: string): Record<string, unknown>[] {
    const db = new DatabaseSync(this.database, { readOnly: true })
    try {
      return db
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }))
    } finally {
      db.close()
    }
  }

  /**
   * Pids of this user's programs, and of what their tools have started, which knows HOME and no OFFSHOOT_HOME. The guard of
   * a killed program is none of them: it ends by itself.
   */
  processes(): number[] {
    return processesWith(`HOME=${this.root}`).filter((pid) => !commandLine(pid).includes('guard-process'))
  }

  remove(): void {
    // Only after a failed test is there anything to end.
    for (const pid of this.processes()) killNow(pid)
    rmSync(this.root, { recursive: true, force: true })
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has just ended
  }
}

class Collected extends Writable {
  text = ''
  readonly #held: Held | undefined

  constructor(held?: Held) {
    super()
    this.#held = held
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.text += chunk.toString()
    if (this.#held && this.text.includes(this.#held.at)) void this.#whenRead(this.#held.until, done)
    else done()
  }

  async #whenRead(until: Promise<unknown>, done: () => void): Promise<void> {
    await until
    done()
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
