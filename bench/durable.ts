import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runContestant, type Figures } from './children.ts'
import { median } from './figures.ts'

const CHILDREN = 20
const TURNS_OF_CHILD = 10
const SYNCS = 200

export interface Durability {
  /** 20 children side by side; turns of all of them a second. Medians of interleaved rounds. */
  readonly turnsPerSecond: { readonly durable: number; readonly normal: number }
  /** Of one page at the end of a file on the same disk. Microseconds, median. */
  readonly fsyncUs: number
}

/** What it costs 20 children that commits survive a loss of power: the same work with PRAGMA synchronous NORMAL throughout. */
export async function measureDurability(baseUrl: string, rounds: number): Promise<Durability> {
  const figures = { durable: [] as Figures[], normal: [] as Figures[] }
  const sizes = [CHILDREN, TURNS_OF_CHILD, 0, 3]
  for (let round = 0; round < rounds; round++) {
    figures.durable.push(await runContestant('offshoot', 'fan-out', baseUrl, sizes))
    figures.normal.push(await runContestant('offshoot, NORMAL', 'fan-out', baseUrl, sizes))
  }
  const rate = (own: readonly Figures[]) =>
    (1_000_000 / median(own.map(({ wallUs }) => wallUs))) * (TURNS_OF_CHILD + 1)
  return {
    turnsPerSecond: { durable: rate(figures.durable), normal: rate(figures.normal) },
    fsyncUs: measureSync(),
  }
}

function measureSync(): number {
  const directory = mkdtempSync(join(tmpdir(), 'offshoot-bench-'))
  const descriptor = openSync(join(directory, 'synced'), 'w')
  const page = Buffer.alloc(4096, 1)
  const times = Array.from({ length: SYNCS }, () => {
    writeSync(descriptor, page)
    const startedAt = performance.now()
    fdatasyncSync(descriptor)
    return (performance.now() - startedAt) * 1000
  })
  closeSync(descriptor)
  rmSync(directory, { recursive: true })
  return median(times)
}
