// `npm run bench [-- --quick]`: every contestant in a process of its own, in interleaved rounds, beside the hand-written
// loop of the same run. Prints medians and ratios, writes bench/RESULTS.md, and exits 1 when a gate is missed.
import { writeFile } from 'node:fs/promises'
import { arch, availableParallelism, platform } from 'node:os'
import { runContestant, startModelServer, type Figures } from './children.ts'
import { medianRatio, median, table } from './figures.ts'

interface Scenario {
  readonly title: string
  readonly name: string
  /** What the figures are per. */
  readonly unit: string
  readonly contestants: readonly string[]
  readonly sizes: readonly number[]
  readonly rounds: number
  /** The largest ratio of `offshoot` to the first contestant, in CPU; absent: only told. */
  readonly gate?: number
}

const HAND = 'hand-written'
const ALL = [HAND, 'doStream, global fetch', 'doStream, our fetch', 'offshoot', 'AI SDK loop']

const quick = process.argv.includes('--quick')
const scenarios: readonly Scenario[] = [
  {
    title: 'A turn with one tool call, one conversation after the other',
    name: 'turns',
    unit: 'turn',
    contestants: ALL,
    sizes: [quick ? 20 : 40, 20, 1],
    rounds: quick ? 3 : 7,
    gate: 2.2,
  },
  {
    title: 'The same in a program that has run for a while',
    name: 'warm turns',
    unit: 'turn',
    contestants: ALL,
    sizes: [quick ? 40 : 100, 20, 1],
    rounds: quick ? 2 : 3,
  },
  {
    title: 'The same, four conversations side by side',
    name: 'turns',
    unit: 'turn',
    contestants: ALL,
    sizes: [quick ? 20 : 40, 20, 4],
    rounds: quick ? 3 : 4,
  },
  {
    title: 'One answer in 100,000 pieces',
    name: 'deltas',
    unit: 'piece',
    contestants: ALL,
    sizes: [100_000],
    rounds: quick ? 3 : 4,
    gate: 7,
  },
  {
    title: '100 children of 3 tool turns',
    name: 'fan-out',
    unit: 'child',
    contestants: [HAND, 'offshoot'],
    sizes: [100, 3],
    rounds: quick ? 2 : 4,
  },
]
const APPEND_GATE = 1.5

const lines: string[] = []
const missed: string[] = []
{
  await using server = await startModelServer()
  for (const scenario of scenarios) await measure(scenario, server.baseUrl)
}
await measureAppends()
await report()

async function measure(scenario: Scenario, baseUrl: string): Promise<void> {
  const { title, name, unit, contestants, sizes, rounds, gate } = scenario
  const figures = new Map<string, Figures[]>(contestants.map((each) => [each, []]))
  for (let round = 0; round < rounds; round++) {
    for (const each of contestants) figures.get(each)!.push(await runContestant(each, name, baseUrl, sizes))
  }
  const base = figures.get(contestants[0]!)!
  for (const [each, own] of figures) checkText(each, own, base)
  const rows = contestants.map((each) => row(each, figures.get(each)!, base))
  lines.push(
    `## ${title}`,
    '',
    ...table(['', `CPU µs a ${unit}`, 'ratio', `wall µs a ${unit}`, 'ratio', `KiB a ${unit}`], rows),
    '',
  )
  if (gate !== undefined)
    check(
      title,
      medianRatio(figures.get('offshoot')!, base, (each) => each.cpuUs),
      gate,
    )
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

/** The cost of an append to a short and to a long conversation, each in its own process, in turns. */
async function measureAppends(): Promise<void> {
  const sizes = [10, 10_000]
  const figures = sizes.map((): Figures[] => [])
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    for (const [i, size] of sizes.entries())
      figures[i]!.push(await runContestant('store', 'append', '', [1_000, size]))
  }
  const [short, long] = figures as [Figures[], Figures[]]
  const rows = figures.map((each, i) => row(`${sizes[i]} messages`, each, short))
  lines.push(
    '## Appending a message to a conversation',
    '',
    ...table(['', 'CPU µs', 'ratio', 'wall µs', 'ratio', ''], rows),
    '',
  )
  check(
    'appending to 10,000 messages',
    medianRatio(long, short, (each) => each.wallUs),
    APPEND_GATE,
  )
}

function check(what: string, ratio: number, gate: number): void {
  const verdict = `${what}: ${ratio.toFixed(2)}, at most ${gate}`
  lines.push(`Gate: ${verdict}${ratio > gate ? ' (missed)' : ''}`, '')
  if (ratio > gate) missed.push(verdict)
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
