import { addCost } from '../core/usage.ts'
import { sleep } from '../core/clock.ts'
import { errorMessage, OffshootError, ProviderError } from '../core/errors.ts'
import { shapeMask } from '../core/secrets/mask.ts'
import { bounds } from '../core/limits.ts'
import type { ToolCallPart } from '../core/message.ts'
import { bestEffort, ignoreLateRejection } from '../core/rejections.ts'
import type { ModelReader, ModelRequest } from '../model/port.ts'
import { costOf } from '../model/cost-of-usage.ts'
import { isRefusal, retryDelay } from '../model/retry.ts'
import { unlessAborted } from './unless-aborted.ts'
import { waitAtGate } from './wait-at-gate.ts'
import { reserveRequest } from './reserve-budget.ts'
import type { InputEstimate } from './input-estimate.ts'
import { joinDeltas } from './join-deltas.ts'
import { maskDeltas } from './mask-live.ts'
import type { Answer, Emit, LoopPorts } from './ports.ts'
import { AnswerReader } from './read-answer.ts'
import { checkBudget } from './check-budget.ts'
import type { Watchdog } from './watchdog.ts'

/** `stored` settles when the answer is on disk. Writes of its calls follow it in order, so they need not wait. */
export interface StoredAnswer {
  readonly answer: Answer
  readonly stored: Promise<void>
  /** Tokens that the budget allowed, if fewer than the model's maximum. */
  readonly room?: number | undefined
}

export interface RequestContext {
  readonly turn: number
  readonly size: InputEstimate
  readonly watchdog: Watchdog
  readonly emit: Emit
  /** Receives the text of a cut request. */
  readonly onCut: (reader: AnswerReader) => void
}

/**
 * One answer of the model: a request, retried by the rules of retry.ts if it fails or its stream is cut. The text of a
 * cut request is stored as an interrupted message and passed to `onCut`. @throws ProviderError, OffshootError `window`,
 * BudgetReached, or the signal's reason.
 */
export async function askModel(
  request: Omit<ModelRequest, 'signal'>,
  ports: LoopPorts,
  { turn, size, watchdog, emit, onCut }: RequestContext,
): Promise<StoredAnswer> {
  checkWindow(size.byChars(request.messages), ports)
  const input = size.tokens(request.messages)
  const { gate } = ports
  const form = ports.answerForm?.(request)
  const place = gate.ticket()
  for (let attempt = 1; ; attempt++) {
    const { release, ...output } = await reserveRequest(input, ports, watchdog)
    if (!gate.start(place))
      await waitAtGate(place, ports, watchdog).catch((error: unknown) => {
        release()
        throw error
      })
    const live = maskDeltas(emit, ports.secrets ?? shapeMask)
    const joined = joinDeltas(live.emit)
    const reader = createReader(request.toolChoice !== 'none', ports, joined.emit)
    try {
      await readStream(
        { ...request, ...form, ...output, signal: ports.signal },
        reader,
        ports,
        watchdog,
      ).finally(() => {
        joined.flush()
        live.flush()
      })
    } catch (cause) {
      release()
      const error = asProviderError(cause, ports)
      gate.end(place, error)
      onCut(reader)
      await afterFailure({ error, attempt, reader }, ports, watchdog)
      checkBudget(ports)
      continue
    }
    gate.end(place)
    release()
    return { ...complete(reader, turn, ports), room: output.maxOutputTokens }
  }
}

interface Failed {
  readonly error: unknown
  readonly attempt: number
  readonly reader: AnswerReader
}

/**
 * Stores the partial text and waits until the next try; after a refusal, the gate waits. @throws the error if there is
 * no further try, or the signal's reason.
 */
async function afterFailure(
  { error, attempt, reader }: Failed,
  ports: LoopPorts,
  watchdog: Watchdog,
): Promise<void> {
  if (reader.parts.length > 0) await ports.journal.messageInterrupted(reader.messageId, reader.parts)
  ports.signal.throwIfAborted()
  const delayMs = error instanceof ProviderError ? retryDelay(error, attempt, ports.random) : null
  if (delayMs === null) throw error
  if (!isRefusal(error)) await waitToRetry(error, delayMs, ports, watchdog)
}

