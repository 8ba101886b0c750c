import { Option, type Command } from 'commander'
import { resolve } from 'node:path'
import { OffshootError } from '../../core/errors.ts'
import { isId, type BranchId, type ConversationId } from '../../core/ids.ts'
import type { ModelSettings } from '../../core/model-settings.ts'
import type { StoredRun } from '../../core/run.ts'
import { isFinal } from '../../core/run-status.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Mode } from '../../permissions/modes.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import { composeWatched } from '../terminal/compose-watched.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import {
  approvalsOption,
  budgetOption,
  follow,
  modeOption,
  type FollowFlags,
  attendEarly,
} from '../terminal/follow-run.ts'
import { checkTurn, hasPerson } from '../person-only-commands.ts'
import { pickModel } from '../pick-model.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { trustBefore } from '../terminal/ask-trust.ts'
import { writeStderr, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { idOf } from '../typed-id.ts'
import { refuseUnusedInServer } from '../remote/background-options.ts'
import {
  mainBranch,
  modelFor,
  requireServer,
  printHandedOver,
  type HandedOver,
  type FoundServer,
} from '../remote/server-call.ts'
import type { RunSetting } from '../../runtime/context/run-setting.ts'
import type { Reader } from '../../store/port.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { refuseDecidedElsewhere } from '../unused-options.ts'
import { wholeNumber } from '../number-options.ts'
import { setOption } from '../set-option.ts'
import { addOutputOptions } from '../terminal/output-flags.ts'
import { readPrompt } from '../terminal/read-task.ts'
import { hasPipedInput } from '../terminal/piped-input.ts'
import { printOthersWaiting } from '../terminal/recovered-text.ts'
import { isWithServer, runInServer, watchedElsewhere } from '../remote/server-run.ts'
import { watchedLocally } from '../terminal/watched-run.ts'
import { FirstEvents } from '../../runtime/log/first-events.ts'
import { lastSeq } from '../../runtime/log/stored-events.ts'

interface RunFlags extends FollowFlags {
  readonly directory: string
  readonly model?: string
  readonly agent: string
  /** On the command line, and not by default. */
  readonly isAgentNamed: boolean
  readonly mode?: Mode
  readonly maxTurns?: number
  readonly set?: ModelSettings
  readonly conversation?: string
  readonly continue?: true
  readonly background?: true
}

export function runCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  addOutputOptions(program.command('run'), io)
    .description('ask one thing, headless; the prompt may come from stdin')
    .argument('[prompt]', 'what to do; - reads it from stdin; other data on stdin goes with it')
    .option('-C, --directory <dir>', 'the directory to work on', '.')
    .option('-m, --model <provider/model>', 'offshoot models lists them')
    .option('--agent <name>', 'who works on it', 'main')
    .addOption(modeOption())
    .addOption(approvalsOption())
    .option('--max-turns <n>', 'turns of the main run', wholeNumber)
    .addOption(budgetOption())
    .addOption(setOption())
    .option('--conversation <id>', 'go on with a conversation')
    .addOption(
      new Option('-c, --continue', 'go on with the latest conversation of this directory').conflicts(
        'conversation',
      ),
    )
    .option('--background', 'hand it to a running offshoot serve, and print the ids')
    .action(async (prompt: string | undefined, flags: Omit<RunFlags, 'isAgentNamed'>, command: Command) => {
      if (flags.background) refuseUnusedInServer(command, flags)
      const isAgentNamed = command.getOptionValueSource('agent') === 'cli'
      setExitCode(await run(prompt, { ...flags, isAgentNamed }, io))
    })
}

const ABOUT_PROMPT = { what: 'prompt', example: 'offshoot run "what to do"' }

async function run(promptArgument: string | undefined, flags: RunFlags, io: Io): Promise<number> {
  const server = flags.background && requireServer(io, 'offshoot run drives it until it ends')
  const prompt = await promptOf(promptArgument, io)
  if (server) return await handOver(server, prompt, flags, io)
  const directory = resolve(io.cwd, flags.directory)
  await trustBefore(directory, flags, io)
  const composed = await composeWatched(directory, flags.mode, io)
  try {
    for (const warning of composed.warnings) await writeStderr(io, `offshoot: ${terminalLine(warning)}\n`)
    const known = conversationOf(flags, composed.store, composed.workspace.root, io)
    checkTurn(composed.store, known, io)
    if (known && isWithServer(composed, known, io))
      return await goOnThere({ conversationId: known, prompt }, flags, composed, io)
    const first = new FirstEvents(composed.runtime.subscribe)
    const leave = attendEarly(flags, composed.runtime, io)
    const started = await start(
      { conversationId: known, prompt, onStored: first.follow },
      flags,
      composed,
      io,
    )
    await printOthersWaiting(composed, started, io)
    return await follow(started, flags, { ...watchedLocally(composed, first), leave }, io)
  } finally {
    await composed.store.close()
  }
}

