import { z } from 'zod'
import { OffshootError, unreachable } from '../../core/errors.ts'
import { createAuthorSchema } from '../../core/author-schema.ts'
import { bounds } from '../../core/limits.ts'
import { delivers } from '../../core/message.ts'
import { modelSettingsSchema } from '../../core/model-settings.ts'
import type { Command } from '../ownership/owner-commands.ts'
import { answer, type AnswerAnswer } from './answer.ts'
import { approve, type ApproveAnswer } from './approve.ts'
import { background, type BackgroundAnswer } from './background.ts'
import { cancel, type CancelVerbAnswer } from './cancel.ts'
import { fork, type ForkAnswer } from './fork.ts'
import { continueHere, type ContinueAnswer, type OrderPorts } from './continue.ts'
import type { CancelPorts } from '../journal/cancel-runs.ts'
import type { ForkPorts } from '../conversation/fork-branch.ts'
import type { MessagePorts } from './prepare-message.ts'
import type { PersonSpawnPorts } from '../conversation/person-spawn.ts'
import type { StartAnswer, StartHerePorts } from './start-here.ts'
import { changeInboxItem, clearInbox, type ClearAnswer, type ItemAnswer } from './inbox-items.ts'
import { interrupt, type InterruptAnswer } from './interrupt.ts'
import { message, type MessageAnswer } from './message-verb.ts'
import { pause, type PauseAnswer } from './pause.ts'
import { rename, type RenameAnswer } from './rename.ts'
import { revoke, type RevokeAnswer } from './revoke.ts'
import { spawn } from './spawn.ts'
import { steer, type SteerAnswer } from './steer.ts'
import type { VerbScope } from './verb-scope.ts'

/**
 * Verbs on a conversation, from any process. `target`: the id of a conversation, branch, run, approval, question, grant
 * or message.
 */
function createVerbSchema() {
  const target = z.string()
  const text = z.string().refine((value) => value.trim() !== '', 'must not be empty')
  const item = z.string()
  const author = createAuthorSchema().optional()
  return z.discriminatedUnion('verb', [
    z.object({ verb: z.literal('cancel'), target, args: z.object({ ifStoppedAt: z.int() }).nullable() }),
    z.object({ verb: z.literal('interrupt'), target, args: z.null() }),
    z.object({ verb: z.literal('pause'), target, args: z.null() }),
    z.object({ verb: z.literal('background'), target, args: z.null() }),
    z.object({ verb: z.literal('continue'), target, args: createContinueSchema() }),
    z.object({ verb: z.literal('steer'), target, args: z.object({ text, author }) }),
    z.object({
      verb: z.literal('approve'),
      target,
      args: createApprovalSchema(),
    }),
    z.object({
      verb: z.literal('answer'),
      target,
      args: z.object({ text: text.nullable(), by: z.string() }),
    }),
    z.object({ verb: z.literal('revoke'), target, args: z.null() }),
    z.object({
      verb: z.literal('fork'),
      target,
      args: z.object({ text, author, ...createOrderSchema() }).nullable(),
    }),
    z.object({
      verb: z.literal('spawn'),
      target,
      args: z.object({
        agent: z.string(),
        task: text,
        label: z.string().optional(),
        deliver: z.enum(delivers).optional(),
        model: z.string().optional(),
        maxTurns: z.int().min(1).optional(),
        settings: modelSettingsSchema().optional(),
        budgetUsd: z.number().min(0).optional(),
        author,
      }),
    }),
    z.object({
      verb: z.literal('message'),
      target,
      args: z.object({
        text,
        mode: z.enum(['steer', 'follow_up']),
        agent: z.string().optional(),
        model: z.string().optional(),
        maxTurns: z.int().min(1).optional(),
        wake: z.boolean().optional(),
        budgetUsd: z.number().min(0).optional(),
        author,
      }),
    }),
    z.object({ verb: z.literal('rename'), target, args: z.object({ title: text }) }),
    z.object({ verb: z.literal('inbox.edit'), target, args: z.object({ item, text }) }),
    z.object({ verb: z.literal('inbox.withdraw'), target, args: z.object({ item }) }),
    z.object({ verb: z.literal('inbox.promote'), target, args: z.object({ item }) }),
    z.object({ verb: z.literal('inbox.clear'), target, args: z.null() }),
  ])
}