/** Parses an answer into its parts; sends changes to the journal, then to listeners. */
function createReader(takesCalls: boolean, { newId, journal, tools }: LoopPorts, emit: Emit): AnswerReader {
  const messageId = newId('msg')
  const record: Emit = (event) => {
    if (event.type === 'part.started' && reader.parts.length === 1) journal.messageStarted(messageId)
    if (event.type === 'part.delta') journal.messagePartial(messageId, reader.parts)
    emit(event)
  }
  const expand = (call: ToolCallPart) => tools.expand?.(call, newId) ?? [call]
  const reader: AnswerReader = new AnswerReader({ messageId, newId, takesCalls, emit: record, expand })
  return reader
}

/** An estimate at four characters a token: it matters only far from the limit; near it, the provider decides. */
function checkWindow(tokens: number, ports: LoopPorts): void {
  const { window, id } = ports.model.info
  if (window === null || tokens <= window) return
  throw new OffshootError(
    'window',
    `the context has about ${tokens} tokens, but the context window of ${id} is ${window}`,
    { hint: WINDOW_HINT },
  )
}

const WINDOW_HINT = 'shorten the input, or choose a model with a larger context window (offshoot models)'

export function isTooLong(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.isTooLong
}

/** A request rejected as too long gets the same error as one known to be; other errors pass unchanged. */
export function windowError(error: unknown): unknown {
  if (!isTooLong(error)) return error
  const message = `the context does not fit the context window: ${error.message}`
  return new OffshootError('window', message, { hint: WINDOW_HINT, cause: error })
}

/** The same error, with the reason why nothing could be left out. */
export function notShortened(error: OffshootError, why: string): OffshootError {
  const message = `${error.message}; the oldest turns could not be summarised: ${why}`
  return new OffshootError('window', message, { hint: WINDOW_HINT, cause: error })
}

async function readStream(
  request: ModelRequest,
  reader: AnswerReader,
  ports: LoopPorts,
  watchdog: Watchdog,
): Promise<void> {
  ports.signal.throwIfAborted()
  const stream = await unlessAborted(ports.model.stream(request), ports.signal, ports.clock, 0)
  const pieces = stream.getReader()
  const onAbort = () => void bestEffort(pieces.cancel(ports.signal.reason))
  if (ports.signal.aborted) onAbort()
  else ports.signal.addEventListener('abort', onAbort, { once: true })
  try {
    while (reader.end === undefined) {
      const { done, value } = await pieces.read()
      watchdog.touch()
      if (done) break
      reader.push(value)
    }
  } finally {
    ports.signal.removeEventListener('abort', onAbort)
    if (reader.end === undefined) void bestEffort(pieces.cancel())
    else letEnd(pieces, ports)
  }
  ports.signal.throwIfAborted()
  if (reader.end === undefined) {
    throw new ProviderError(`the answer of ${ports.model.info.id} was cut before its end`, {
      retryable: true,
    })
  }
}

/** Ignores everything after the end of an answer; closes a stream that stays open. */
function letEnd(pieces: ModelReader, { clock }: LoopPorts): void {
  const close = () => void bestEffort(pieces.cancel())
  const cancel = clock.after(bounds.killGraceMs, close)
  pieces.read().then(({ done }) => {
    cancel()
    if (!done) close()
  }, cancel)
}

function complete(reader: AnswerReader, turn: number, ports: LoopPorts): StoredAnswer {
  const { messageId, parts, usage } = reader
  const end = reader.end!
  const answer: Answer = {
    messageId,
    turn,
    parts,
    usage,
    costUsd: addCost(0, costOf(usage, ports.model.info.price)),
    end,
  }
  ports.budget.spend(answer)
  const stored = ports.journal.messageCompleted(answer)
  ignoreLateRejection(stored) // awaited with the answer
  return { answer, stored }
}

/** A custom model may throw anything: that is its failure, not the program's. */
function asProviderError(error: unknown, ports: LoopPorts): unknown {
  if (error instanceof OffshootError || ports.signal.aborted) return error
  return new ProviderError(`${ports.model.info.id} failed: ${errorMessage(error)}`, {
    retryable: false,
    cause: error,
  })
}

async function waitToRetry(
  error: unknown,
  delayMs: number,
  ports: LoopPorts,
  watchdog: Watchdog,
): Promise<void> {
  const since = ports.clock.now()
  const release = watchdog.suspend('itself')
  try {
    await ports.journal.waiting('retry', {
      what: 'retry',
      detail: errorMessage(error),
      since,
      until: since + delayMs,
    })
    await sleep(ports.clock, delayMs, ports.signal)
    await ports.journal.resumed()
  } finally {
    release()
  }
}