/** `-`, or no argument: all of stdin. Else what stands on stdin is data beside the prompt. */
async function promptOf(argument: string | undefined, io: Io): Promise<string> {
  const given = argument === '-' ? undefined : argument
  const prompt = await readPrompt(given, ABOUT_PROMPT, io)
  if (given === undefined || !hasPipedInput(io)) return prompt
  return (await import('../terminal/piped-data.ts')).withPipedData(prompt, io)
}

interface RunInput<C> extends Pick<RunSetting, 'onStored'> {
  readonly conversationId: C
  readonly prompt: string
}

async function start(
  { conversationId, prompt, onStored }: RunInput<ConversationId | undefined>,
  flags: RunFlags,
  composed: Composed,
  io: Io,
): Promise<StartedRun> {
  const { runtime, workspace, systemText, agents } = composed
  const agent = agents.require(flags.agent)
  const kept = conversationId && lastModel(composed.store, conversationId, agent.name)
  const model = await pickModel(flags.model, composed, io, { ...agent, kept })
  const more = {
    ...(flags.maxTurns ? { maxTurns: flags.maxTurns } : {}),
    ...(conversationId ? { conversationId } : {}),
    budgetUsd: flags.budgetUsd,
    settings: flags.set,
    isModelNamed: flags.model !== undefined,
    isAgentNamed: flags.isAgentNamed,
    onStored,
  }
  return runtime.start({ workspace, prompt, agent, model, systemText, ...more })
}

/** That of the last run of the main branch, where the same agent answers now. */
function lastModel(store: Reader, conversationId: ConversationId, agent: string): string | undefined {
  const branch = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]
  const run = branch && lastRun(store, branch.id)
  return run?.agent === agent ? run.model : undefined
}

function lastRun(store: Reader, branchId: BranchId): StoredRun | undefined {
  return store.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]
}

/** The server that drives the conversation is given the message, and its run is followed as one of this process. */
async function goOnThere(
  { conversationId, prompt: text }: RunInput<ConversationId>,
  flags: RunFlags,
  composed: Composed,
  io: Io,
): Promise<number> {
  refuseDecidedElsewhere(flags, 'offshoot serve')
  const { runtime, store, agents } = composed
  const { maxTurns, budgetUsd } = flags
  const model = modelFor(flags.model, io)
  const branchId = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]!.id
  const last = lastRun(store, branchId)
  const goesOn = last && !isFinal(last.status) && !flags.isAgentNamed
  const agent = goesOn ? undefined : agents.require(flags.agent).name
  const order = {
    conversationId,
    branchId,
    text,
    mode: 'follow_up',
    agent,
    model,
    maxTurns,
    budgetUsd,
  } as const
  const seqBefore = lastSeq(store, conversationId)
  const defaultModel = () => pickModel(undefined, composed, io)
  const first = new FirstEvents(runtime.subscribe)
  const leave = attendEarly(flags, runtime, io)
  const sent = await runtime.sendMessage({ ...composed, ...order, defaultModel, onStored: first.follow })
  if (sent.started)
    return await follow(sent.started, flags, { ...watchedLocally(composed, first), leave }, io) // the server has let go of it just now
  const started = await runInServer(sent, { conversationId, seqBefore }, composed, io)
  const asked = hasPerson(io) ? flags : { ...flags, approvals: 'wait' as const }
  return await follow(started, asked, watchedElsewhere(composed, started), io)
}

async function handOver(server: FoundServer, text: string, flags: RunFlags, io: Io): Promise<number> {
  const directory = createWorkspace(resolve(io.cwd, flags.directory)).root
  const conversationId = await knownConversation(flags, directory, io)
  const { maxTurns, budgetUsd, agent, mode } = flags
  const order = { text, model: modelFor(flags.model, io), maxTurns, budgetUsd }
  if (conversationId === undefined) {
    const begun = await server.post<HandedOver>('/conversations', { ...order, directory, agent, mode })
    await printHandedOver(begun, flags.outputFormat, io)
    return exitCodes.completed
  }
  const { branchId } = await mainBranch(server, conversationId)
  const { runId } = await server.post<HandedOver>(`/branches/${branchId}/messages`, order)
  await printHandedOver({ conversationId, branchId, runId }, flags.outputFormat, io)
  return exitCodes.completed
}

async function knownConversation(flags: RunFlags, root: string, io: Io): Promise<ConversationId | undefined> {
  if (flags.conversation === undefined && !flags.continue) return undefined
  await using store = await openStore(io)
  const known = conversationOf(flags, store, root, io)
  checkTurn(store, known, io)
  return known
}

function conversationOf(flags: RunFlags, store: Reader, root: string, io: Io): ConversationId | undefined {
  if (flags.conversation !== undefined) {
    const id = idOf(store, flags.conversation, io)
    if (isId('cnv', id)) return id
    throw new OffshootError('usage', `${JSON.stringify(flags.conversation)} is no id of a conversation`, {
      hint: 'offshoot ls lists them',
    })
  }
  if (!flags.continue) return undefined
  const latest = store.find('conversations', {
    where: { directory: root },
    orderBy: 'updatedAt',
    descending: true,
    limit: 1,
  })[0]
  if (latest) return latest.id
  throw new OffshootError('usage', `there is no conversation on ${root} yet`, {
    hint: 'leave out --continue',
  })
}
