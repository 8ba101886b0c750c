import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ProcessOptions, ProcessResult } from '../../src/exec/run-process.ts'
import { createGuard } from '../../src/exec/start-guard.ts'
import { cellPlaces, type CellPlaces } from '../../src/tools/cell/cell-layout-of.ts'
import { closedNetwork } from '../../src/tools/cell/fixtures/closed-network.ts'
import { RunCells } from '../../src/tools/cell/run-cells.ts'
import { BUBBLEWRAP } from '../support/in-cell.ts'
import { temporaryFolder } from '../support/fresh-copy.ts'
import { readTrace, STRACE, type Deed } from './trace.ts'

const SCRIPT = '#!/bin/sh\ncat .env > /dev/null\nls src\n'
/** Of a workspace, with what guards and rules are about. */
const FILES: Readonly<Record<string, string>> = {
  'README.md': 'a readme\nb\n',
  'notes.txt': 'a note\n',
  'with space.txt': 'a\n',
  'src/a.ts': 'const a = 1\n',
  'src/b.ts': 'const b = 1\n',
  'src/sub/deep.ts': 'a\n',
  'src/private/key.txt': 'private\n',
  'src/run.sh': SCRIPT,
  'src/run.py': 'print(open(".env").read())\n',
  'src/Makefile': 'all:\n\t@cat README.md\nevil:\n\t@cat .env\n',
  'src/change.patch': '--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-a note\n+a change\n',
  'docs/guide.md': 'a guide\n',
  '.env': 'KEY=a secret\n',
  'config/id_rsa': 'a secret\n',
  'offshoot.jsonc': '{}',
  '.offshoot/agents/a.md': 'An agent.\n',
  '.vscode/tasks.json': '{}',
}
const LINKS: Readonly<Record<string, string>> = {
  link_in: 'src',
  link_file: 'src/a.ts',
  link_secret: '.env',
  link_git: '.git/hooks',
  link_tmp: '/tmp',
  link_home: '..',
}
/** Of the person, and around the workspace. The cell has its own: without them, nothing there could be read. */
const HOME_FILES: Readonly<Record<string, string>> = {
  notes: 'a note of the person\n',
  '.bashrc': 'true\n',
  '.ssh/id_rsa': 'a key\n',
  beside: 'a file beside\n',
}

/** What is at a path of the workspace: a text, or what a link leads to. */
type Entry = { readonly text: string; readonly mode: number } | { readonly target: string }

export interface Traced {
  readonly deeds: readonly Deed[]
  /** Files that are not what they were, by their paths in the workspace. */
  readonly changed: readonly string[]
}

/** A workspace with a cell of its own, in which one command runs at a time. */
export class Lane {
  readonly folder = temporaryFolder('traced')
  readonly home = join(this.folder, 'home')
  readonly root = join(this.home, 'work')
  readonly cells: RunCells
  readonly places: CellPlaces
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #close: () => Promise<void>
  readonly #start: Start | undefined
  #isClean = false

