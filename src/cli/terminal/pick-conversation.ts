import { cutText } from '../../core/cut-text.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Reader } from '../../store/port.ts'
import { hasPerson } from '../person-only-commands.ts'
import { writeStderr, type Io } from '../io.ts'
import { readLines } from './terminal-lines.ts'

/** As many as one key can name. */
const LISTED = 9

/** Lets a person pick one of the latest conversations of a directory. @throws OffshootError `usage` */
export async function pickConversation(store: Reader, root: string, io: Io): Promise<ConversationId> {
  const latest = { orderBy: 'updatedAt', descending: true, limit: LISTED } as const
  const found = store.find('conversations', { where: { directory: root }, ...latest })
  if (found.length === 0)
    throw new OffshootError('usage', `there is no conversation on ${root} yet`, {
      hint: 'leave out --resume',
    })
  if (!hasPerson(io))
    throw new OffshootError('usage', '--resume needs an id where nobody can pick one', {
      hint: 'offshoot ls lists them; --continue goes on with the latest',
    })
  const lines = found.map(({ title }, at) => `  ${at + 1}  ${terminalLine(cutText(title, 70))}\n`)
  const typed = await ask(`${lines.join('')}Which conversation? [1] `, io)
  const picked = found[Number(typed || '1') - 1]
  if (picked) return picked.id
  throw new OffshootError('usage', `${JSON.stringify(typed)} is none of 1 to ${found.length}`, {
    hint: 'offshoot ls lists all conversations with their ids',
  })
}

async function ask(question: string, io: Io): Promise<string> {
  const shown = question.split('\n')
  await writeStderr(
    io,
    shown
      .slice(0, -1)
      .map((line) => `${line}\n`)
      .join(''),
  )
  const lines = readLines(io)
  try {
    return (await lines.next(shown.at(-1)!, new AbortController().signal))?.trim() ?? ''
  } finally {
    lines.close()
  }
}
