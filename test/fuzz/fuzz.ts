import type { Json } from '../../src/core/json.ts'
import { randomOf } from '../sim/random.ts'
import { cpuMs } from './cpu-time.ts'
import { minimise, smallerJson } from './minimise.ts'
import { checkPrototypes } from './properties.ts'
import { Finding, propertyOf, type Target } from './target.ts'

export interface Found {
  readonly parser: string
  readonly property: string
  readonly message: string
  readonly seed: number
  /** Which input of the seed it was. */
  readonly at: number
  readonly input: Json
}

/** The input with that number of a seed: each can be made by itself. */
export function inputAt(target: Target, seed: number, at: number): Json {
  return target.generate(randomOf(seed, `${target.name} ${at}`))
}

/** What is slow once may only have been compiled. */
const TRIES = 3

/** @throws what does not hold. */
export async function check(target: Target, input: Json): Promise<void> {
  let took = Infinity
  for (let tries = 0; tries < TRIES && took > target.limitMs; tries++) {
    const before = cpuMs()
    await target.run(input)
    took = Math.min(took, cpuMs() - before)
  }
  if (took > target.limitMs) throw new Finding('takes too long', `${took.toFixed(0)} ms`)
  checkPrototypes()
}

/** null where everything holds, or what does not is none of what is looked for; else the smallest input that shows it. */
export async function tryInput(
  target: Target,
  seed: number,
  at: number,
  isWanted: (property: string) => boolean = () => true,
): Promise<Found | null> {
  const input = inputAt(target, seed, at)
  const first = await failureOf(target, input)
  if (first === null || !isWanted(propertyOf(first))) return null
  const property = propertyOf(first)
  const isSame = async (smaller: Json) => {
    const failure = await failureOf(target, smaller)
    return failure !== null && propertyOf(failure) === property
  }
  const shrink = (value: Json) => smallerJson(value, target.fixed)
  const smallest = await minimise(input, shrink, isSame)
  const failure = (await failureOf(target, smallest)) ?? first
  return { parser: target.name, property, message: messageOf(failure), seed, at, input: smallest }
}

async function failureOf(target: Target, input: Json): Promise<{} | null> {
  try {
    await check(target, input)
    return null
  } catch (error) {
    return error ?? new Error('undefined was thrown')
  }
}

function messageOf(error: {}): string {
  if (error instanceof Finding) return error.message
  return error instanceof Error ? (error.stack ?? error.message).slice(0, 2_000) : 'no error was thrown'
}