/** For a run that starts. */
function createOrderSchema() {
  return {
    model: z.string().optional(),
    maxTurns: z.int().min(1).optional(),
    budgetUsd: z.number().min(0).optional(),
  }
}

function createContinueSchema() {
  return z.object({
    text: z.string().optional(),
    model: z.string().min(1).optional(),
    files: z.array(z.string().min(1)).max(bounds.filesGiven).optional(),
    maxTurns: z.int().min(1).optional(),
    settings: modelSettingsSchema().optional(),
    wake: z.boolean().optional(),
    budgetUsd: z.number().min(0).optional(),
    author: createAuthorSchema().optional(),
  })
}

function createApprovalSchema() {
  return z.object({
    answer: z.enum(['once', 'run', 'always', 'deny']),
    by: z.string(),
    note: z.string().optional(),
    pattern: z.string().optional(),
    scope: z.enum(['conversation', 'project']).optional(),
  })
}

type VerbSchema = ReturnType<typeof createVerbSchema>
/** Created for the first command: it would slow down every start. */
let verbSchema: VerbSchema | undefined

export type VerbCommand = z.infer<VerbSchema>

/** The result of each verb. */
export interface VerbAnswers {
  cancel: CancelVerbAnswer
  interrupt: InterruptAnswer
  pause: PauseAnswer
  background: BackgroundAnswer
  continue: ContinueAnswer
  steer: SteerAnswer
  approve: ApproveAnswer
  answer: AnswerAnswer
  revoke: RevokeAnswer
  fork: ForkAnswer
  spawn: StartAnswer
  message: MessageAnswer
  rename: RenameAnswer
  'inbox.edit': ItemAnswer
  'inbox.withdraw': ItemAnswer
  'inbox.promote': ItemAnswer
  'inbox.clear': ClearAnswer
}

export type VerbPorts = CancelPorts &
  ForkPorts &
  MessagePorts &
  OrderPorts &
  PersonSpawnPorts &
  StartHerePorts

/** Executes a command. @throws OffshootError `usage` for an unknown one. */
export async function perform(
  scope: VerbScope<VerbPorts>,
  command: Command,
): Promise<VerbAnswers[keyof VerbAnswers]> {
  verbSchema ??= createVerbSchema()
  const parsed = verbSchema.safeParse(command)
  if (!parsed.success)
    throw new OffshootError(
      'usage',
      `the command ${command.verb.slice(0, 40)} is invalid: ${z.prettifyError(parsed.error)}`,
    )
  const { data } = parsed
  switch (data.verb) {
    case 'cancel':
      return await cancel(scope, data.target, data.args?.ifStoppedAt)
    case 'interrupt':
      return await interrupt(scope, data.target)
    case 'pause':
      return await pause(scope, data.target)
    case 'background':
      return await background(scope, data.target)
    case 'continue':
      return await continueHere(scope, data.target, data.args)
    case 'steer':
      return await steer(scope, data.target, data.args)
    case 'approve':
      return await approve(scope, data.target, data.args)
    case 'answer':
      return await answer(scope, data.target, data.args)
    case 'revoke':
      return await revoke(scope, data.target)
    case 'fork':
      return await fork(scope, data.target, data.args)
    case 'spawn':
      return await spawn(scope, data.target, data.args)
    case 'message':
      return await message(scope, data.target, data.args)
    case 'rename':
      return await rename(scope, data.target, data.args.title)
    case 'inbox.edit':
      return await changeInboxItem(scope, data.target, data.args.item, { text: data.args.text })
    case 'inbox.withdraw':
      return await changeInboxItem(scope, data.target, data.args.item, 'withdraw')
    case 'inbox.promote':
      return await changeInboxItem(scope, data.target, data.args.item, { mode: 'steer' })
    case 'inbox.clear':
      return await clearInbox(scope, data.target)
    default:
      return unreachable(data)
  }
}
