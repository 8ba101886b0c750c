import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import type { Branch } from '../../core/conversation.ts'
import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { Message } from '../../core/message.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StoredRun } from '../../core/run.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { readMessages } from '../../runtime/run/messages.ts'
import { Ownership } from '../../runtime/ownership/leases.ts'
import { untilChange } from '../../runtime/ownership/watch-store.ts'
import type { Reader, Store } from '../../store/port.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { idOf } from '../typed-id.ts'
import { leftPausedIn, openBelow } from '../../runtime/views/left-paused.ts'
import { pausedText } from '../terminal/continue-text.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { commandFor, listedAsks } from '../terminal/open-asks.ts'
import { livingOwners } from '../remote/living-owner.ts'
import { requireSubject } from '../unknown-id.ts'
import { resolveId, type ResolvedId } from '../../runtime/views/resolve-id.ts'
import { statusLinesOf } from '../../runtime/views/status-lines.ts'
import { hangingLines, outputColumns } from '../terminal/hanging-lines.ts'
import { statusText, verbText } from '../terminal/status-text.ts'
import { transcriptFactsIn } from '../terminal/transcript-facts.ts'
import { transcriptLines, type TranscriptDetail } from '../terminal/transcript-lines.ts'

interface LogFlags extends TranscriptDetail {
  readonly follow?: true
}

export function logCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('log')
    .description('print the transcript of a run or branch')
    .argument(
      '<id>',
      'id of a run, branch or conversation (its main branch), or a number of ls; last: the latest conversation here',
    )
    .option('-f, --follow', 'keep printing until the run stops')
    .option('--ids', 'print the id of each message')
    .option('--tools', 'print inputs and results of tool calls in full')
    .action(async (typed: string, { follow, ...detail }: LogFlags) => {
      await using store = await openStore(io)
      const id = idOf(store, typed, io)
      requireSubject(store, id)
      if (follow) return setExitCode(await followRun(store, { id, ...detail }, io))
      const text =
        textOf(store, { id, ...detail }, messagesOf(store, id)) +
        endText(store, id, linesText(askedLines(store, id)))
      await write(io, fitted(text, io))
    })
}

interface Shown extends TranscriptDetail {
  /** Of a run, branch or conversation. */
  readonly id: string
}

const OWNER_MS = 1_000

/**
 * Prints each message as soon as it is whole. It reads the rows and follows no events: it prints what `log` prints of the
 * same rows, and a message that is whole in them needs no order of events. Ends when the run has stopped, or when no
 * process drives it any more.
 */
async function followRun(store: Store, shown: Shown, io: Io): Promise<number> {
  const { id } = shown
  const ownership = new Ownership({ store, clock: systemClock, owner: randomUUID() })
  const newAsks = printedOnce(() => askedLines(store, id))
  for (let printed = 0; ;) {
    const version = store.dataVersion()
    const run = latestRun(store, id) // looked at first: what it wrote before it stopped is printed
    const whole = wholeOnes(messagesOf(store, id))
    await write(io, fitted(textOf(store, shown, whole.slice(printed)), io))
    printed = whole.length
    if (!run || isStopped(run.status)) {
      await write(io, fitted(endText(store, id, newAsks()), io))
      return exitCodes.completed
    }
    if (!ownership.livingOwner(run.conversationId)) {
      const now = latestRun(store, id)
      if (now && isStopped(now.status)) continue // since it was looked at: its owner had done its work
      await write(io, fitted(endText(store, id, newAsks()), io))
      await writeStderr(io, 'offshoot: its process has died; offshoot recover resumes it\n')
      return exitCodes.failed
    }
    await write(io, fitted(newAsks(), io))
    await untilChange(store, systemClock, version, OWNER_MS)
  }
}

/** What comes behind a message that is being written is printed after it. */
function wholeOnes(messages: readonly Message[]): readonly Message[] {
  const open = messages.findIndex((message) => message.state === 'streaming')
  return open < 0 ? messages : messages.slice(0, open)
}

function latestRun(store: Reader, id: string): StoredRun | undefined {
  const subject = resolveId(store, id)
  if (subject.type === 'run') return subject.run
  const branchId = subject.type === 'branch' ? subject.branch.id : mainBranch(store, subject.conversation.id)
  return store.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]
}

function messagesOf(store: Reader, id: string): readonly Message[] {
  const subject = resolveId(store, id)
  if (subject.type === 'branch') return readMessages(store, subject.branch.id)
  if (subject.type === 'run') return messagesOfRun(readMessages(store, subject.branch.id), subject.run.id)
  return readMessages(store, mainBranch(store, subject.conversation.id))
}

