import type { Command } from 'commander'
import { resolve } from 'node:path'
import type { Conversation } from '../../core/conversation.ts'
import { cutText } from '../../core/cut-text.ts'
import { isStopped } from '../../core/run-status.ts'
import type { StoredRun } from '../../core/run.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { TITLE_CHARS } from '../../runtime/conversation/open-conversation.ts'
import { leftBelow } from '../../runtime/views/left-below.ts'
import type { Reader, Store } from '../../store/port.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { stateText } from '../terminal/branch-tree.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { shortId } from '../typed-id.ts'
import { addListOptions, isFound, limited, type ListFlags } from '../terminal/list-options.ts'
import { tableLines, type TableColumn } from '../terminal/table.ts'
import { livingOwners } from '../remote/living-owner.ts'

interface LsFlags extends ListFlags {
  readonly directory?: string
  readonly json?: true
}

export function lsCommand(program: Command, io: Io): void {
  addListOptions(program.command('ls'), 'title or id')
    .description('list the conversations, the latest first')
    .option('-C, --directory <dir>', 'only those that work on this directory')
    .option('--json', 'one JSON array')
    .action(async ({ directory, json, ...flags }: LsFlags) => {
      await using store = await openStore(io)
      const where =
        directory === undefined ? {} : { directory: createWorkspace(resolve(io.cwd, directory)).root }
      const found = store
        .find('conversations', { where, orderBy: 'updatedAt', descending: true })
        .filter(({ id, title }) => isFound(flags, [id, title]))
        .map((conversation) => stateOf(store, conversation))
        .filter(({ run }) => flags.status === undefined || run?.status === flags.status)
      const shown = await limited(found, json ? { limit: found.length, ...flags } : flags, io)
      if (json) return await write(io, jsonLine(shown.map(entry)))
      if (!io.stdout.isTTY) return await write(io, shown.map(line).join(''))
      await write(io, shown.length === 0 ? '' : terminalTable(store, shown, io))
    })
}

interface Found {
  readonly conversation: Conversation
  /** The last one on the main branch. */
  readonly run: StoredRun | undefined
  /** What still works or is paused below it; of what its process has left behind, that it has exited. */
  readonly left: string | null
}

function stateOf(store: Store, conversation: Conversation): Found {
  const run = lastRun(store, conversation)
  const owners = livingOwners(store)
  return { conversation, run, left: leftBelow(store, run, (id) => owners(id) !== undefined) }
}

function lastRun(store: Reader, { id: conversationId }: Conversation): StoredRun | undefined {
  const main = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]
  if (!main) return undefined
  return store.find('runs', { where: { branchId: main.id }, orderBy: 'id', descending: true, limit: 1 })[0]
}

function entry({ conversation, run, left }: Found): object {
  const { status = null, reason = null } = run ?? {}
  return { ...conversation, status, reason, left }
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'ID' },
  { title: 'CHANGED (UTC)' },
  { title: 'STATE', isFlexible: true },
  { title: 'TITLE', isFlexible: true },
  { title: 'DIRECTORY', isFlexible: true },
]

function terminalTable(store: Reader, found: readonly Found[], { stdout }: Io): string {
  const rows = found.map((each) => ({ cells: [shortId(store, each.conversation.id), ...cells(each)] }))
  return tableLines(COLUMNS, rows, stdout.columns || 80)
    .map((each) => `${each}\n`)
    .join('')
}

/** Of a conversation, behind its id. */
function cells({ conversation, run, left }: Found): readonly [string, string, string, string] {
  const { updatedAt, title, directory } = conversation
  const updated = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  return [updated, run ? stateWords(run, left) : '-', cutText(title, TITLE_CHARS), directory]
}

function line(found: Found): string {
  const [updated, state, title, directory] = cells(found)
  return `${found.conversation.id}  ${updated}  ${state.padEnd(10)}  ${terminalLine(title)}  ${terminalLine(directory)}\n`
}

function stateWords(run: StoredRun, left: string | null): string {
  if (left === null) return stateText(run)
  return isStopped(run.status) ? `${stateText(run)}: ${left}` : left
}
