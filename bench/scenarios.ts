import type { Figures } from './children.ts'
import { median, medianRatio } from './figures.ts'

export interface Scenario {
  readonly title: string
  readonly name: string
  /** What the figures are per. */
  readonly unit: string
  readonly contestants: readonly string[]
  readonly sizes: readonly number[]
  readonly rounds: number
  readonly gates?: readonly Gate[]
}

export interface Gate {
  readonly what: string
  readonly most: number
  /** Of `offshoot`; `base` is the first contestant, round by round. */
  readonly value: (own: readonly Figures[], base: readonly Figures[]) => number
}

const HAND = 'hand-written'
const LOOPS = [HAND, 'offshoot', 'AI SDK loop']
const ALL = [HAND, 'doStream, global fetch', 'doStream, our fetch', 'offshoot', 'AI SDK loop']

const LATENCY_MS = 1_000
const MANY = 1_000
const WAITING_CHILDREN = 200
const TURNS_OF_CHILD = 3

/** Every scenario in which contestants are compared. Quick: fewer rounds, and smaller where that says the same. */
export function allScenarios(quick: boolean): readonly Scenario[] {
  return [
    {
      title: 'A turn with one tool call, one conversation after the other',
      name: 'turns',
      unit: 'turn',
      contestants: ALL,
      sizes: [quick ? 20 : 40, 20, 1],
      rounds: quick ? 3 : 7,
      gates: [cpuGate(1.8)],
    },
    {
      title: 'The same in a program that has run for a while',
      name: 'warm turns',
      unit: 'turn',
      contestants: ALL,
      sizes: [quick ? 100 : 150, 20, 1],
      rounds: quick ? 2 : 5,
      gates: [cpuGate(1.8)],
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
      gates: [cpuGate(6)],
    },
    ...[1, 10, 100, MANY].map((children) => fanOut(children, quick)),
    {
      title: `The memory of ${MANY} children`,
      name: 'memory of a fan-out',
      unit: 'child',
      contestants: LOOPS,
      sizes: [MANY, TURNS_OF_CHILD, 0],
      rounds: quick ? 1 : 2,
      gates: [{ what: 'MB a child', most: 0.35, value: megabytes }],
    },
    {
      title: `${WAITING_CHILDREN} children of ${TURNS_OF_CHILD} tool turns, each turn ${LATENCY_MS} ms late`,
      name: 'fan-out',
      unit: 'child',
      contestants: LOOPS,
      sizes: [WAITING_CHILDREN, TURNS_OF_CHILD, LATENCY_MS],
      rounds: quick ? 3 : 5,
      gates: [{ what: 'seconds over the ideal', most: 0.6, value: secondsOverIdeal }],
    },
  ]
}

/** One agent of so many turns. As many turns are counted in each, so that as much is compiled when it begins. */
export function longConversations(quick: boolean): readonly Scenario[] {
  const lengths = quick ? [10, 100] : [10, 100, 500, 1_000]
  const most = lengths.at(-1)!
  return lengths.map((turns) => ({
    title: `A turn of a conversation of ${turns}`,
    name: 'turns',
    unit: 'turn',
    contestants: LOOPS,
    sizes: [most / turns, turns, 1],
    rounds: 3,
  }))
}

function fanOut(children: number, quick: boolean): Scenario {
  return {
    title:
      children === 1 ? 'One child of 3 tool turns' : `${children} children of ${TURNS_OF_CHILD} tool turns`,
    name: 'fan-out',
    unit: 'child',
    contestants: LOOPS,
    sizes: [children, TURNS_OF_CHILD, 0, Math.ceil(100 / children)],
    rounds: quick ? 2 : 4,
    ...(children === MANY ? { gates: [cpuGate(1.8)] } : {}),
  }
}

function cpuGate(most: number): Gate {
  return { what: 'times the CPU', most, value: (own, base) => medianRatio(own, base, (each) => each.cpuUs) }
}

function megabytes(own: readonly Figures[]): number {
  return median(own.map((each) => each.memoryBytes)) / 1_000_000
}

function secondsOverIdeal(own: readonly Figures[]): number {
  const seconds = (median(own.map((each) => each.wallUs)) * WAITING_CHILDREN) / 1_000_000
  return seconds - ((TURNS_OF_CHILD + 1) * LATENCY_MS) / 1_000
}
