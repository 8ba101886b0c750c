import { Option, type Command } from 'commander'
import type { RunSetting } from '../../runtime/context/run-setting.ts'
import { FirstEvents } from '../../runtime/log/first-events.ts'
import { resolve } from 'node:path'
import type { ModelSettings } from '../../core/model-settings.ts'
import type { Conversation } from '../../core/conversation.ts'
import { titleOf } from '../../runtime/conversation/open-conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import { delivers, type Deliver } from '../../core/message.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import type { Mode } from '../../permissions/modes.ts'
import { sandboxOption } from '../sandbox-option.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import { composeWatched } from '../terminal/compose-watched.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import type { StartedOrDispatched } from '../../runtime/control/start-or-dispatch.ts'
import type { VerbCommand } from '../../runtime/control/verbs.ts'
import { checkTurn } from '../person-only-commands.ts'
import { followElsewhere } from '../remote/follow-elsewhere.ts'
import { followHere } from '../remote/follow-here.ts'
import { lastSeq } from '../../runtime/log/stored-events.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { refuseUnusedInServer } from '../remote/background-options.ts'
import {
  findServer,
  mainBranch,
  modelFor,
  requireServer,
  printHandedOver,
  type HandedOver,
  type FoundServer,
} from '../remote/server-call.ts'
import { randomUUID } from 'node:crypto'
import { systemClock } from '../../exec/system-clock.ts'
import { Ownership } from '../../runtime/ownership/leases.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { LATER } from '../help.ts'
import {
  approvalsOption,
  budgetOption,
  modeOption,
  type FollowFlags,
  attendEarly,
} from '../terminal/follow-run.ts'
import { trustBefore } from '../terminal/ask-trust.ts'
import { writeStderr, type Io } from '../io.ts'
import { refuseIfDriven } from '../unused-options.ts'
import { wholeNumber } from '../number-options.ts'
import { setOption } from '../set-option.ts'
import { openStore } from '../open-store.ts'
import { idOf } from '../typed-id.ts'
import { addOutputOptions } from '../terminal/output-flags.ts'
import { pickModel } from '../pick-model.ts'
import { readPrompt, type TaskWords } from '../terminal/read-task.ts'
import { requireConversation } from '../unknown-id.ts'

interface SpawnFlags extends FollowFlags {
  readonly directory?: string
  readonly model?: string
  readonly agent: string
  readonly label?: string
  readonly mode?: Mode
  readonly sandbox?: SandboxSetting
  readonly maxTurns?: number
  readonly set?: ModelSettings
  readonly conversation?: string
  readonly deliver: Deliver
  readonly background?: true
  readonly backend: string
}

export function spawnCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  addOutputOptions(program.command('spawn'), io)
    .description('start a subagent without a main agent, and print its report; the task may come from stdin')
    .argument('[task]')
    .option('--agent <name>', 'the agent that does the task', 'general')
    .option('--label <text>', 'the name that lists show; default: the first words of the task')
    .option('--conversation <id>', 'start it in this conversation instead of a new one')
    .addOption(
      new Option(
        '--deliver <how>',
        'wake: the report wakes the main agent; announce: the agent reads it at its next turn',
      )
        .choices(delivers)
        .default('announce'),
    )
    .option(
      '-C, --directory <dir>',
      'work in this directory; default: that of the conversation, or the current one',
    )
    .option('-m, --model <provider/model>', 'the model; offshoot models lists them')
    .addOption(modeOption())
    .addOption(sandboxOption())
    .addOption(approvalsOption())
    .option('--max-turns <n>', 'maximum turns of the run', wholeNumber)
    .addOption(budgetOption())
    .addOption(setOption())
    .option('--background', 'let a running offshoot serve run it, and print the ids')
    .addOption(
      new Option('--backend <name>', 'the program that runs it; native is the only one so far')
        .default('native')
        .helpGroup(LATER),
    )
    .action(async (task: string | undefined, flags: SpawnFlags, command: Command) => {
      if (flags.background) refuseUnusedInServer(command, flags)
      setExitCode(await spawn(task, flags, io))
    })
}

type SpawnCommand = Extract<VerbCommand, { verb: 'spawn' }>

const NO_TASK: TaskWords = {
  missing: 'there is no task',
  hint: 'offshoot spawn "what to do", or the same on stdin',
}

