// `npm run bench:sandbox [-- --quick]`: what a sandbox costs. A command in a cell beside the same one without, the first command
// of a run of the build, and fifty cells at a time. Prints medians and ratios, writes them beside RESULTS.md, and exits 1 when
// a gate is missed.
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findSandbox } from '../src/exec/sandbox/find-sandbox.ts'
import { runProcess, type ProcessOptions } from '../src/exec/run-process.ts'
import { listProcesses } from '../src/exec/process-table.ts'
import { createGuard } from '../src/exec/start-guard.ts'
import { cellPlaces } from '../src/tools/cell/cell-layout-of.ts'
import { closedNetwork } from '../src/tools/cell/fixtures/closed-network.ts'
import { RunCells } from '../src/tools/cell/run-cells.ts'
import { processesWith } from '../test/support/started-program.ts'
import { TestUser } from '../test/support/test-user.ts'
import { median, table } from './figures.ts'

const PROGRAM = fileURLToPath(new URL('../dist/offshoot.js', import.meta.url))
const quick = process.argv.includes('--quick')
/** A command beside a plain start. */
const COMMAND_GATE = 1.5
/** Milliseconds that the first command of a run may take more. */
const FIRST_GATE = 100
const CELLS = 50
const SETTINGS = ['off', 'required'] as const
type Setting = (typeof SETTINGS)[number]

const lines: string[] = []
const missed: string[] = []
const found = await findSandbox({ path: process.env['PATH'], directories: [] })
if (found.kind === 'none') throw new Error(`there is no sandbox to measure: ${found.why}`)
if (!existsSync(PROGRAM)) throw new Error('there is no build to measure: npm run build')
await measureCommands(found.program)
await measureFirstCommands()
await measureFifty(found.program)
await report(found.version)

/** In turns, so that what slows the machine slows both. */
async function measureCommands(bubblewrap: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-bench-'))
  const { cells, guard, close } = cellsIn(directory, bubblewrap)
  const cell = cells.of('run_1')
  const options: ProcessOptions = { program: 'bash', args: ['-c', 'true'], directory, guard }
  const plain = () => runProcess(options)
  const confined = () => cell.run(options)
  try {
    const ratios: number[] = []
    const times = { plain: [] as number[], confined: [] as number[] }
    for (const warm of [plain, confined]) await msOfEach(warm, 20)
    for (let round = 0; round < (quick ? 5 : 25); round++) {
      const [before, within] = [await msOfEach(plain, 20), await msOfEach(confined, 20)]
      times.plain.push(before)
      times.confined.push(within)
      ratios.push(within / before)
    }
    const rows = [
      ['without a sandbox', median(times.plain).toFixed(2), '1.00'],
      ['in a cell', median(times.confined).toFixed(2), median(ratios).toFixed(2)],
    ]
    tell('A command, `true` in bash', ['', 'wall ms', 'ratio'], rows)
    check('a command in a cell, beside a plain one', median(ratios), COMMAND_GATE)
  } finally {
    await close()
    await rm(directory, { recursive: true })
  }
}

async function msOfEach(run: () => Promise<unknown>, times: number): Promise<number> {
  const each: number[] = []
  for (let done = 0; done < times; done++) {
    const startedAt = performance.now()
    await run()
    each.push(performance.now() - startedAt)
  }
  return median(each)
}

/** Of the build, by the times of its events: what somebody waits who has allowed it. */
async function measureFirstCommands(): Promise<void> {
  const figures = SETTINGS.map(() => ({ first: [] as number[], start: [] as number[] }))
  for (let round = 0; round < (quick ? 3 : 15); round++)
    for (const [at, setting] of SETTINGS.entries()) {
      const { first, start } = await firstCommand(setting)
      figures[at]!.first.push(first)
      figures[at]!.start.push(start)
    }
  const [off, on] = figures as [(typeof figures)[0], (typeof figures)[0]]
  const more = median(on.first.map((ms, round) => ms - off.first[round]!))
  const rows = figures.map(({ first, start }, at) => [
    at === 0 ? 'without a sandbox' : 'in a cell',
    median(first).toFixed(0),
    median(start).toFixed(0),
  ])
  const head = ['', 'wall ms of the command', 'from the start of the program to the first event']
  tell('The first command of a run', head, rows)
  check('milliseconds that the first command of a run takes more', more, FIRST_GATE)
}

