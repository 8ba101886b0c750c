import { randomInt } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { processIds } from '../../src/exec/process-table.ts'
import { createGuard } from '../../src/exec/start-guard.ts'
import { cellPlaces } from '../../src/tools/cell/cell-layout-of.ts'
import { closedNetwork } from '../../src/tools/cell/fixtures/closed-network.ts'
import { RunCells } from '../../src/tools/cell/run-cells.ts'
import { between, randomOf } from '../kill/random.ts'
import { BUBBLEWRAP, inCell } from '../support/in-cell.ts'
import { commandLine, processesWith, StartedProgram } from '../support/started-program.ts'

const OWNER = join(import.meta.dirname, 'owner.ts')
/** A killed program leaves nothing after ten seconds. */
const IN_TIME = { timeout: 10_000, interval: 50 }
const STARTED = { timeout: 60_000, interval: 50 }
const CELLS = 50
const KILLS = 100
const AT_A_TIME = 5
/** What a machine with many tests needs until a first cell has ended is more; the first ones are killed while they begin. */
const LAST_MS = 900

const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** What a program is given, and nothing else: its home, its temporary files, and a workspace with protected files. */
class Place {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-cells-')))
  readonly workspace = join(this.folder, 'home/work')
  readonly owner = `own_${process.pid}_${randomInt(2 ** 40)}`
  /** In the command line of `sleep`, and of nothing else on the machine. */
  readonly time = `7${randomInt(1e6, 1e9)}`
  readonly #before: readonly string[]

  constructor() {
    folders.push(this.folder)
    for (const name of [
      'home/work/offshoot.jsonc',
      'home/work/.git/config',
      'home/work/.git/hooks/a',
      'tmp/a',
    ])
      this.#write(name)
    this.#before = this.#files()
  }

  start(lanes: number, command: string): StartedProgram {
    const args = [
      BUBBLEWRAP,
      this.workspace,
      this.owner,
      String(lanes),
      command.replaceAll('TIME', this.time),
    ]
    const env = {
      PATH: process.env['PATH']!,
      HOME: join(this.folder, 'home'),
      TMPDIR: join(this.folder, 'tmp'),
    }
    return new StartedProgram([process.execPath, OWNER, ...args], { cwd: this.folder, env })
  }

  sleeping(): number {
    return this.#sleeping().length
  }

  /** Processes and mounts of this program, and files that are none of its commands'. */
  left(): string[] {
    const processes = this.#sleeping()
    const marked = processesWith(`OFFSHOOT_OWNER=${this.owner}`)
    const mounts = processIds().filter((pid) => textOf(`/proc/${pid}/mountinfo`).includes(this.folder))
    return [
      ...[...processes, ...marked].map((pid) => `process ${commandLine(pid)}`),
      ...mounts.map((pid) => `a mount that process ${pid} sees`),
      ...this.#files().filter((name) => !this.#before.includes(name) && !name.includes('/work/made.')),
    ]
  }

  #sleeping(): number[] {
    return processIds().filter((pid) => commandLine(pid) === `sleep ${this.time}`)
  }

  #files(): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
  }

  #write(name: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true })
    writeFileSync(join(this.folder, name), '')
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it has just ended
  }
}

/** Also of a session of its own, and without its environment. */
const LEAVES = 'env -i setsid sleep TIME > /dev/null 2>&1 & sleep TIME & echo > made.$1; sleep 0.05'

test(
  'a program that is killed at any moment leaves no mount, process or file (seed 36)',
  { timeout: 600_000 },
  inCell(async () => {
    const random = randomOf(36)
    const moments = Array.from({ length: KILLS }, () => between(random, 0, LAST_MS))
    for (let at = 0; at < KILLS; at += AT_A_TIME)
      await Promise.all(moments.slice(at, at + AT_A_TIME).map((ms) => killedAfter(ms)))
  }),
)

async function killedAfter(ms: number): Promise<void> {
  const place = new Place()
  const program = place.start(2, LEAVES)
  await program.untilStdout('begins')
  await setTimeout(ms)
  program.kill('SIGKILL')
  await program.ended
  await expect.poll(() => place.left(), { ...IN_TIME, message: `killed after ${ms} ms` }).toEqual([])
  rmSync(place.folder, { recursive: true })
}

test(
  `a program with ${CELLS} cells that is killed leaves nothing`,
  { timeout: 180_000 },
  inCell(async () => {
    const place = new Place()
    const program = place.start(
      CELLS,
      'env -i setsid sleep TIME > /dev/null 2>&1 & echo > made.$1; sleep TIME',
    )
    await expect.poll(() => place.sleeping(), STARTED).toBe(CELLS * 2)
    expect(place.left().filter((one) => one.startsWith('a mount')).length).toBeGreaterThanOrEqual(CELLS * 2)
    program.kill('SIGKILL')
    await program.ended
    await expect.poll(() => place.left(), IN_TIME).toEqual([])
  }),
)

test(
  `${CELLS} cells at a time have nothing of each other, and leave nothing`,
  { timeout: 180_000 },
  inCell(async () => {
    const place = new Place()
    const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: place.owner } })
    const env = { HOME: join(place.folder, 'home'), PATH: process.env['PATH'] }
    const places = cellPlaces({ directories: [place.workspace], ownDirectories: [], env })
    const cells = new RunCells({
      bubblewrap: BUBBLEWRAP,
      places,
      network: closedNetwork,
      owner: place.owner,
      guard,
    })
    const own = `env -i setsid sleep ${place.time} > /dev/null 2>&1 & echo $1 > /tmp/own.$1; echo > made.$1`
    const meet = `until [ $(ls made.* | wc -l) = ${CELLS} ]; do sleep 0.5; done; ls /tmp/own*; cat /tmp/own*`
    const outputs = await Promise.all(
      Array.from({ length: CELLS }, async (_, at) => {
        const args = ['-c', `${own}; ${meet}`, 'bash', String(at)]
        const { result } = await cells
          .of(`run_${at}`)
          .run({ program: 'bash', args, directory: place.workspace, guard, environment: env })
        return result.output
      }),
    )
    expect(outputs).toEqual(Array.from({ length: CELLS }, (_, at) => `/tmp/own.${at}\n${at}\n`))
    await cells.close()
    await guard.close()
    expect(place.left()).toEqual([])
  }),
)
