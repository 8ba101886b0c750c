import { Option, type Command } from 'commander'
import { unreachable } from '../../core/errors.ts'
import type { Branch } from '../../core/conversation.ts'
import { finishOfRun } from '../../core/finish-reason.ts'
import type { StoredRun } from '../../core/run.ts'
import { terminalLine, terminalText } from '../../core/terminal-text.ts'
import { turnsText } from '../../core/turn-figures.ts'
import { receiptLines } from '../../core/receipt-lines.ts'
import { readReceipts, receiptsBeside } from '../../runtime/run/receipts.ts'
import { withCountedCalls } from '../../runtime/views/counted-calls.ts'
import { leftPausedIn } from '../../runtime/views/left-paused.ts'
import { toPausedSubagent } from '../../runtime/views/run-result.ts'
import { commandToContinue } from '../../core/status-line/paused-below.ts'
import { readMessages } from '../../runtime/run/messages.ts'
import { reportText } from '../../runtime/log/stored-events.ts'
import { loadProject } from '../../project/project.ts'
import { statusLine } from '../../core/status-line/status-line.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { statusLinesOf } from '../../runtime/views/status-lines.ts'
import type { Reader, Store } from '../../store/port.ts'
import { livingOwners } from '../remote/living-owner.ts'
import { statusText, verbText } from '../terminal/status-text.ts'
import {
  branchLines,
  costText,
  readBranchTree,
  toolsText,
  type BranchLineStyle,
  type BranchNode,
  type Icons,
} from '../terminal/branch-tree.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { idOf } from '../typed-id.ts'
import { readDelegations } from '../../runtime/authority/delegations.ts'
import type { ResolvedId } from '../../runtime/views/resolve-id.ts'
import { requireSubject } from '../unknown-id.ts'
import { delegationText } from '../terminal/rule-text.ts'
import { factLines, hangingLines, outputColumns } from '../terminal/hanging-lines.ts'
import { transcriptFactsIn } from '../terminal/transcript-facts.ts'
import { transcriptLines, type TranscriptDetail } from '../terminal/transcript-lines.ts'

interface ShowFlags extends TranscriptDetail {
  readonly json?: true
  readonly messages?: true
}

export function showCommand(program: Command, io: Io): void {
  program
    .command('show')
    .description('show a conversation, branch or run as a tree, with status, turns and cost')
    .argument(
      '<id>',
      'id of a conversation, branch or run, a unique prefix, or a number of ls; last: the latest here',
    )
    .option('--messages', 'print the messages of each branch too')
    .addOption(new Option('--ids', 'print the messages with their ids').conflicts('json'))
    .addOption(
      new Option('--tools', 'print the messages with inputs and results of tool calls').conflicts('json'),
    )
    .option('--json', 'print one JSON object, messages included')
    .action(async (id: string, { json, messages, ...detail }: ShowFlags) => {
      await using store = await openStore(io)
      const subject = requireSubject(store, idOf(store, id, io))
      if (json) return await write(io, jsonLine(subjectDocument(store, subject, linesOf(store, subject))))
      const style = await styleOf(store, subject, io)
      const isSaid = messages ?? detail.ids ?? detail.tools
      const said = isSaid ? messageLines(store, subject, style, detail) : []
      const drawn = [...tree(store, subject, style), ...receiptsBelow(store, subject, style)]
      const lines = [...head(store, subject, style), ...drawn, ...said]
      await write(io, lines.map((line) => `${line}\n`).join(''))
    })
}

function linesOf(store: Store, { conversation: { id } }: ResolvedId): StatusLines {
  return statusLinesOf(store, id, livingOwners(store)(id) !== undefined)
}

type StatusLines = ReturnType<typeof statusLinesOf>

/** The latest run of a branch has the status line of the branch. */
function subjectDocument(store: Reader, subject: ResolvedId, lines: StatusLines): object {
  const shown = (run: StoredRun) => ({
    ...withCountedCalls(store, run),
    statusLine: lines.get(run.id) ?? null,
  })
  switch (subject.type) {
    case 'conversation': {
      const { conversation } = subject
      const nodes = readBranchTree(store, { conversationId: conversation.id })
      const branches = nodes.map(({ branch }) => withMessages(store, branch))
      return { ...conversation, branches, runs: nodes.flatMap(({ runs }) => runs.map(shown)) }
    }
    case 'branch': {
      const runs = store.find('runs', { where: { branchId: subject.branch.id }, orderBy: 'id' })
      return { ...withMessages(store, subject.branch), runs: runs.map(shown) }
    }
    case 'run': {
      const calls = store.find('tool_calls', { where: { runId: subject.run.id }, orderBy: 'id' })
      const pausedSubagents = pausedOf(store, subject.branch, subject.run.id)
      return { ...shown(subject.run), report: reportOf(store, subject.run), calls, pausedSubagents }
    }
    default:
      return unreachable(subject)
  }
}