  /** `start`: what runs a command in place of the cells of a run. */
  constructor(start?: (places: CellPlaces) => Start) {
    for (const [name, text] of Object.entries(FILES)) this.#write(join(this.root, name), text)
    for (const [name, text] of Object.entries(HOME_FILES)) this.#write(join(this.home, name), text)
    for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(this.root, name))
    chmodSync(join(this.root, 'src/run.sh'), 0o755)
    this.#makeRepository()
    this.#entries = this.#look()
    const owner = `own_${process.pid}_${randomInt(2 ** 40)}`
    const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
    const env = { HOME: this.home, PATH: '/usr/bin:/bin' }
    this.places = cellPlaces({ directories: [this.root], ownDirectories: [], env })
    this.cells = new RunCells({
      bubblewrap: BUBBLEWRAP,
      places: this.places,
      network: closedNetwork,
      owner,
      guard,
    })
    this.#start = start?.(this.places)
    this.#close = async () => {
      await this.#start?.close()
      await this.cells.close()
      await guard.close()
    }
  }

  /** As the shell tool runs it, under strace. @throws Error where nothing was recorded */
  async run(command: string): Promise<Traced> {
    const options: ProcessOptions = {
      program: '/bin/sh',
      args: ['-c', this.#script(), 'sh', this.#isClean ? 'clean' : '', command],
      directory: this.root,
      environment: { HOME: this.home, PATH: '/usr/bin:/bin' },
      timeoutMs: 60_000,
    }
    const result = await (this.#start?.run(options) ??
      this.cells
        .of('run_1')
        .run(options)
        .then((each) => each.result))
    const [said = '', trace = ''] = result.output.split(BEGIN)
    if (result.exitCode !== 0 || result.droppedBytes > 0 || trace === '')
      throw new Error(`strace recorded nothing of ${command}: exit code ${result.exitCode}, ${said}`)
    const links = new Map(Object.entries(LINKS).map(([name, target]) => [join(this.root, name), target]))
    links.set('/bin', 'usr/bin').set('/lib', 'usr/lib').set('/lib64', 'usr/lib64').set('/sbin', 'usr/sbin')
    links.set('/var/run', '../run')
    const deeds = readTrace(trace, this.root, links)
    this.#isClean = !deeds.some(
      ({ kind, what }) => kind === 'write' && !what.startsWith(`${this.root}/`) && !what.startsWith('/dev/'),
    )
    return { deeds, changed: this.#restore() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** The home and /tmp of the cell as they were for the command before; then the command, and what strace has written. */
  #script(): string {
    const plant = Object.entries(HOME_FILES).map(
      ([name, text]) => `printf '${text.replace('\n', '\\n')}' > ~/${name}`,
    )
    return `
      if [ "$1" != clean ] || ! [ -e ~/notes ]; then
        find /tmp /var/tmp -mindepth 1 -maxdepth 1 ! -name ${basename(this.folder)} -exec rm -rf {} +
        find ~ -mindepth 1 -maxdepth 1 ! -name work -exec rm -rf {} +
        mkdir -p ~/.ssh /tmp/l; ${plant.join('; ')}; echo a > /tmp/x.txt; echo a > /tmp/l/a
      fi
      rm -f /var/trace
      timeout -k 5 30 ${STRACE.join(' ')} -o /var/trace bash -c "$2" < /dev/null > /dev/null 2>&1
      printf '${BEGIN}'
      cat /var/trace`
  }

  #makeRepository(): void {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: this.root,
        env: { PATH: process.env['PATH'], HOME: this.home },
      })
    git('init', '--quiet', '--template=')
    git('add', 'README.md', 'notes.txt', 'src', 'docs')
    git('commit', '--quiet', '-m', 'first')
    this.#write(join(this.root, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 0\n')
    execFileSync('tar', ['cf', 'src/packed.tar', 'README.md', 'docs/guide.md'], { cwd: this.root })
  }

  #write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  #look(): ReadonlyMap<string, Entry> {
    return new Map(
      namesBelow(this.root).flatMap((name) => {
        const entry = entryAt(join(this.root, name))
        return entry === undefined ? [] : [[name, entry] as const]
      }),
    )
  }

  /** Gives every file back what it held; returns those that were made, changed or removed. */
  #restore(): readonly string[] {
    const now = this.#look()
    const made = [...now.keys()].filter((name) => !this.#entries.has(name))
    const changed = [...this.#entries.keys()].filter(
      (name) => !isSame(this.#entries.get(name), now.get(name)),
    )
    for (const name of [...made, ...changed]) rmSync(join(this.root, name), { recursive: true, force: true })
    for (const name of namesBelow(this.root))
      if (this.#isLeftDirectory(name)) rmSync(join(this.root, name), { recursive: true, force: true })
    for (const name of changed) this.#giveBack(join(this.root, name), this.#entries.get(name)!)
    return [...made, ...changed]
  }

  #isLeftDirectory(name: string): boolean {
    const path = join(this.root, name)
    const isDirectory = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
    return (
      isDirectory &&
      !name.startsWith('.git') &&
      ![...this.#entries.keys()].some((each) => each.startsWith(`${name}/`))
    )
  }

  #giveBack(path: string, entry: Entry): void {
    mkdirSync(dirname(path), { recursive: true })
    if ('target' in entry) symlinkSync(entry.target, path)
    else {
      writeFileSync(path, entry.text, 'latin1')
      chmodSync(path, entry.mode)
    }
  }
}

export interface Start {
  run(options: ProcessOptions): Promise<ProcessResult>
  close(): Promise<void>
}

const BEGIN = '*** what strace has recorded ***'

function entryAt(path: string): Entry | undefined {
  const is = lstatSync(path, { throwIfNoEntry: false })
  if (!is || is.isDirectory()) return undefined
  if (is.isSymbolicLink()) return { target: readlinkSync(path) }
  return is.isFile() ? { text: readFileSync(path, 'latin1'), mode: is.mode & 0o777 } : { text: '', mode: 0 }
}

function isSame(a: Entry | undefined, b: Entry | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Relative; through no link. */
function namesBelow(directory: string, prefix = ''): string[] {
  return readdirSync(join(directory, prefix), { withFileTypes: true }).flatMap((entry) => {
    const name = prefix + entry.name
    return entry.isDirectory() ? [name, ...namesBelow(directory, `${name}/`)] : [name]
  })
}
