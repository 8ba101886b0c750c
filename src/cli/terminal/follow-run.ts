import { Option } from 'commander'
import { bestEffort } from '../../core/rejections.ts'
import { MODES } from '../../permissions/modes.ts'
import { modeInForce, namedBefore } from '../../runtime/authority/mode.ts'
import type { RunResult } from '../../runtime/views/run-result.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import { modelInfo } from '../../model/models-and-prices.ts'
import { hasPerson } from '../person-only-commands.ts'
import type { Reader } from '../../store/port.ts'
import { answerFromElsewhere, answerOnTerminal } from './approval-prompt.ts'
import { stopOfNextSignal, stopOfSignal, type EndSignal } from '../early-signals.ts'
import { exitCodeOfRun, exitCodes } from '../exit-codes.ts'
import { outputError, writeStderr, type Io } from '../io.ts'
import { parseDollars } from '../number-options.ts'
import { createOutput, type OutputFormat } from './output-formats.ts'
import { printRecovered, watchUnknown } from './recovered-text.ts'
import { watchOthers } from './other-runs.ts'
import { resumeLine } from './resume-line.ts'
import { assumedCapText } from '../../runtime/budget/assumed-price.ts'
import type { Runtime } from '../../runtime/host/runtime.ts'
import type { Watched } from './watched-run.ts'

export interface FollowFlags {
  /** `deny`: nobody is asked, even on a terminal. `wait`: a question waits where there is no terminal too. */
  readonly approvals?: 'wait' | 'deny'
  readonly outputFormat: OutputFormat
  readonly budgetUsd?: number
  /** The answer as it is. */
  readonly rawOutput?: true
  /** A line for each step on a terminal too. */
  readonly verbose?: true
}

export function budgetOption(): Option {
  const about = 'pause before the conversation spends more US dollars; default: limits.budgetUsd'
  return new Option('--budget-usd <n>', about).argParser(parseDollars)
}

export function modeOption(): Option {
  const about = 'what agents may do without asking; default: ask, or plan if the conversation is in plan mode'
  return new Option('--mode <mode>', about).choices(MODES)
}

export function approvalsOption(): Option {
  const about = 'wait: wait for offshoot approve and offshoot answer; deny: never ask, even on a terminal'
  return new Option('--approvals <how>', about).choices(['wait', 'deny'])
}

/** Shows what this process drives until it has stopped, and returns the exit code. No process is left afterwards. */
export async function follow(
  started: StartedRun,
  flags: FollowFlags,
  composed: Watched,
  io: Io,
): Promise<number> {
  await printRecovered(started, io)
  await printMode(started, composed, io)
  await printSandbox(started, composed, io)
  const saidUnpriced = await printUnpricedModel(started, flags, composed, io)
  const signals = stopOnSignals(started, io)
  const live = { hint: () => hintOf(signals.first()), liveAnswer: await liveAnswerOf(flags, io) }
  const output = createOutput({ ...flags, ...live }, started, composed, io)
  const takeAnswers = answererOf(flags, io)
  const endAnswers = takeAnswers(started, composed, output, io)
  const endOthers = watchOthers(started, composed, output, io)
  composed.leave?.()
  const broken = stopWithoutReader(started, io)
  const { conversationId: id, seqBefore, recovered } = started
  const printUnknown = watchUnknown(composed, { id, seqBefore }, recovered, io)
  try {
    const result = await started.result.catch(output.fail)
    endOthers()
    await endAnswers()
    await output.end(result)
    if (!saidUnpriced) await printUnpriced(result, flags, composed, io)
    const signal = signals.first()
    const error = broken.error()
    if (!signal && error) throw error
    await printResume(started, result, { store: composed.store, signal }, io)
    return signal ? exitCodes[signal] : exitCodeOfRun(result)
  } finally {
    endOthers()
    await endAnswers()
    await bestEffort(printUnknown()) // after an error too, which it must not replace
    broken.end()
    await composed.guard.close()
    signals.end() // last: a signal while processes are being ended must not leave them
  }
}

function hintOf(first: EndSignal | undefined): string {
  return first === undefined
    ? 'Ctrl-C pauses and exits; a second one cancels'
    : 'Pausing; Ctrl-C now cancels, which is final'
}