function withMessages(store: Reader, branch: Branch): object {
  return { ...branch, messages: readMessages(store, branch.id), pausedSubagents: pausedOf(store, branch) }
}

/** What nobody continues by itself, with the command that does. */
function pausedOf(store: Reader, branch: Branch, runId?: StoredRun['id']): object[] {
  return leftPausedIn(store, branch, runId).map((run) => ({
    ...toPausedSubagent(run),
    command: commandToContinue(run.branchId),
  }))
}

function reportOf(store: Reader, run: StoredRun): string | null {
  return run.reportMessageId && reportText(store, run)
}

async function styleOf(store: Store, subject: ResolvedId, io: Io): Promise<BranchLineStyle> {
  const icons = await iconsIn(subject.conversation.directory, io)
  const lines = linesOf(store, subject)
  return { store, icons, lines, now: systemClock.now(), columns: outputColumns(io) }
}

function head(store: Reader, subject: ResolvedId, style: BranchLineStyle): string[] {
  const { id, title, directory } = subject.conversation
  const { columns } = style
  const lines = [
    ...hangingLines(terminalLine(title), columns),
    ...factLines([id, terminalLine(directory)], columns, MARGINS),
    '',
  ]
  if (subject.type === 'run')
    return [...lines, ...runLines(store, withCountedCalls(store, subject.run), style), '']
  const delegated = subject.type === 'branch' ? delegationText(readDelegations(store, subject.branch.id)) : []
  if (delegated.length === 0) return lines
  return [...lines, ...delegated.flatMap((line) => hangingLines(line, columns)), '']
}

const MARGINS = { first: '', rest: '    ' }

/** The figures are those of this run alone. */
function runLines(store: Reader, run: StoredRun, { lines, now, columns }: BranchLineStyle): string[] {
  const { usage } = run
  const line = lines.get(run.id) ?? statusLine({ ...run, queuePosition: null })
  const facts = [
    statusText(line, run, now),
    turnsText([run]),
    toolsText(run.toolCalls),
    `${usage.input} tokens in, ${usage.output} out`,
    ...costText(run.costUsd),
    ...(lines.has(run.id) ? verbText(line, store) : []),
  ]
  const report = reportOf(store, run)
  const finish = finishOfRun(run)
  const receipts = receiptsBeside(store, run)
  const below = [
    ...delegationText(readDelegations(store, run.branchId)),
    ...(finish ? [`its last answer ended with: ${finish}`] : []),
    ...(run.error ? [`error: ${terminalLine(run.error.message)}`] : []),
    ...(run.reportNote ? [terminalLine(run.reportNote)] : []),
    ...(receipts ? receiptLines(receipts) : []),
  ]
  const said = report ? ['', ...terminalText(report).trimEnd().split('\n')] : []
  return [
    ...factLines([terminalLine(run.agent), terminalLine(run.model), run.id], columns, MARGINS),
    ...factLines(facts, columns, MARGINS),
    ...below.flatMap((line) => hangingLines(line, columns)),
    ...said.flatMap((line) => hangingLines(line, columns, 0)),
  ]
}

/** The icons of the agents of a directory, as it is now. A directory that cannot be read has none: what was done is shown. */
async function iconsIn(directory: string, { env }: Io): Promise<Icons> {
  const project = await loadProject(directory, env).catch(() => undefined)
  const agents = project?.agents.list() ?? []
  return new Map(agents.flatMap(({ name, icon }) => (icon === undefined ? [] : [[name, icon]])))
}

function nodesOf(store: Store, subject: ResolvedId): BranchNode[] {
  const root = subject.type === 'conversation' ? undefined : subject.branch.id
  return readBranchTree(store, { conversationId: subject.conversation.id }, root)
}

function tree(store: Store, subject: ResolvedId, style: BranchLineStyle): string[] {
  return nodesOf(store, subject).flatMap((node) => branchLines(node, style))
}

/** Those of all runs of the tree; a run has its own beside its report. */
function receiptsBelow(store: Store, subject: ResolvedId, { columns }: BranchLineStyle): string[] {
  if (subject.type === 'run') return []
  const runIds = nodesOf(store, subject).flatMap(({ runs }) => runs.map(({ id }) => id))
  const lines = receiptLines(readReceipts(store, runIds))
  return lines.length === 0 ? [] : ['', ...lines.flatMap((line) => hangingLines(line, columns))]
}

/** What was said on each branch. */
function messageLines(
  store: Store,
  subject: ResolvedId,
  style: BranchLineStyle,
  detail: TranscriptDetail,
): string[] {
  const isDriven = livingOwners(store)(subject.conversation.id) !== undefined
  return nodesOf(store, subject).flatMap((node) => [
    '',
    ...branchLines({ ...node, depth: 0 }, style, '── '),
    ...transcriptLines(readMessages(store, node.branch.id), {
      ...transcriptFactsIn(store, node.branch, isDriven),
      ...detail,
    })
      .flatMap((entry) => entry.split('\n'))
      .flatMap((line) => hangingLines(line, style.columns)),
  ])
}
