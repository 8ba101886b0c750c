import type { ToolCallPart, ToolResultPart } from '../core/message.ts'
import { outputForModel } from '../core/report/report-envelope.ts'

/** The longest circle to detect, in calls. */
const MAX_PERIOD = 4

/** The result of a skipped call. */
export const NOT_RUN = 'not run: the calls before it were the same, with the same result each time'

/** An ended call. Two are equal if all fields are. */
interface EndedEntry {
  readonly call: string
  readonly status: string
  readonly text: string
}

export type EndedPair = readonly [call: ToolCallPart, result: ToolResultPart]

/** A circle that one more call would continue. */
interface Circle {
  readonly period: number
  readonly rounds: number
  /** Its calls, oldest first: the first one would come next. */
  readonly calls: readonly string[]
}

/**
 * Detects a run that goes in circles: one to four calls repeated with the same results. After `max` equal rounds, the
 * model gets a reminder and the next call of the circle is skipped; after a reminder, that ends the run. Calls count in
 * order, however many a turn has.
 */
export class Repeats {
  readonly #max: number
  readonly #ended = new Periods<EndedEntry>(isSame)
  /** Started calls, whatever their outcome. */
  readonly #started = new Periods<string>((a, b) => a === b)
  #isReported = false
  /** The circle of the skipped call of this turn. */
  #circle: Circle | undefined
  /** That was after the reminder. */
  #isOver = false
  /** Running calls. */
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Adds an earlier attempt's calls: a crash does not reset a circle. */
  replay(pairs: readonly EndedPair[]): void {
    for (const [part, result] of pairs) {
      this.begins(part)
      this.ended(part, result)
    }
  }

  /** Whether this call must wait for the results so far. */
  begins(part: ToolCallPart): boolean {
    const mayBreak = this.#open++ > 0 && this.#circles().length > 0
    this.#started.push(keyOf(part))
    return mayBreak || PERIODS.some((period) => this.#started.repeated(period) > this.#needed(period))
  }

  /** Whether this call repeats too often and must be skipped. Running calls before it may break the circle. */
  isCircle(part: ToolCallPart): boolean {
    const key = keyOf(part)
    if (!this.#circle && this.#open <= 1) {
      this.#circle = this.#circles().find(({ calls }) => calls[0] === key)
      this.#isOver = this.#circle !== undefined && this.#isReported
    }
    return this.#circle?.calls.includes(key) ?? false
  }

  /** Why the run must end: a call was skipped after the reminder. */
  get circle(): string | undefined {
    if (!this.#circle || !this.#isOver) return undefined
    const { period, rounds } = this.#circle
    if (period === 1) return `${rounds} equal calls in a row had the same result`
    return `the same ${period} calls had the same results in ${rounds} rounds in a row`
  }

  /** In call order. */
  ended(part: ToolCallPart, { status, output }: ToolResultPart): void {
    this.#open = Math.max(0, this.#open - 1)
    const text = outputForModel(output)
    if (status === 'skipped' && text === NOT_RUN) return // the circle has not changed
    this.#ended.push({ call: keyOf(part), status, text })
    if (this.#circles().length === 0) this.#isReported = false
  }

  /** The reminder at the end of a turn, once per circle. */
  warning(): string | undefined {
    this.#circle = undefined
    const [circle] = this.#circles()
    if (!circle || this.#isReported) return undefined
    this.#isReported = true
    const { period, rounds } = circle
    const same =
      period === 1
        ? `Your last ${rounds} calls were the same, with the same result each time.`
        : `Your last ${period * rounds} calls were the same ${period} calls ${rounds} times, with the same results each time.`
    return `${same} The next such call ends your work: do something else, or conclude with what you have.`
  }

  /** The circles of the last calls, shortest first. */
  #circles(): Circle[] {
    const isReached = (period: number) =>
      this.#ended.last(period).length === period && this.#ended.repeated(period) >= this.#needed(period)
    return PERIODS.filter(isReached).map((period) => ({
      period,
      rounds: Math.floor(this.#ended.repeated(period) / period) + 1,
      calls: this.#ended.last(period).map(({ call }) => call),
    }))
  }

  /** Number of consecutive calls equal to those one period before. One round of several calls is not a circle. */
  #needed(period: number): number {
    return period * ((period === 1 ? this.#max : Math.max(2, this.#max)) - 1)
  }
}

const PERIODS = Array.from({ length: MAX_PERIOD }, (_, at) => at + 1)

/** The last entries of a sequence, and for each period how long it has repeated. */
class Periods<T> {
  readonly #isSame: (a: T, b: T) => boolean
  #last: readonly T[] = []
  #repeated: readonly number[] = PERIODS.map(() => 0)

  constructor(isSame: (a: T, b: T) => boolean) {
    this.#isSame = isSame
  }

  push(entry: T): void {
    this.#repeated = PERIODS.map((period) => {
      const before = this.#last.at(-period)
      return before !== undefined && this.#isSame(before, entry) ? this.repeated(period) + 1 : 0
    })
    this.#last = [...this.#last.slice(1 - MAX_PERIOD), entry]
  }

  /** Number of consecutive last entries equal to the one `period` before. */
  repeated(period: number): number {
    return this.#repeated[period - 1]!
  }

  last(count: number): readonly T[] {
    return this.#last.slice(-count)
  }
}

function isSame(a: EndedEntry, b: EndedEntry): boolean {
  return a.call === b.call && a.status === b.status && a.text === b.text
}

/** Equal inputs have equal keys, whatever the order of their fields is. */
function keyOf({ tool, input, invalid }: ToolCallPart): string {
  return JSON.stringify([tool, invalid ?? input], (_, value: unknown) =>
    isFields(value) ? sorted(value) : value,
  )
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}