/** Loaded only where it is used: a start takes as long as what it loads. */
async function liveAnswerOf({ outputFormat, rawOutput }: FollowFlags, { stdout }: Io) {
  if (outputFormat !== 'text' || rawOutput || !stdout.isTTY) return undefined
  return (await import('./answer/live-answer.ts')).createLiveAnswer
}

/** A mode that this command was not told is no surprise. */
async function printMode({ conversationId }: StartedRun, { store, mode }: Watched, io: Io): Promise<void> {
  const [named, inForce] = [namedBefore(store, conversationId), modeInForce(store, conversationId, mode)]
  if (inForce !== mode)
    await writeStderr(io, `offshoot: mode ${inForce}, as before; --mode ${mode} changes it\n`)
  else if (named && named !== mode)
    await writeStderr(io, `offshoot: mode ${mode}; it was ${named} before; --mode ${named} restores that\n`)
}

/** As for the mode: what a conversation keeps is told, and what there is not. */
async function printSandbox({ conversationId }: StartedRun, composed: Watched, io: Io): Promise<void> {
  const kept = composed.keptSandbox(conversationId)
  if (!kept) return
  const isConfined = (await composed.confinementOf(conversationId)?.cells()) !== undefined
  const then = isConfined
    ? `; --sandbox ${composed.loaded.config.sandbox.mode} changes it`
    : ', but there is none: offshoot doctor says why'
  await writeStderr(io, `offshoot: sandbox ${kept}, as before${then}\n`)
}

/**
 * To be called before a run is driven: what is taken up with it may ask at once, and must not be denied because the
 * terminal is not ready. `follow` goes on with it.
 */
export function attendEarly(
  flags: FollowFlags,
  { approvals }: Pick<Runtime, 'approvals'>,
  io: Io,
): () => void {
  return answererOf(flags, io) === nobody ? () => {} : approvals.attend()
}

const nobody: typeof answerOnTerminal = () => async () => {}

/** The person who answers approvals; without one each approval is denied at once. */
function answererOf({ approvals }: FollowFlags, io: Io): typeof answerOnTerminal {
  if (approvals !== 'deny' && hasPerson(io)) return answerOnTerminal
  return approvals === 'wait' ? answerFromElsewhere : nobody
}

/** Events that nobody can read any more are not worth a model's time: the tree pauses. */
function stopWithoutReader(started: StartedRun, { stdout }: Io) {
  let first: Error | undefined
  const onError = (error: Error) => {
    first ??= outputError(error)
    started.stop('leave')
  }
  stdout.on('error', onError)
  return { error: () => first, end: () => void stdout.off('error', onError) }
}

/** The first signal pauses the tree, the second cancels it; the program ends when it has stopped. */
function stopOnSignals(started: StartedRun, io: Io) {
  let first: EndSignal | undefined
  const end = io.onSignal((signal) => {
    started.stop(first ? stopOfNextSignal(signal) : stopOfSignal(signal))
    first ??= signal
  })
  return { first: () => first, end }
}

/** Said before anything is spent where this command names a budget; returns whether it was. */
async function printUnpricedModel(
  { runId }: StartedRun,
  { budgetUsd }: FollowFlags,
  { store, loaded }: Watched,
  io: Io,
): Promise<boolean> {
  const model = store.get('runs', runId)?.model ?? ''
  const hasProvider = model.includes('/') && !model.startsWith('scripted:')
  const isPriced = !hasProvider || modelInfo(model, loaded.config.prices).price !== null
  if (budgetUsd === undefined || isPriced) return false
  await writeStderr(io, unpricedLine(budgetUsd))
  return true
}

/** A budget in dollars holds at an assumed price for what has none. */
async function printUnpriced(
  { costUsd }: RunResult,
  { budgetUsd }: FollowFlags,
  { loaded }: Watched,
  io: Io,
): Promise<void> {
  const cap = budgetUsd ?? loaded.config.limits.budgetUsd
  if (costUsd === null && cap !== null) await writeStderr(io, unpricedLine(cap))
}

function unpricedLine(capUsd: number): string {
  return `offshoot: ${assumedCapText(capUsd)}; "prices" in the configuration sets the price\n`
}

/** The last line: after a signal also how the run has ended. */
async function printResume(
  started: StartedRun,
  result: RunResult,
  { store, signal }: { readonly store: Reader; readonly signal: EndSignal | undefined },
  io: Io,
): Promise<void> {
  const line = resumeLine(store, started, result) ?? (signal && result.status)
  if (line) await writeStderr(io, `offshoot: ${line}\n`)
}
