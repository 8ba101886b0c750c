import { errorMessage, OffshootError, type ErrorCode } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import { bounds } from '../../core/limits.ts'
import type { CommandRow, Reader, Store, Tx } from '../../store/port.ts'
import type { Recorder } from '../log/recorder.ts'
import { watchStore } from './watch-store.ts'

/** A command for a conversation, in a form that fits a row: its owner executes it. */
export interface Command {
  readonly verb: string
  /** An id. */
  readonly target: string
  readonly args: unknown
}

/** Outcome of a command, as stored in its row. */
export type StoredAnswer =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly error: { readonly code: ErrorCode; readonly message: string; readonly hint?: string }
    }

/** Ways to answer a command. Both throw OffshootError `conflict` if it was withdrawn in the meantime. */
export interface Answering {
  /** Checked before memory changes: no transaction can undo that. */
  requireOpen(reader: Reader): void
  /** Stores the answer in the transaction that executes the command, so that it runs only once. */
  settle(tx: Tx, value: unknown): void
}

export type Perform = (command: Command, answering: Answering) => Promise<unknown>

interface CommandDeps {
  readonly store: Store
  readonly recorder: Recorder
  readonly clock: Clock
}

/** Started commands. One whose answer could not be stored stays here, so that it does not run again. */
export type OpenCommands = Map<string, Promise<void>>

/** The owner's side: executes commands of other processes, each once. */
export interface CommandWatch {
  /** Settles when started commands are answered; false: there were none. */
  answered(): Promise<boolean>
  /** Accepts no more: commands not started are left to the next owner. */
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

/** Nobody waits for the answer of an older command any more. */
function openCommands({ store, clock }: CommandDeps, conversationId: ConversationId): CommandRow[] {
  const oldest = clock.now() - bounds.commandMs
  return store
    .find('commands', { where: { conversationId, answeredAt: null } })
    .filter((row) => row.createdAt > oldest)
}

/** False if the store does not accept the answer: the sender finds none. Never rejects. */
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

/** The sender executes it itself by now, or has read that it was not executed. */
function withdrawn({ verb }: CommandRow): OffshootError {
  return new OffshootError('conflict', `the ${verb.slice(0, 40)} was withdrawn before it ran`)
}

function refusal(error: unknown): StoredAnswer {
  const { code, hint } =
    error instanceof OffshootError ? error : { code: 'internal' as const, hint: undefined }
  return { ok: false, error: { code, message: errorMessage(error), ...(hint ? { hint } : {}) } }
}
