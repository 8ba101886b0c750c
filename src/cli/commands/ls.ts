import type { Command } from 'commander'
import { resolve } from 'node:path'
import { cutText } from '../../core/cut-text.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { TITLE_CHARS } from '../../runtime/conversation/open-conversation.ts'
import type { Reader } from '../../store/port.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { listedConversation, conversationState, type ListedConversation } from './conversation-state.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { shortId } from '../typed-id.ts'
import {
  addListOptions,
  FILTERED_HINT,
  isFiltered,
  isFound,
  limited,
  type ListFlags,
} from '../terminal/list-options.ts'
import { noteEmpty } from '../terminal/note-empty.ts'
import { outputColumns } from '../terminal/hanging-lines.ts'
import { areHere, tableLines, type TableColumn } from '../terminal/table.ts'

interface LsFlags extends ListFlags {
  readonly directory?: string
  readonly json?: true
}

export function lsCommand(program: Command, io: Io): void {
  addListOptions(program.command('ls'), 'title or id')
    .description('list the conversations, the latest first')
    .option('-C, --directory <dir>', 'list only conversations of this directory')
    .option('--json', 'print one JSON array')
    .action(async ({ directory, json, ...flags }: LsFlags) => {
      await using store = await openStore(io)
      const asked = directory === undefined ? undefined : createWorkspace(resolve(io.cwd, directory)).root
      const where = asked === undefined ? {} : { directory: asked }
      const found = store
        .find('conversations', { where, orderBy: 'updatedAt', descending: true })
        .filter(({ id, title }) => isFound(flags, [id, title]))
        .map((conversation) => listedConversation(store, conversation))
        .filter(({ run }) => flags.status === undefined || run?.status === flags.status)
      if (found.length === 0 && !json) return await noteNone(asked, flags, io)
      const shown = await limited(found, json ? { limit: found.length, ...flags } : flags, io)
      if (json) return await write(io, jsonLine(shown.map(entry)))
      if (!io.stdout.isTTY) return await write(io, shown.map(line).join(''))
      await write(io, terminalTable(store, shown, asked, io))
    })
}

async function noteNone(asked: string | undefined, flags: ListFlags, io: Io): Promise<void> {
  if (isFiltered(flags)) return await noteEmpty(io, 'no conversation matches', FILTERED_HINT)
  if (asked === undefined) return await noteEmpty(io, 'no conversations yet', 'offshoot "PROMPT" starts one')
  await noteEmpty(io, `no conversations in ${asked}`, 'offshoot ls lists those of every directory')
}

function entry({ conversation, run, left }: ListedConversation): object {
  const { status = null, reason = null } = run ?? {}
  return { ...conversation, status, reason, left }
}

const COLUMNS: readonly TableColumn[] = [
  { title: '#' },
  { title: 'ID' },
  { title: 'CHANGED (UTC)' },
  { title: 'STATE', isFlexible: true },
  { title: 'TITLE', isFlexible: true },
  { title: 'DIRECTORY', isFlexible: true },
]

/** Without the directory, if it is the asked or the current one in every row. */
function terminalTable(
  store: Reader,
  found: readonly ListedConversation[],
  asked: string | undefined,
  io: Io,
): string {
  const rows = found.map((each) => {
    const { id, number } = each.conversation
    return { cells: [`${number ?? ''}`, shortId(store, id), ...cells(each)] }
  })
  const directories = found.map(({ conversation }) => conversation.directory)
  const columns = asked !== undefined || areHere(directories, io) ? COLUMNS.slice(0, -1) : COLUMNS
  return tableLines(columns, rows, outputColumns(io))
    .map((each) => `${each}\n`)
    .join('')
}

/** Of a conversation, behind its id. */
function cells(found: ListedConversation): readonly [string, string, string, string] {
  const { updatedAt, title, directory } = found.conversation
  const updated = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  return [updated, conversationState(found), cutText(title, TITLE_CHARS), directory]
}

function line(found: ListedConversation): string {
  const [updated, state, title, directory] = cells(found)
  return `${found.conversation.id}  ${updated}  ${state.padEnd(10)}  ${terminalLine(title)}  ${terminalLine(directory)}\n`
}
