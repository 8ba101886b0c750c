import type { Command } from 'commander'
import { FirstEvents } from '../../runtime/log/first-events.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import type { Mode } from '../../permissions/modes.ts'
import { sandboxOption } from '../sandbox-option.ts'
import { composeWatched } from '../terminal/compose-watched.ts'
import { requireMessage } from '../../runtime/conversation/fork-branch.ts'
import { checkTurn, hasPerson } from '../person-only-commands.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import {
  approvalsOption,
  budgetOption,
  modeOption,
  type FollowFlags,
  attendEarly,
} from '../terminal/follow-run.ts'
import { trustBefore } from '../terminal/ask-trust.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { idOf, SUBJECTS } from '../typed-id.ts'
import { orUnknown } from '../unknown-id.ts'
import { lastMessage, pickPlace } from '../terminal/pick-message.ts'
import { resolveId } from '../../runtime/views/resolve-id.ts'
import { OffshootError } from '../../core/errors.ts'
import { idPrefix } from '../../core/ids.ts'
import type { Branch } from '../../core/conversation.ts'
import type { Reader } from '../../store/port.ts'
import { addOutputOptions } from '../terminal/output-flags.ts'
import { followElsewhere } from '../remote/follow-elsewhere.ts'
import { followHere } from '../remote/follow-here.ts'
import { lastSeq } from '../../runtime/log/stored-events.ts'
import { performVerb } from '../remote/perform-verb.ts'
import { refuseIfDriven, refuseUnused } from '../unused-options.ts'
import { wholeNumber } from '../number-options.ts'
import { pickModel } from '../pick-model.ts'
import { readPrompt, type TaskWords } from '../terminal/read-task.ts'

interface ForkFlags extends FollowFlags {
  readonly model?: string
  readonly mode?: Mode
  readonly sandbox?: SandboxSetting
  readonly maxTurns?: number
}

export function forkCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  addOutputOptions(program.command('fork'), io)
    .description('start a branch at a message; with a text, an agent answers on it')
    .argument(
      '[message]',
      'id of the message (offshoot log ID --ids prints them); last: the latest message here. On a terminal, omit it or pass a branch or conversation to pick from a list.',
    )
    .argument('[text]', 'the prompt on the new branch; - reads it from stdin')
    .option('-m, --model <provider/model>', 'use another model; default: the model of the branch')
    .addOption(modeOption())
    .addOption(sandboxOption())
    .addOption(approvalsOption())
    .option(
      '--max-turns <n>',
      'maximum turns of the run; default: as in the last run of the branch',
      wholeNumber,
    )
    .addOption(budgetOption())
    .action(
      async (typed: string | undefined, given: string | undefined, flags: ForkFlags, command: Command) => {
        const { message, text } = await chosen(typed, given, io)
        if (text === undefined) refuseUnused(command, NO_RUN)
        setExitCode(await fork(message, text, flags, io))
      },
    )
}

const NO_RUN = {
  why: 'without a text no run starts on the new branch',
  hint: 'add a text (offshoot fork MESSAGE "what to say"), or leave the options out',
}

const NO_TEXT: TaskWords = {
  missing: 'there is no text',
  hint: 'offshoot fork MESSAGE "what to say", or the same on stdin',
}

async function fork(id: string, given: string | undefined, flags: ForkFlags, io: Io): Promise<number> {
  const { directory, conversationId, messageId } = await placeOf(id, given, io)
  if (given === undefined) {
    const { branchId } = await performVerb(io, conversationId, {
      verb: 'fork',
      target: messageId,
      args: null,
    })
    await write(io, `${branchId}\n`)
    await writeStderr(
      io,
      `offshoot: no run yet; to go on there: offshoot continue ${branchId} "what to do"\n`,
    )
    return exitCodes.completed
  }
  const text = await readPrompt(given === '-' ? undefined : given, NO_TEXT, io)
  await trustBefore(directory, flags, io)
  const composed = await composeWatched(directory, flags, io)
  try {
    const { runtime, workspace, systemText } = composed
    for (const warning of composed.warnings) await writeStderr(io, `offshoot: ${terminalLine(warning)}\n`)
    refuseIfDriven(composed, conversationId, flags)
    const { maxTurns, budgetUsd } = flags
    const model = flags.model ? await pickModel(flags.model, composed, io) : undefined
    const defaultModel = () => pickModel(undefined, composed, io)
    const command = { verb: 'fork', target: messageId, args: { text, model, maxTurns, budgetUsd } } as const
    const seqBefore = lastSeq(composed.store, conversationId)
    const first = new FirstEvents(runtime.subscribe)
    const leave = attendEarly(flags, runtime, io)
    const onStored = first.follow
    const begun = await runtime.startOrDispatch(conversationId, command, () =>
      runtime.fork({ workspace, systemText, ...command.args, messageId, defaultModel, onStored }),
    )
    if (begun.there) {
      const { branchId, runId } = begun.there
      const place = { conversationId, branchId, runId: runId!, seqBefore } // with a text there is a run
      return await followElsewhere(place, flags, composed, io)
    }
    const started = begun.here
    await writeStderr(io, `offshoot: fork ${started.branchId} of ${started.conversationId}\n`)
    return await followHere(started, flags, { composed, first, leave }, io)
  } finally {
    await composed.guard.close()
    await composed.store.close()
  }
}

/**
 * The message that a person named or picked, and what they say there.
 * @throws OffshootError `usage` where none is named and nobody can pick one.
 */
async function chosen(typed: string | undefined, text: string | undefined, io: Io) {
  await using store = await openStore(io)
  if (typed === undefined && !hasPerson(io))
    throw new OffshootError('usage', 'fork needs a message', {
      hint: 'Name the message: offshoot fork last, or offshoot fork MESSAGE; offshoot log ID --ids prints the ids',
    })
  const id = idOf(store, typed ?? 'last', io, ['msg', ...SUBJECTS])
  const kind = idPrefix(id)
  const isPicked = typed !== 'last' && hasPerson(io) && (kind === 'cnv' || kind === 'brn')
  if (!isPicked && typed !== 'last') return { message: id, text }
  const branch = branchAt(store, id)
  if (typed === 'last') return { message: lastMessage(store, branch), text }
  return await pickPlace(store, branch, text, io)
}

/** Of a conversation its main branch. */
function branchAt(store: Reader, id: string): Branch {
  const subject = resolveId(store, id)
  if (subject.type !== 'conversation') return subject.branch
  const where = { conversationId: subject.conversation.id, kind: 'main' } as const
  return store.find('branches', { where, limit: 1 })[0]!
}

async function placeOf(id: string, text: string | undefined, io: Io) {
  await using store = await openStore(io)
  const { id: messageId, conversationId } = orUnknown(store, id, ['msg'], () => requireMessage(store, id))
  if (text !== undefined) checkTurn(store, conversationId, io)
  const { directory } = store.get('conversations', conversationId)!
  return { directory, conversationId, messageId }
}
