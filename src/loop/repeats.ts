import type { ToolCallPart, ToolResultPart } from '../core/message.ts'
import { outputForModel } from '../core/report/report-envelope.ts'

/** The longest circle that is looked for. Calls. */
const MAX_PERIOD = 4

/** The result of a call that is not run. */
export const NOT_RUN = 'not run: the calls before it were the same, with the same result each time'

/** A call that has ended. Two of them are the same where all fields are equal. */
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
  /** Its calls, the oldest first: this one would come next. */
  readonly calls: readonly string[]
}

/**
 * Detects a run that goes in circles: one to four calls over and over, with the same results. After `max` rounds with the
 * same results the model gets one reminder, and the next call of the circle is not run; once the model has been told, that
 * ends the run. Calls count in their order, however many of them one turn has.
 */
export class Repeats {
  readonly #max: number
  readonly #ended = new Periods<EndedEntry>(isSame)
  /** Calls that have begun, whatever comes of them. */
  readonly #started = new Periods<string>((a, b) => a === b)
  #isReported = false
  /** The circle of which a call of this turn was not run. */
  #circle: Circle | undefined
  /** That was after the reminder. */
  #isOver = false
  /** Calls that have begun and have not ended. */
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Takes what an earlier attempt of the run did: a crash does not give a circle its rounds back. */
  replay(pairs: readonly EndedPair[]): void {
    for (const [part, result] of pairs) {
      this.begins(part)
      this.ended(part, result)
    }
  }

  /** Whether the results so far have to be known before this call may begin. */
  begins(part: ToolCallPart): boolean {
    const mayBreak = this.#open++ > 0 && this.#circles().length > 0
    this.#started.push(keyOf(part))
    return mayBreak || PERIODS.some((period) => this.#started.repeated(period) > this.#needed(period))
  }

  /** Whether this call has just been made too often: it is not to be run. Calls before it that go on may break the circle. */
  isCircle(part: ToolCallPart): boolean {
    const key = keyOf(part)
    if (!this.#circle && this.#open <= 1) {
      this.#circle = this.#circles().find(({ calls }) => calls[0] === key)
      this.#isOver = this.#circle !== undefined && this.#isReported
    }
    return this.#circle?.calls.includes(key) ?? false
  }

  /** Why the run is to end, once a call was not run although the model had been told. */
  get circle(): string | undefined {
    if (!this.#circle || !this.#isOver) return undefined
    const { period, rounds } = this.#circle
    if (period === 1) return `${rounds} equal calls in a row had the same result`
    return `the same ${period} calls had the same results in ${rounds} rounds in a row`
  }

  /** In the order of the calls. */
  ended(part: ToolCallPart, { status, output }: ToolResultPart): void {
    this.#open = Math.max(0, this.#open - 1)
    const text = outputForModel(output)
    if (status === 'skipped' && text === NOT_RUN) return // the circle is as it was
    this.#ended.push({ call: keyOf(part), status, text })
    if (this.#circles().length === 0) this.#isReported = false
  }

  /** What is to be said to the model at the end of a turn, once in each circle. */
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

  /** The circles that the last calls are in, the shortest first. */
  #circles(): Circle[] {
    const isReached = (period: number) =>
      this.#ended.last(period).length === period && this.#ended.repeated(period) >= this.#needed(period)
    return PERIODS.filter(isReached).map((period) => ({
      period,
      rounds: Math.floor(this.#ended.repeated(period) / period) + 1,
      calls: this.#ended.last(period).map(({ call }) => call),
    }))
  }

  /** How many calls in a row have to be the same as those one period before. One round of several calls is no circle. */
  #needed(period: number): number {
    return period * ((period === 1 ? this.#max : Math.max(2, this.#max)) - 1)
  }
}

const PERIODS = Array.from({ length: MAX_PERIOD }, (_, at) => at + 1)

/** The last entries of a sequence, and how long it has repeated itself with each period. */
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

  /** How many entries in a row, up to the last, are the same as the one `period` before. */
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

/** Equal inputs have equal keys, in whatever order their fields were written. */
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
