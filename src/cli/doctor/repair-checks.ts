import { join } from 'node:path'
import type { ConversationId, NewId } from '../../core/ids.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { dataHome, type Env } from '../../config/homes.ts'
import { documentText } from '../../export/document-text.ts'
import { exportConversation } from '../../export/export-conversation.ts'
import { mendConversation } from '../../export/mend/mend-conversation.ts'
import type { Reader, Tx } from '../../store/port.ts'
import { repairStore, type Repair } from '../../store/sqlite/salvage/repair.ts'
import { readBranchTree } from '../terminal/branch-tree.ts'
import { failed, ok, warning, type Check } from './check.ts'

/** Salvages a damaged database, and says what became of it. */
export async function repairChecks(env: Env): Promise<readonly Check[]> {
  const losses: Check[] = []
  const warn = (text: string) => void losses.push(warning('loss', text))
  try {
    const file = join(dataHome(env), 'offshoot.db')
    const repair = await repairStore(file, { now, makesSense, mend, warn })
    return [
      ...losses,
      ...(repair ? [salvaged(repair), ...lost(repair)] : [ok('repair', 'nothing is damaged')]),
    ]
  } catch (error) {
    return [...losses, failed('repair', error)]
  }
}

/** @throws what `show` and `export` would. */
function makesSense(store: Reader, conversationId: ConversationId): void {
  readBranchTree(store, { conversationId })
  documentText(exportConversation(store, conversationId))
}

function mend(tx: Tx, id: ConversationId, newId: NewId): number {
  return mendConversation(tx, id, { newId, now })
}

const { now } = systemClock

function salvaged({ rows, damage, aside }: Repair): Check {
  const counts = [
    counted(rows.conversations ?? 0, 'conversation'),
    counted(rows.messages ?? 0, 'message'),
    counted(rows.runs ?? 0, 'run'),
  ]
  const message = `${damage}; ${counts.join(', ')} were copied to a new database`
  return warning('repair', message, `The damaged database is kept: ${aside}`)
}

function lost(repair: Repair): Check[] {
  const { unreadablePages, pages, unreadableRecords, altered, dropped, made, mended, isLogTorn, senseless } =
    repair
  const said = [
    unreadablePages > 0 && `${unreadablePages} of ${pages} pages could not be read`,
    unreadableRecords > 0 && `${counted(unreadableRecords, 'record')} could not be read`,
    altered > 0 &&
      (altered === 1
        ? '1 part was altered on disk; a notice marks it'
        : `${altered} parts were altered on disk; a notice marks each`),
    isLogTorn && 'the end of the log could not be read',
    dropped > 0 && `${counted(dropped, 'row')} depended on lost rows and were left out`,
    mended > 0 &&
      `${counted(mended, 'row')} referred to lost rows or held values that an import rejects, and ${mended === 1 ? 'was' : 'were'} changed`,
    made > 0 &&
      `${counted(made, 'conversation or branch', 'conversations or branches')} had lost its own row`,
    senseless.length > 0 && `left out, because it cannot be shown: ${senseless.join(', ')}`,
  ].filter((each) => each !== false)
  const careful =
    'Rules may be lost: each conversation is in the mode plan until you name another with --mode.'
  return said.map((message, i) => warning('lost', message, i === 0 ? careful : undefined))
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
