import { Option, type Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { authorWords } from '../../core/message.ts'
import { reportHeadline } from '../../core/report/report-words.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { waitingItems } from '../../runtime/run/inbox.ts'
import { branchOf } from '../../runtime/control/verb-scope.ts'
import type { InboxRow } from '../../store/port.ts'
import { write, type Io } from '../io.ts'
import { hangingLines, outputColumns } from '../terminal/hanging-lines.ts'
import { noteEmpty } from '../terminal/note-empty.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { openStore } from '../open-store.ts'
import { wholeId } from '../typed-id.ts'
import { performVerb, verbTarget, type VerbTarget } from '../remote/perform-verb.ts'

interface InboxFlags {
  readonly edit?: string
  readonly withdraw?: string
  readonly promote?: string
  readonly clear?: true
  readonly json?: true
}

const CHANGES = ['edit', 'withdraw', 'promote', 'clear'] as const

export function inboxCommand(program: Command, io: Io): void {
  program
    .command('inbox')
    .description('list messages that an agent has not read yet, and change them')
    .argument('<branch>', 'id of a branch, of a run on it, or of a conversation (its main branch)')
    .argument('[text]', 'the new text, for --edit')
    .addOption(changing('edit', '<item>', 'replace the text of a message'))
    .addOption(changing('withdraw', '<item>', 'withdraw a message'))
    .addOption(changing('promote', '<item>', 'let the agent read it at its next turn'))
    .addOption(changing('clear', '', 'withdraw every message that a person wrote'))
    .option('--json', 'print one JSON array')
    .action(async (typed: string, text: string | undefined, flags: InboxFlags) => {
      checkText(text, flags)
      const place = await verbTarget(io, typed)
      const done = await change(place, text ?? '', flags, io)
      if (flags.json || done === undefined) return await list(place, flags, io)
      await write(io, done)
    })
}

/** One of the options that exclude each other. */
function changing(name: (typeof CHANGES)[number], argument: string, about: string): Option {
  const others = CHANGES.filter((each) => each !== name)
  return new Option(`--${name} ${argument}`.trim(), about).conflicts(others)
}

function checkText(text: string | undefined, { edit }: InboxFlags): void {
  if (edit === undefined && text !== undefined)
    throw new OffshootError('usage', 'a text needs --edit ITEM', {
      hint: 'offshoot inbox BRANCH --edit ITEM "text"',
    })
  if (edit !== undefined && !text?.trim())
    throw new OffshootError('usage', 'there is no text', { hint: 'offshoot inbox BRANCH --edit ITEM "text"' })
}

/** What was done, in one line; undefined where nothing was asked for. */
async function change(
  place: VerbTarget,
  text: string,
  { edit, withdraw, promote, clear }: InboxFlags,
  io: Io,
): Promise<string | undefined> {
  const typed = edit ?? withdraw ?? promote
  if (typed !== undefined) {
    const item = await itemId(typed, io)
    if (edit !== undefined) return await editItem(place, { item, text }, io)
    return await moveItem(place, withdraw === undefined ? 'promote' : 'withdraw', item, io)
  }
  if (!clear) return undefined
  const { id, target } = place
  const { withdrawn, left } = await performVerb(io, id, { verb: 'inbox.clear', target, args: null })
  const stay = left > 0 ? `; ${left} ${left === 1 ? 'result stays' : 'results stay'}` : ''
  return `withdrawn: ${withdrawn}${stay}\n`
}

async function itemId(typed: string, io: Io): Promise<string> {
  await using store = await openStore(io)
  return wholeId(store, typed, ['inb'])
}

async function editItem(
  { id, target }: VerbTarget,
  args: { readonly item: string; readonly text: string },
  io: Io,
): Promise<string> {
  await performVerb(io, id, { verb: 'inbox.edit', target, args })
  return `edited: ${args.item}\n`
}

async function moveItem(
  { id, target }: VerbTarget,
  how: 'withdraw' | 'promote',
  item: string,
  io: Io,
): Promise<string> {
  await performVerb(io, id, { verb: `inbox.${how}`, target, args: { item } })
  return how === 'withdraw' ? `withdrawn: ${item}\n` : `promoted: ${item} is read at the next turn\n`
}

async function list({ id, target }: VerbTarget, { json }: InboxFlags, io: Io): Promise<void> {
  await using store = await openStore(io)
  const branch = branchOf(store, id, target)
  const items = waitingItems(store, branch)
  if (items.length === 0 && !json) return await noteEmpty(io, `no unread messages on ${branch}`, SEND_HINT)
  const lines = items.flatMap((item) => hangingLines(line(item), outputColumns(io)))
  await write(io, json ? jsonLine(items) : lines.map((each) => `${each}\n`).join(''))
}

const SEND_HINT =
  'offshoot steer ID "TEXT" sends one to an active run; offshoot continue ID "TEXT" to a stopped one'

const SHOWN_CHARS = 200

/** What a person did not write says who did. */
function wordsOf({ text, author = null, report }: Pick<InboxRow, 'text' | 'author' | 'report'>): string {
  if (report) return `${report.agent} ${reportHeadline(report, text)}`
  return author === null || author === 'person' ? text : `${authorWords(author)}: ${text}`
}

/** A message may be of a person or of an agent. */
const KINDS: Readonly<Record<InboxRow['kind'], string>> = { user: 'message', result: 'result', note: 'note' }

function line({ id, kind, mode, createdAt, ...item }: InboxRow): string {
  const time = new Date(createdAt).toISOString().slice(0, 19).replace('T', ' ')
  const shown = terminalLine(wordsOf(item))
  const cut = shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS).toWellFormed()}…` : shown
  return `${id}  ${time}  ${KINDS[kind].padEnd(7)}  ${mode.padEnd(9)}  ${cut}`
}
