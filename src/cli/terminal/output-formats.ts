import { randomUUID } from 'node:crypto'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import type { OffshootEvent } from '../../core/events.ts'
import type { RunError } from '../../core/run.ts'
import { listIn, noReceipts } from '../../core/receipt.ts'
import { noUsage } from '../../core/usage.ts'
import { commandToContinue, isLeftBy } from '../../core/status-line/paused-below.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { modeInForce } from '../../runtime/authority/mode.ts'
import { maskEvent } from '../../core/secrets/mask-event.ts'
import { Follow } from '../../runtime/log/follow.ts'
import { leftPausedIn } from '../../runtime/views/left-paused.ts'
import { readRunResult, toPausedSubagent, type RunResult } from '../../runtime/views/run-result.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import type { Reader, Store } from '../../store/port.ts'
import { cleanApproval, writeStderr, useMask, write, writeRaw, type Io } from '../io.ts'
import { jsonLine } from './json-line.ts'
import { agentIcons } from './progress/agent-icons.ts'
import type { createLiveAnswer } from './answer/live-answer.ts'
import { createProgress } from './progress/progress.ts'
import { resultDocument } from './result-document.ts'
import { createStreamJson, type StreamJson } from '../stream-json/stream-json.ts'
import { version } from '../version.ts'
import { pausedText } from './continue-text.ts'
import { unreadLine } from './unread-line.ts'
import type { Watched } from './watched-run.ts'

