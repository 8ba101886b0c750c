// `npm run bench [-- --quick]`: every contestant in a process of its own, in interleaved rounds, beside the hand-written
// loop of the same run. Prints medians and ratios, writes bench/RESULTS.md, and exits 1 when a gate is missed.
import { writeFile } from 'node:fs/promises'
import { arch, availableParallelism, platform } from 'node:os'
import { runContestant, startModelServer, type Figures, type StoredBytes } from './children.ts'
import { measureDurability } from './durable.ts'
import { medianRatio, median, table } from './figures.ts'
import { isBuilt, measureStarts } from './first-request.ts'
import { allScenarios, longConversations, type Scenario } from './scenarios.ts'

const quick = process.argv.includes('--quick')
const APPEND_GATE = 1.5
const GROWTH_GATE = 1.2
const BYTES_GATE = 2
const RESULT_CHARS = 8_000
const FLAT_GATE = 1.1
const START_GATE = 2
const DURABLE_GATE = 2
/** Ours is to be ahead of it in every row. */
const PEER = 'AI SDK loop'
const STARTS = { bare: 'bare script', offshoot: 'offshoot', first: 'offshoot, its very first start' }

const lines: string[] = []
const missed: string[] = []
{
  await using server = await startModelServer()
  for (const scenario of allScenarios(quick)) await measure(scenario, server.baseUrl)
  await measureGrowth(server.baseUrl)
  await measureStored(server.baseUrl)
  await measureDurable(server.baseUrl)
}
await measureAppends()
await measureFirstRequests()
await report()

/** @returns the ratio of `offshoot` to the first contestant, in CPU */
async function measure(scenario: Scenario, baseUrl: string): Promise<number> {
  const { title, name, unit, contestants, sizes, rounds, gates = [] } = scenario
  const figures = new Map<string, Figures[]>(contestants.map((each) => [each, []]))
  for (let round = 0; round < rounds; round++) {
    for (const each of contestants) figures.get(each)!.push(await runContestant(each, name, baseUrl, sizes))
  }
  const base = figures.get(contestants[0]!)!
  const own = figures.get('offshoot')!
  for (const [each, theirs] of figures) checkText(each, theirs, base)
  const rows = contestants.map((each) => row(each, figures.get(each)!, base))
  tell(title, ['', `CPU µs a ${unit}`, 'ratio', `wall µs a ${unit}`, 'ratio', `KiB a ${unit}`], rows)
  for (const { what, most, value } of gates) check(`${title}, ${what}`, value(own, base), most)
  const peer = figures.get(PEER)
  if (peer) {
    check(
      `${title}, CPU beside the AI SDK's loop`,
      medianRatio(own, peer, (each) => each.cpuUs),
      1,
    )
    check(
      `${title}, time beside the AI SDK's loop`,
      medianRatio(own, peer, (each) => each.wallUs),
      1,
    )
  }
  return medianRatio(own, base, (each) => each.cpuUs)
}

/** Nobody may leave out work: each has told at least the text that the first told. */
function checkText(name: string, figures: readonly Figures[], base: readonly Figures[]): void {
  for (const [round, { characters }] of figures.entries()) {
    const expected = base[round]!.characters
    if (characters < expected) throw new Error(`${name} told ${characters} of ${expected} characters`)
  }
}

function row(name: string, figures: readonly Figures[], base: readonly Figures[]): string[] {
  const cpu = (each: Figures) => each.cpuUs
  const wall = (each: Figures) => each.wallUs
  return [
    name,
    median(figures.map(cpu)).toFixed(1),
    medianRatio(figures, base, cpu).toFixed(2),
    median(figures.map(wall)).toFixed(1),
    medianRatio(figures, base, wall).toFixed(2),
    (median(figures.map((each) => each.memoryBytes)) / 1024).toFixed(1),
  ]
}

/** Whether a turn of a long conversation costs more, beside the hand-written loop, than one of a short one. */
async function measureGrowth(baseUrl: string): Promise<void> {
  const ratios: number[] = []
  for (const scenario of longConversations(quick)) ratios.push(await measure(scenario, baseUrl))
  check(
    'the ratio of the longest conversation to that of the shortest',
    ratios.at(-1)! / ratios[0]!,
    GROWTH_GATE,
  )
}

