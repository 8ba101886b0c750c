import { errorMessage, OffshootError, type ErrorCode } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import { bounds } from '../../core/limits.ts'
import type { CommandRow, Reader, Store, Tx } from '../../store/port.ts'
import type { Recorder } from '../log/recorder.ts'
import { watchStore } from './watch-store.ts'

/** Something that is to be done to a conversation, in words that fit a row: whoever owns it does it. */
export interface Command {
  readonly verb: string
  /** An id. */
  readonly target: string
  readonly args: unknown
}

/** What became of a command, as it stands in its row. */
export type StoredAnswer =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint?: string }
    }

/** How a command is answered. Both throw OffshootError `conflict` where it was withdrawn meanwhile. */
export interface Answering {
  /** Checked before anything changes in memory: no transaction takes that back. */
  requireOpen(reader: Reader): void
  /** Writes the answer in the transaction that does the command, so that it is never done twice. */
  settle(tx: Tx, value: unknown): void
}

export type Perform = (command: Command, answering: Answering) => Promise<unknown>

interface CommandDeps {
  readonly store: Store
  readonly recorder: Recorder
  readonly clock: Clock
}

/** What a process has begun, by the command. One whose answer could not be stored stays here, so that it is not done again. */
export type OpenCommands = Map<string, Promise<void>>

/** The owner's side: does what other processes ask for, each command once. */
export interface CommandWatch {
  /** Settles when what was begun is answered; false: there was nothing. */
  answered(): Promise<boolean>
  /** Takes no more: what nobody has begun is left to whoever owns the conversation next. */
  end(): void
}

export function answerCommands(
  deps: CommandDeps,
  id: ConversationId,
  perform: Perform,
  begun: OpenCommands = new Map(),
): CommandWatch {
  const open = new Set<Promise<void>>()
  const begin = (row: CommandRow) => {
    const answered = answerOne(deps, row, perform).then((stored) => {
      if (stored) begun.delete(row.id)
      open.delete(answered)
    })
    begun.set(row.id, answered)
    open.add(answered)
  }
  const end = watchStore(deps.store, deps.clock, () => {
    for (const row of openCommands(deps, id)) if (!begun.has(row.id)) begin(row)
  })
  return {
    end,
    answered: async () => {
      const some = open.size > 0
      await Promise.all(open)
      return some
    },
  }
}

/** Of one that is older nobody waits for the answer any more. */
function openCommands({ store, clock }: CommandDeps, conversationId: ConversationId): CommandRow[] {
  const oldest = clock.now() - bounds.commandMs
  return store
    .find('commands', { where: { conversationId, answeredAt: null } })
    .filter((row) => row.createdAt > oldest)
}

/** False where the store does not take the answer: whoever asked finds none. Never rejects. */
async function answerOne(
  { recorder, clock }: CommandDeps,
  row: CommandRow,
  perform: Perform,
): Promise<boolean> {
  const isOpen = (reader: Reader) => reader.get('commands', row.id)?.answeredAt === null
  const write = (tx: Tx, answer: StoredAnswer) =>
    tx.update('commands', row.id, { answer, answeredAt: clock.now() })
  const requireOpen = (reader: Reader) => {
    if (!isOpen(reader)) throw withdrawn(row)
  }
  const settle = (tx: Tx, value: unknown) => {
    requireOpen(tx)
    write(tx, { ok: true, value })
  }
  const answer = await perform(row, { requireOpen, settle }).then(
    (value): StoredAnswer => ({ ok: true, value }),
    refusal,
  )
  const stored = recorder.record(row.conversationId, ({ tx }) => {
    if (isOpen(tx)) write(tx, answer)
  })
  return await stored.then(
    () => true,
    () => false,
  )
}

/** Whoever asked does it by now, or has read that it is not done. */
function withdrawn({ verb }: CommandRow): OffshootError {
  return new OffshootError('conflict', `the ${verb.slice(0, 40)} was withdrawn before it was done`)
}

function refusal(error: unknown): StoredAnswer {
  const { code, hint } =
    error instanceof OffshootError ? error : { code: 'internal' as const, hint: undefined }
  return { ok: false, error: { code, message: errorMessage(error), ...(hint ? { hint } : {}) } }
}
