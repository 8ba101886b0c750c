import type { ToolCallPart, ToolResultPart } from '../core/message.ts'
import { outputForModel } from '../core/report/report-envelope.ts'

/**
 * Detects a run that goes in circles. After `max` equal calls with equal results in a row the model gets one reminder;
 * the next equal call is not run.
 */
export class Repeats {
  readonly #max: number
  /** What was called and what came of it, so often. */
  #last = { call: '', status: '', text: '', count: 0 }
  /** Equal calls that have begun in a row, whatever comes of them. */
  #lastStarted = { call: '', count: 0 }
  #isReported = false
  /** What came once more. */
  #circle: { readonly call: string; readonly count: number } | undefined

  constructor(max: number) {
    this.#max = max
  }

  /** Whether the results so far have to be known before this call may begin. */
  begins(part: ToolCallPart): boolean {
    const call = keyOf(part)
    this.#lastStarted = { call, count: call === this.#lastStarted.call ? this.#lastStarted.count + 1 : 1 }
    return this.#lastStarted.count > this.#max
  }

  /** Whether this call has just been made too often: it is not to be run, and the run is to end. */
  isCircle(part: ToolCallPart): boolean {
    const { call, count } = this.#last
    if (count < this.#max && !this.#circle) return false
    const key = keyOf(part)
    if (count >= this.#max && call === key) this.#circle ??= { call, count }
    return this.#circle?.call === key
  }

  /** Why the run is to end, once one was not run. */
  get circle(): string | undefined {
    return this.#circle && `${this.#circle.count} equal calls in a row had the same result`
  }

  /** In the order of the calls. */
  ended(part: ToolCallPart, { status, output }: ToolResultPart): void {
    const call = keyOf(part)
    const text = outputForModel(output)
    const last = this.#last
    const isSame = call === last.call && status === last.status && text === last.text
    if (!isSame) this.#isReported = false
    this.#last = { call, status, text, count: isSame ? last.count + 1 : 1 }
  }

  /** What is to be said to the model now, once in each circle. */
  warning(): string | undefined {
    if (this.#last.count < this.#max || this.#isReported) return undefined
    this.#isReported = true
    return `Your last ${this.#last.count} calls were the same, with the same result each time. The next such call ends your work: do something else, or conclude with what you have.`
  }
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