export const OUTPUT_FORMATS = ['text', 'json', 'stream-json', 'events'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

interface OutputFlags {
  readonly outputFormat: OutputFormat
  readonly rawOutput?: true
  /** What Ctrl-C does now. */
  readonly hint?: () => string
  /** Shows the texts of the run while they are written; absent where stdout is no terminal. */
  readonly liveAnswer?: typeof createLiveAnswer | undefined
  readonly verbose?: true
}

/** What a run shows while it lasts and when it has ended: data on stdout, everything else on stderr. */
export interface Output {
  /** Takes the live display away while somebody is asked something; the returned function brings it back. */
  pause(): () => void
  end(result: RunResult): Promise<void>
  /** For a run whose end could not be written: closes what has to be closed. @throws the error that it is given. */
  fail(error: unknown): Promise<never>
}

export function createOutput(flags: OutputFlags, started: StartedRun, composed: Watched, io: Io): Output {
  const { outputFormat: format, rawOutput, hint } = flags
  useMask(io, composed.secrets)
  const { conversationId, seqBefore } = started
  const streams = format === 'events' || format === 'stream-json'
  const progress = createProgress(io, {
    sharesTerminal: flags.verbose || (streams && io.stdout.isTTY),
    iconOf: agentIcons(composed.agents.list()),
    ...(hint ? { hint } : {}),
  })
  const answer = flags.liveAnswer?.(started.branchId, io, (write) => {
    const resume = progress.pause()
    write()
    resume()
  })
  const stream = format === 'stream-json' ? openStream(started, composed) : undefined
  // the events are masked; an approval among them shows what a shell would run
  const emit = (lines: readonly object[]) =>
    void io.stdout.write(cleanApproval(io, lines.map(jsonLine).join('')))
  const { isOurs = () => true, isOwn = () => true } = composed
  const show = (received: readonly OffshootEvent[]) => {
    const events = received.filter(isOurs).map((event) => maskEvent(event, composed.secrets))
    progress.notify(events.filter(isOwn))
    answer?.notify(events)
    if (format === 'events')
      emit((isBehind(io) ? events.filter((event) => event.sub === undefined) : events).map(withPaused))
    if (stream) emit(events.flatMap(stream.push))
  }
  const withPaused = (event: OffshootEvent) => endWithPaused(event, composed.store)
  if (stream) emit([stream.init()])
  const endFollowing = composed.follow(Follow.after(composed.store, conversationId, seqBefore), show)
  const close = () => {
    endFollowing()
    progress.end()
  }
  return {
    pause() {
      const resumes = [progress.pause(), answer?.pause()]
      return () => resumes.forEach((resume) => resume?.())
    },
    async end(result) {
      endFollowing()
      await answer?.end(result.text)
      close()
      await writeStderr(io, closingLines(result, composed.store))
      if (format === 'text' && !answer) await (rawOutput ? writeRaw : write)(io, answerText(result))
      if (format === 'json') await write(io, jsonLine(resultDocument(result)))
      if (stream) await write(io, jsonLine(stream.end(result)))
    },
    async fail(error) {
      endFollowing()
      await answer?.end('')
      close()
      if (format === 'json') emit([resultDocument(unfinished(started, composed, error))])
      if (stream) emit([stream.end(unfinished(started, composed, error))])
      throw error
    },
  }
}

/** A subagent that pauses has the command that goes on with it. The end of a run names the subagents that nobody continues by themselves, with the command that does. */
function endWithPaused(event: OffshootEvent, store: Store): object {
  if (event.type === 'run.paused' && event.depth > 0 && event.branchId !== null)
    return { ...event, command: commandToContinue(event.branchId) }
  const isEnd = event.type === 'run.completed' || event.type === 'run.failed'
  const branch = isEnd && event.branchId !== null ? store.get('branches', event.branchId) : undefined
  const paused = branch && event.runId !== null ? leftPausedIn(store, branch, event.runId) : []
  if (paused.length === 0) return event
  const command = ({ branchId }: { readonly branchId: string }) => commandToContinue(branchId)
  return {
    ...event,
    pausedSubagents: paused.map((run) => ({ ...toPausedSubagent(run), command: command(run) })),
  }
}

/** A slow reader loses live events, never stored ones. */
function isBehind({ stdout }: Io): boolean {
  return stdout.writableLength > MAX_BEHIND_BYTES
}

const MAX_BEHIND_BYTES = 4 * 1024 * 1024

function openStream(started: StartedRun, { store, workspace, agents, mode }: Watched): StreamJson {
  const { conversationId, runId, tools } = started
  return createStreamJson({
    conversationId,
    tools,
    mode: modeInForce(store, conversationId, mode),
    directory: workspace.root,
    model: store.get('runs', runId)!.model,
    agents: agents.list().flatMap(({ name }) => (name === 'main' ? [] : [name])),
    version: version(),
    newUuid: randomUUID,
    message: (id) => store.get('messages', id),
  })
}

/** What is known of a run whose end the store did not take. */
function unfinished(started: StartedRun, { store }: Watched, cause: unknown): RunResult {
  const { code, hint } = cause instanceof OffshootError ? cause : { code: 'internal', hint: undefined }
  const error: RunError = { code, message: errorMessage(cause), ...(hint ? { hint } : {}) }
  const ended = { status: 'failed', reason: null, endReason: 'error', finishReason: null } as const
  return { ...knownOf(started, store), ...ended, error }
}

/** Nothing, if somebody has deleted it meanwhile, or the store cannot be read either. */
function knownOf(started: StartedRun, store: Store) {
  try {
    return store.get('runs', started.runId) ? readRunResult(store, started.runId) : nothing(started)
  } catch {
    return nothing(started)
  }
}

function nothing({ conversationId, branchId, runId }: StartedRun) {
  const figures = { turns: 0, toolCalls: 0, usage: noUsage, costUsd: 0, durationMs: 0 }
  const lists = { subagents: [], pausedSubagents: [], denials: [], receipts: noReceipts }
  return { conversationId, branchId, runId, text: '', note: null, ...lists, ...figures }
}

function answerText({ text }: RunResult): string {
  if (text === '') return ''
  return `${text.replace(/\n+$/, '')}\n`
}

/** What nobody continues by itself. */
function pausedLines({ pausedSubagents, ...run }: RunResult, store: Reader): string[] {
  const left = pausedSubagents.filter((each) => isLeftBy(run, each))
  return left.map((each) => `offshoot: ${pausedText(store, each)}`)
}

const UNATTENDED_HINT =
  'nobody could answer: allow such calls with offshoot run --allow RULE or --mode MODE; or pass --approvals wait, and answer from another terminal with offshoot approve ID'

/** What the sandbox refused to the commands of the run and its subagents. */
function refusedLines({ receipts, subagents, conversationId }: RunResult): string[] {
  const connections = [receipts, ...subagents.map((each) => each.receipts)].flatMap((each) =>
    listIn(each, 'connections'),
  )
  const refused = connections.filter(({ allowed }) => !allowed).map(({ host, port }) => `${host}:${port}`)
  if (refused.length === 0) return []
  return [
    `refused by the sandbox: ${[...new Set(refused)].join(', ')}`,
    `  offshoot show ${conversationId} --tools says why; sandbox.network in the configuration lists the hosts that commands reach`,
  ]
}

function closingLines(result: RunResult, store: Reader): string {
  const unread = unreadLine(store, result)
  const { status, reason, note, error, denials } = result
  const lines = denials.map(({ agent, title, detail }) => `denied: ${agent}: ${title}: ${detail}`)
  if (denials.length > 0) lines.push(`  ${UNATTENDED_HINT}`)
  lines.push(...refusedLines(result))
  if (error) lines.push(`offshoot: ${error.message}`, ...(error.hint ? [`  ${error.hint}`] : []))
  if (note) lines.push(`offshoot: ${note}`)
  if ((status === 'paused' || status === 'waiting') && reason) lines.push(`offshoot: ${status} (${reason})`)
  lines.push(...pausedLines(result, store))
  if (unread !== undefined) lines.push(`offshoot: ${unread}`)
  return lines.map((line) => `${line.startsWith('  ') ? '  ' : ''}${terminalLine(line)}\n`).join('')
}
