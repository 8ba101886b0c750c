import { agoWords } from '../../client/format-figures.ts'
import type { Conversation } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { systemClock } from '../../exec/system-clock.ts'
import type { Store } from '../../store/port.ts'
import { hasPerson } from '../person-only-commands.ts'
import { writeStderr, type Io } from '../io.ts'
import { shortId } from '../typed-id.ts'
import { listedConversation, conversationState } from './conversation-state.ts'
import { tableLines, type TableColumn } from '../terminal/table.ts'
import { dropTyped, readLines } from '../terminal/terminal-lines.ts'

/** As many as one key can name. */
const LISTED = 9

/**
 * Lets a person pick one of the latest conversations, those of a directory first. Without a person it prints the list.
 * @throws OffshootError `usage` where there is none, where none is picked, and where nobody can pick.
 */
export async function pickConversation(store: Store, root: string, io: Io): Promise<Conversation> {
  const found = latestFor(store, root)
  if (found.length === 0)
    throw new OffshootError('usage', 'there is no conversation to resume yet', {
      hint: 'leave out --resume: offshoot "what to do"',
    })
  const columns = io.stderr.isTTY ? io.stderr.columns || 80 : Infinity
  if (!hasPerson(io)) {
    const ids = found.map(({ id }) => shortId(store, id))
    await writeStderr(io, conversationList(store, found, { root, columns, names: ids }))
    throw new OffshootError('usage', '--resume needs an id: there is no terminal to pick a conversation on', {
      hint: `offshoot --resume ${ids[0]} "what to do next"; --continue takes the latest of this directory`,
    })
  }
  const numbers = found.map((_, at) => String(at + 1))
  await writeStderr(io, conversationList(store, found, { root, columns, names: numbers }))
  const typed = (await askLine('Resume which conversation? [1] ', io)) || '1'
  const picked = /^\d+$/.test(typed) ? found[Number(typed) - 1] : undefined
  if (picked) return picked
  throw new OffshootError('usage', `${JSON.stringify(typed)} is not a number from 1 to ${found.length}`, {
    hint: 'offshoot ls lists all conversations with their ids',
  })
}

/** Asks a person for the text of a message; an empty line is none. */
export async function askMessage({ title }: Pick<Conversation, 'title'>, io: Io): Promise<string> {
  return await askLine(`Message to "${terminalLine(title)}": `, io)
}

function latestFor(store: Store, root: string): readonly Conversation[] {
  const latest = { orderBy: 'updatedAt', descending: true, limit: LISTED } as const
  const here = store.find('conversations', { where: { directory: root }, ...latest })
  const elsewhere = store.find('conversations', latest).filter(({ directory }) => directory !== root)
  return [...here, ...elsewhere].slice(0, LISTED)
}

interface ListPlace {
  readonly root: string
  readonly columns: number
  /** What each one is picked by: its number, or its id. */
  readonly names: readonly string[]
}

function conversationList(
  store: Store,
  found: readonly Conversation[],
  { root, columns, names }: ListPlace,
): string {
  const now = systemClock.now()
  const isElsewhere = found.some(({ directory }) => directory !== root)
  const rows = found.map((conversation, at) => {
    const { title, updatedAt, directory } = conversation
    const listed = listedConversation(store, conversation)
    const cells = [
      names[at]!,
      title,
      agoWords(updatedAt, now),
      conversationState(listed),
      listed.run?.agent ?? '-',
    ]
    return { cells: isElsewhere ? [...cells, directory === root ? '' : directory] : cells }
  })
  const columnsShown = isElsewhere ? COLUMNS : COLUMNS.slice(0, -1)
  return tableLines(columnsShown, rows, columns)
    .map((line) => `${line}\n`)
    .join('')
}

const COLUMNS: readonly TableColumn[] = [
  { title: '' },
  { title: 'TITLE', isFlexible: true },
  { title: 'AGE' },
  { title: 'STATE', isFlexible: true },
  { title: 'AGENT', isFlexible: true },
  { title: 'DIRECTORY', isFlexible: true },
]

async function askLine(question: string, io: Io): Promise<string> {
  await dropTyped(io)
  const lines = readLines(io)
  try {
    return (await lines.next(question, new AbortController().signal))?.trim() ?? ''
  } finally {
    lines.close()
  }
}
