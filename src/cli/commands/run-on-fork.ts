import { OffshootError } from '../../core/errors.ts'
import type { ConversationId, MessageId } from '../../core/ids.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import { FirstEvents } from '../../runtime/log/first-events.ts'
import { lastSeq } from '../../runtime/log/stored-events.ts'
import type { Reader } from '../../store/port.ts'
import { writeStderr, type Io } from '../io.ts'
import { pickModel } from '../pick-model.ts'
import { followElsewhere } from '../remote/follow-elsewhere.ts'
import { followHere } from '../remote/follow-here.ts'
import { attendEarly } from '../terminal/follow-run.ts'
import { refuseHereAlone, refuseIfDriven } from '../unused-options.ts'
import type { RunEnd, RunFlags } from '../run-flags.ts'

interface ForkInput {
  readonly conversationId: ConversationId
  readonly prompt: string
}

/** `--fork-session`: the prompt begins a branch at the last message of the main branch, which stays as it is. */
export async function answerOnFork(
  { conversationId, prompt: text }: ForkInput,
  flags: RunFlags,
  composed: Composed,
  io: Io,
): Promise<RunEnd> {
  refuseKept(flags)
  refuseIfDriven(composed, conversationId, flags)
  const { runtime, workspace, systemText, store } = composed
  const messageId = lastMessage(store, conversationId)
  const model = flags.model ? await pickModel(flags.model, composed, io) : undefined
  const { maxTurns, budgetUsd } = flags
  const command = { verb: 'fork', target: messageId, args: { text, model, maxTurns, budgetUsd } } as const
  const defaultModel = () => pickModel(undefined, composed, io)
  const seqBefore = lastSeq(store, conversationId)
  const first = new FirstEvents(runtime.subscribe)
  const leave = attendEarly(flags, runtime, io)
  const onStored = first.follow
  const begun = await runtime.startOrDispatch(conversationId, command, () =>
    runtime.fork({ workspace, systemText, ...command.args, messageId, defaultModel, onStored }),
  )
  if (begun.there) {
    const { branchId, runId } = begun.there
    const place = { conversationId, branchId, runId: runId!, seqBefore } // with a text there is a run
    return { code: await followElsewhere(place, flags, composed, io) }
  }
  await writeStderr(io, `offshoot: fork ${begun.here.branchId} of ${conversationId}\n`)
  const code = await followHere(begun.here, flags, { composed, first, leave }, io)
  return { code, conversationId }
}

/** A fork has the agent, the instructions and the rules of the branch that it leaves. @throws OffshootError */
function refuseKept(flags: RunFlags): void {
  refuseHereAlone(
    { ...flags, allow: undefined, allowedTools: undefined, addDir: undefined },
    {
      why: 'a fork keeps the rules of the branch that it starts from, and cannot take',
      hint: 'leave one of them out',
    },
  )
  if (flags.set)
    throw new OffshootError(
      'usage',
      '--set has no effect: a fork keeps the settings of the branch that it starts from',
      { hint: 'leave out --set or --fork-session' },
    )
  if (!flags.isAgentNamed) return
  throw new OffshootError(
    'usage',
    '--agent has no effect: a fork keeps the agent of the branch that it starts from',
    {
      hint: 'leave out --agent or --fork-session',
    },
  )
}

function lastMessage(store: Reader, conversationId: ConversationId): MessageId {
  const [main] = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })
  const last = { where: { branchId: main!.id }, orderBy: 'position', descending: true, limit: 1 } as const
  const [message] = store.find('messages', last)
  if (message) return message.id
  throw new OffshootError('usage', `${conversationId} has no message to fork from`, {
    hint: 'leave out --fork-session',
  })
}