/** What is kept of a turn beside its messages costs as much whatever they hold, so the gate is for results as files have. */
async function measureStored(baseUrl: string): Promise<void> {
  const lengths = quick ? [50, 200] : [50, 200, 800]
  const cases = [200, RESULT_CHARS].flatMap((chars) => lengths.map((turns) => ({ turns, chars })))
  const found: StoredBytes[] = []
  for (const { turns, chars } of cases)
    found.push(await runContestant<StoredBytes>('offshoot', 'bytes', baseUrl, [turns, chars]))
  const rows = found.map(({ stored, own }, i) => [
    `${cases[i]!.turns} turns, results of ${cases[i]!.chars} characters`,
    stored.toFixed(0),
    own.toFixed(0),
    (stored / own).toFixed(2),
  ])
  tell('Bytes on disk', ['', 'bytes a turn', 'of its messages', 'ratio'], rows)
  const [short, long] = [found[lengths.length]!, found.at(-1)!]
  check('bytes a turn, to those of its messages', long.stored / long.own, BYTES_GATE)
  check('bytes a turn of a long conversation, to those of a short one', long.stored / short.stored, FLAT_GATE)
}

/** The cost of an append to a short and to a long conversation, each in its own process, in turns. */
async function measureAppends(): Promise<void> {
  const sizes = [10, 10_000]
  const figures = sizes.map((): Figures[] => [])
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    for (const [i, size] of sizes.entries())
      figures[i]!.push(await runContestant('store', 'append', '', [1_000, size]))
  }
  const [short, long] = figures as [Figures[], Figures[]]
  const rows = figures.map((each, i) => row(`${sizes[i]} messages`, each, short).slice(0, -1))
  tell('Appending a message to a conversation', ['', 'CPU µs', 'ratio', 'wall µs', 'ratio'], rows)
  check(
    'appending to 10,000 messages',
    medianRatio(long, short, (each) => each.wallUs),
    APPEND_GATE,
  )
}

/** Whether durable commits leave 20 children on one disk at least half of what they do with NORMAL ones. */
async function measureDurable(baseUrl: string): Promise<void> {
  const { turnsPerSecond, fsyncUs } = await measureDurability(baseUrl, quick ? 2 : 5)
  const { durable, normal } = turnsPerSecond
  const rows = [
    ['durable commits', durable.toFixed(0), (durable / normal).toFixed(2)],
    ['PRAGMA synchronous NORMAL', normal.toFixed(0), '1.00'],
  ]
  const title = `20 children on one disk, whose fsync takes ${fsyncUs.toFixed(0)} µs`
  tell(title, ['', 'turns a second', 'ratio'], rows)
  check('the time of NORMAL commits, for the durable ones', normal / durable, DURABLE_GATE)
}

async function measureFirstRequests(): Promise<void> {
  if (!isBuilt())
    return void lines.push('## From the start to the first request', '', 'Not measured: no build.', '')
  const starts = await measureStarts(quick ? 3 : 9)
  const ratio = median(starts.map(({ offshoot, bare }) => offshoot / bare))
  const rows = (['bare', 'offshoot', 'first'] as const).map((of) => [
    STARTS[of],
    median(starts.map((each) => each[of])).toFixed(0),
    median(starts.map((each) => each[of] / each.bare)).toFixed(2),
  ])
  tell('From the start to the first request', ['', 'wall ms', 'ratio'], rows)
  check('from the start of the build to the first request', ratio, START_GATE)
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

async function report(): Promise<void> {
  const command = `npm run bench${quick ? ' -- --quick' : ''}`
  const machine = `${platform()} ${arch()}, ${availableParallelism()} cores, Node ${process.version}`
  const head = [
    '# Results',
    '',
    `\`${command}\` on ${machine}. Medians of interleaved rounds; ratios are to the first row of the same round.`,
    '',
  ]
  const text = [...head, ...lines].join('\n')
  console.log(text)
  if (!quick) await writeFile(new URL('RESULTS.md', import.meta.url), text)
  for (const each of missed) console.error(`missed: ${each}`)
  process.exitCode = missed.length > 0 ? 1 : 0
}