function mainBranch(store: Reader, conversationId: ConversationId): BranchId {
  return store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]!.id
}

/** What the run wrote, and what a person wrote to it: right before, and in between. */
function messagesOfRun(messages: readonly Message[], runId: string): readonly Message[] {
  const first = messages.findIndex((message) => message.runId === runId)
  const last = messages.findLastIndex((message) => message.runId === runId)
  if (first === -1) return []
  let start = first
  while (start > 0 && messages[start - 1]!.runId === null) start--
  return messages.slice(start, last + 1)
}

/** The subagents that nobody continues by themselves, and those whose process has exited, with the command that helps. */
function leftText(store: Store, id: string): string {
  const subject = resolveId(store, id)
  const { id: conversationId } = subject.conversation
  const branch = subject.type === 'conversation' ? mainBranch(store, conversationId) : subject.branch.id
  const where = [{ id: branch, conversationId }, subject.type === 'run' ? subject.run.id : undefined] as const
  const open = openBelow(store, ...where)
  const isBehind = open.length > 0 && livingOwners(store)(conversationId) === undefined
  const lines = [
    ...leftPausedIn(store, ...where).map((run) => pausedText(store, run)),
    ...(isBehind ? open.map(behindWords) : []),
  ]
  return lines.map((line) => `  ∙ ${terminalLine(line)}\n`).join('')
}

/** What a reader has to know below the last message: that it has stopped and how to continue it, and what is left below. */
function endText(store: Store, id: string, asked: string): string {
  return statusOfEnd(store, id) + leftText(store, id) + asked
}

/** What this run and the subagents below it ask of a person, with the command that answers it. Nothing if no process drives them. */
function askedLines(store: Store, id: string): string[] {
  const subject = resolveId(store, id)
  const run = latestRun(store, id)
  if (!run || livingOwners(store)(run.conversationId) === undefined) return []
  const below = openBelow(store, branchOf(store, subject), subject.type === 'run' ? run.id : undefined)
  return listedAsks(store, run.conversationId).flatMap((ask) => {
    const asker = [run, ...below].find((each) => each.id === ask.runId)
    if (!asker) return []
    const who = asker === run ? '' : `subagent ${asker.agent} (${asker.description}): `
    return [`  ∙ ${terminalLine(`${who}Waiting for you: ${ask.title}: ${commandFor(ask)}`)}`]
  })
}

/** Of lines that are read again and again, the ones that are new. */
function printedOnce(lines: () => readonly string[]): () => string {
  const printed = new Set<string>()
  return () => {
    const fresh = lines().filter((line) => !printed.has(line))
    for (const line of fresh) printed.add(line)
    return linesText(fresh)
  }
}

/** Nothing of an older run of the branch, of one that works, and of one that is done. */
function statusOfEnd(store: Store, id: string): string {
  const subject = resolveId(store, id)
  const run = latestRun(store, branchOf(store, subject).id)
  if (!run || (subject.type === 'run' && subject.run.id !== run.id)) return ''
  const isDriven = livingOwners(store)(run.conversationId) !== undefined
  if (run.status === 'completed' || (isDriven && !isStopped(run.status))) return ''
  const line = statusLinesOf(store, run.conversationId, isDriven).get(run.id)!
  const words = [statusText(line, run, systemClock.now()), ...verbText(line, store)].join(': ')
  return `  ∙ ${words}\n`
}

function behindWords({ agent, description, status }: StoredRun): string {
  return `subagent ${agent} (${description}) is left behind, ${status}: offshoot recover`
}

function textOf(store: Store, { id, ...detail }: Shown, messages: readonly Message[]): string {
  const branch = branchOf(store, resolveId(store, id))
  const isDriven = livingOwners(store)(branch.conversationId) !== undefined
  const facts = { ...transcriptFactsIn(store, branch, isDriven), ...detail }
  return linesText(transcriptLines(messages, facts))
}

function branchOf(store: Reader, subject: ResolvedId): Branch {
  if (subject.type !== 'conversation') return subject.branch
  return store.get('branches', mainBranch(store, subject.conversation.id))!
}

/** Within the columns of a terminal. */
function fitted(text: string, io: Io): string {
  const columns = outputColumns(io)
  if (columns === Infinity) return text
  return text
    .split('\n')
    .flatMap((line) => hangingLines(line, columns))
    .join('\n')
}

function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