async function spawn(argument: string | undefined, flags: SpawnFlags, io: Io): Promise<number> {
  checkDriver(flags)
  const { conversation, isDriven } = await conversationOf(flags, io)
  const server = flags.background && serverFor(isDriven, io)
  const task = await readPrompt(argument, NO_TASK, io)
  if (server) return await handOver(server, { task, conversation }, flags, io)
  const directory = resolve(io.cwd, flags.directory ?? conversation?.directory ?? '.')
  await trustBefore(directory, flags, io)
  const composed = await composeWatched(directory, flags, io)
  try {
    for (const warning of composed.warnings) await writeStderr(io, `offshoot: ${terminalLine(warning)}\n`)
    if (conversation) refuseIfDriven(composed, conversation.id, flags)
    const seqBefore = conversation ? lastSeq(composed.store, conversation.id) : 0
    const first = new FirstEvents(composed.runtime.subscribe)
    const leave = attendEarly(flags, composed.runtime, io)
    const begun = await start({ task, conversation, onStored: first.follow }, flags, composed, io)
    if (begun.there) {
      const place = { conversationId: conversation!.id, seqBefore, ...begun.there }
      if (!flags.background) return await followElsewhere(place, flags, composed, io)
      await printHandedOver(place, flags.outputFormat, io)
      return exitCodes.completed
    }
    const started = begun.here
    await writeStderr(io, `offshoot: subagent ${started.branchId} of ${started.conversationId}\n`)
    return await followHere(started, flags, { composed, first, leave }, io)
  } finally {
    await composed.guard.close()
    await composed.store.close()
  }
}

function checkDriver({ backend }: SpawnFlags): void {
  if (backend !== 'native')
    throw new OffshootError(
      'usage',
      `--backend ${backend} is not available yet; it comes with a later version`,
      {
        hint: 'leave it out, and the loop of this program drives it',
      },
    )
}

/** Whoever drives a conversation is given its subagents, with a server or without. */
function serverFor(isDriven: boolean, io: Io): FoundServer | undefined {
  return isDriven ? findServer(io) : requireServer(io, 'offshoot spawn drives it until it ends')
}

/** `isDriven`: by a living process, which is given the subagent anyway. */
async function conversationOf({ conversation: id }: SpawnFlags, io: Io) {
  if (id === undefined) return { conversation: undefined, isDriven: false }
  await using store = await openStore(io)
  const conversation = requireConversation(store, idOf(store, id, io, ['cnv']))
  checkTurn(store, conversation.id, io)
  const ownership = new Ownership({ store, clock: systemClock, owner: randomUUID() })
  return { conversation, isDriven: ownership.livingOwner(conversation.id) !== undefined }
}

interface SpawnInput {
  readonly task: string
  readonly conversation: Conversation | undefined
}

/** Below the main branch of a conversation, or of a new one that is named after the task. */
async function handOver(
  server: FoundServer,
  { task, conversation }: SpawnInput,
  flags: SpawnFlags,
  io: Io,
): Promise<number> {
  const directory = createWorkspace(resolve(io.cwd, flags.directory ?? '.')).root
  const { agent, label, deliver, maxTurns, budgetUsd, mode } = flags
  const { conversationId, branchId: main } = conversation
    ? await mainBranch(server, conversation.id)
    : await server.post<HandedOver>('/conversations', { directory, title: titleOf(task), mode })
  const order = { task, agent, label, deliver, maxTurns, budgetUsd, model: modelFor(flags.model, io) }
  const { branchId, runId } = await server.post<HandedOver>(`/branches/${main}/spawn`, order)
  await printHandedOver({ conversationId, branchId, runId }, flags.outputFormat, io)
  return exitCodes.completed
}

async function start(
  { task, conversation, onStored }: SpawnInput & Pick<RunSetting, 'onStored'>,
  flags: SpawnFlags,
  composed: Composed,
  io: Io,
): Promise<StartedOrDispatched<StartedRun, SpawnCommand>> {
  const { runtime, workspace, systemText, agents } = composed
  const agent = agents.require(flags.agent)
  const { label, deliver, maxTurns, budgetUsd, set: settings } = flags
  const model = flags.model ? await pickModel(flags.model, composed, io) : undefined
  const order = { task, label, deliver, maxTurns, budgetUsd, settings, model }
  const defaultModel = () => pickModel(undefined, composed, io)
  const place = { workspace, systemText, agent, defaultModel, onStored }
  if (!conversation) return { here: await runtime.spawn({ ...order, ...place }) }
  const { id } = conversation
  const command = { verb: 'spawn', target: id, args: { ...order, agent: agent.name } } as const
  return await runtime.startOrDispatch(id, command, () =>
    runtime.spawn({ ...order, ...place, conversationId: id }),
  )
}
