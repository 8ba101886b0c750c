import type { Command } from 'commander'
import { resolve } from 'node:path'
import type { Conversation } from '../../core/conversation.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StoredRun } from '../../core/run.ts'
import { statusLine } from '../../core/status-line/status-line.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { leftBelow } from '../../runtime/views/status-lines.ts'
import type { Reader, Store } from '../../store/port.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { stateText } from '../terminal/branch-tree.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { livingOwners } from '../remote/living-owner.ts'

interface LsFlags {
  readonly directory?: string
  readonly json?: true
}

export function lsCommand(program: Command, io: Io): void {
  program
    .command('ls')
    .description('list the conversations, the latest first')
    .option('-C, --directory <dir>', 'only those that work on this directory')
    .option('--json', 'one JSON array')
    .action(async ({ directory, json }: LsFlags) => {
      await using store = await openStore(io)
      const where =
        directory === undefined ? {} : { directory: createWorkspace(resolve(io.cwd, directory)).root }
      const found = store
        .find('conversations', { where, orderBy: 'updatedAt', descending: true })
        .map((conversation) => stateOf(store, conversation))
      if (json) return await write(io, jsonLine(found.map(entry)))
      await write(io, found.map(line).join(''))
    })
}

interface Found {
  readonly conversation: Conversation
  /** The last one on the main branch. */
  readonly run: StoredRun | undefined
  /** Its process has exited: the status line that says so. */
  readonly abandoned: string | null
  /** What still works or is paused below a run that has stopped: `1 subagent paused`. */
  readonly left: string | null
}

function stateOf(store: Store, conversation: Conversation): Found {
  const run = lastRun(store, conversation)
  const found = { conversation, run, abandoned: null, left: null }
  if (!run || !hasOpenRuns(store, conversation)) return found
  const isDriven = livingOwners(store)(conversation.id) !== undefined
  if (!isStopped(run.status)) return isDriven ? found : { ...found, abandoned: abandonedWords(run) }
  return { ...found, left: leftBelow(store, run, isDriven) }
}

/** Most conversations have nothing left: of those no more is read. */
function hasOpenRuns(store: Reader, { id: conversationId }: Conversation): boolean {
  const open = ['queued', 'running', 'waiting', 'paused'] as const
  return open.some((status) => store.count('runs', { conversationId, status }) > 0)
}

function abandonedWords(run: StoredRun): string {
  const { state, detail } = statusLine({ ...run, queuePosition: null }, { isDriven: false })
  return `${state}: ${detail}`
}

function lastRun(store: Reader, { id: conversationId }: Conversation): StoredRun | undefined {
  const main = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]
  if (!main) return undefined
  return store.find('runs', { where: { branchId: main.id }, orderBy: 'id', descending: true, limit: 1 })[0]
}

function entry({ conversation, run, abandoned, left }: Found): object {
  const { status = null, reason = null } = run ?? {}
  return { ...conversation, status, reason, left: abandoned ?? left }
}

/** As many as a conversation that began here has at most. */
const TITLE_CHARS = 80

function line({ conversation, run, abandoned, left }: Found): string {
  const { id, updatedAt, title, directory } = conversation
  const updated = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  const state = abandoned ?? (run ? [stateText(run), ...(left === null ? [] : [left])].join(': ') : '-')
  return `${id}  ${updated}  ${state.padEnd(10)}  ${terminalLine(title.slice(0, TITLE_CHARS))}  ${terminalLine(directory)}\n`
}