async function firstCommand(setting: Setting): Promise<{ readonly first: number; readonly start: number }> {
  const user = new TestUser()
  try {
    const call = { toolCalls: [{ tool: 'bash', input: { command: 'true' } }] }
    const model = user.script({ main: [call, { text: 'Done.' }] })
    const startedAt = Date.now()
    const { stdout } = await user.run(
      ['run', 'Go.', '-m', model, '--allow', 'bash', '--sandbox', setting, '--output-format', 'events'],
      { main: PROGRAM },
    )
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly type: string; readonly at: number })
    const at = (type: string) => events.find((event) => event.type === type)!.at
    return { first: at('tool.completed') - at('tool.started'), start: events[0]!.at - startedAt }
  } finally {
    user.remove()
  }
}

/** Fifty runs begin a command each, and no command ends before all have begun. The supervisors are the sources. */
async function measureFifty(bubblewrap: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-bench-'))
  const gate = join(directory, 'gate')
  execFileSync('mkfifo', [gate])
  const { cells, owner, close } = cellsIn(directory, bubblewrap)
  const command = 'touch "up.$1"; cat gate'
  const each = Array.from({ length: CELLS }, (_, at) => String(at))
  const forms = {
    'without a sandbox': (options: ProcessOptions) => runProcess(options),
    'in cells': (options: ProcessOptions, run: string) => cells.of(run).run(options),
  }
  const rows: string[][] = []
  try {
    for (const [name, start] of Object.entries(forms)) {
      const startedAt = performance.now()
      const all = each.map((run) =>
        start({ program: 'bash', args: ['-c', command, 'bash', `${name}.${run}`], directory }, run),
      )
      const up = () => readdirSync(directory).filter((file) => file.startsWith(`up.${name}`)).length
      while (up() < CELLS) await Promise.race([setTimeout(2), Promise.all(all)])
      const allMs = performance.now() - startedAt
      const kilobytes = supervisors(owner).reduce((sum, pid) => sum + proportionalKilobytes(pid), 0)
      closeSync(openSync(gate, 'w')) // all that wait go on
      await Promise.all(all)
      const endedAt = performance.now()
      await cells.end(each)
      const memory = kilobytes === 0 ? '' : (kilobytes / CELLS / 1024).toFixed(1)
      rows.push([name, allMs.toFixed(0), memory, (performance.now() - endedAt).toFixed(0)])
    }
    const head = ['', 'ms until all run', 'MB of a supervisor', 'ms to end them']
    tell(`${CELLS} first commands at a time`, head, rows)
  } finally {
    await close()
    await rm(directory, { recursive: true })
  }
}

function cellsIn(directory: string, bubblewrap: string) {
  const owner = `own_${process.pid}`
  const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
  const env = { HOME: '/no/home', PATH: process.env['PATH'] }
  const places = cellPlaces({ directories: [directory], ownDirectories: [], env })
  const cells = new RunCells({ bubblewrap, places, network: closedNetwork, owner, guard })
  const close = async () => {
    await cells.close()
    await guard.close()
  }
  return { cells, owner, guard, close }
}

/** Below what carries the mark; they themselves have an empty environment. */
function supervisors(owner: string): number[] {
  const marked = new Set(processesWith(`OFFSHOOT_OWNER=${owner}`))
  const all = listProcesses()
  const parentOf = new Map(all.map(({ pid, parentPid }) => [pid, parentPid]))
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (marked.has(pid) || isBelow(parentOf.get(pid)))
  return all
    .map(({ pid }) => pid)
    .filter((pid) => textOf(pid, 'cmdline').startsWith('/run/offshoot/node') && isBelow(pid))
}

/** What is shared counts in parts. */
function proportionalKilobytes(pid: number): number {
  return Number(/^Pss: +(\d+)/m.exec(textOf(pid, 'smaps_rollup'))?.[1] ?? 0)
}

function textOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return '' // it has just ended
  }
}

function tell(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const shown = [`## ${title}`, '', ...table(head, rows), '']
  lines.push(...shown)
  console.error(shown.join('\n')) // what is found by then is not lost where a later part fails
}

function check(what: string, value: number, most: number): void {
  const verdict = `${what}: ${value.toFixed(2)}, at most ${most}`
  lines.push(`Gate: ${verdict}${value > most ? ' (missed)' : ''}`, '')
  if (value > most) missed.push(verdict)
}

async function report(version: string): Promise<void> {
  const machine = `${platform()} ${arch()}, ${availableParallelism()} cores, Node ${process.version}, bubblewrap ${version}`
  const head = `# Results of the sandbox\n\n\`npm run bench:sandbox\` on ${machine}. Medians of interleaved rounds.\n`
  const text = [head, ...lines].join('\n')
  console.log(text)
  if (!quick) await writeFile(new URL('RESULTS-SANDBOX.md', import.meta.url), text)
  for (const each of missed) console.error(`missed: ${each}`)
  process.exitCode = missed.length > 0 ? 1 : 0
}
