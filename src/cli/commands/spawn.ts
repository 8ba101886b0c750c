import { Option, type Command } from 'commander'
import { resolve } from 'node:path'
import type { Conversation } from '../../core/conversation.ts'
import { OffshootError } from '../../core/errors.ts'
import { delivers, type Deliver } from '../../core/message.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Mode } from '../../permissions/modes.ts'
import { compose, type Composed } from '../../runtime/compose.ts'
import type { StartedRun } from '../../runtime/begin.ts'
import type { SetExitCode } from '../exit-codes.ts'
import { approvalsOption, budgetOption, follow, modeOption, type FollowFlags } from '../follow.ts'
import { say, type Io } from '../io.ts'
import { wholeNumber } from '../numbers.ts'
import { openStore } from '../open-store.ts'
import { OUTPUT_FORMATS } from '../output.ts'
import { pickModel } from '../pick-model.ts'
import { readPrompt } from '../prompt.ts'
import { findConversation } from '../../runtime/subject.ts'

interface SpawnFlags extends FollowFlags {
  readonly directory?: string
  readonly model?: string
  readonly agent: string
  readonly label?: string
  readonly mode?: Mode
  readonly maxTurns?: number
  readonly conversation?: string
  readonly deliver: Deliver
  readonly background?: true
  readonly backend: string
}

export function spawnCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('spawn')
    .description('start a subagent without a main agent, and print its report; the task may come from stdin')
    .argument('[task]')
    .option('--agent <name>', 'who works on it', 'general')
    .option('--label <text>', 'what people see; default: the first words of the task')
    .option('--conversation <id>', 'below the main branch of a conversation, instead of a new one')
    .addOption(
      new Option('--deliver <how>', 'whether the report wakes the main agent, or only stands in its context')
        .choices(delivers)
        .default('announce'),
    )
    .option('-C, --directory <dir>', 'the directory to work on')
    .option('-m, --model <provider/model>', 'offshoot models lists them')
    .addOption(modeOption())
    .addOption(approvalsOption())
    .option('--max-turns <n>', 'turns of the run', wholeNumber)
    .addOption(budgetOption())
    .option('--background', 'hand it to a running offshoot serve')
    .option('--backend <name>', 'who drives it; there is no other yet', 'native')
    .addOption(new Option('--output-format <format>').choices(OUTPUT_FORMATS).default('text'))
    .action(async (task: string | undefined, flags: SpawnFlags) => setExitCode(await spawn(task, flags, io)))
}

const ABOUT_TASK = { what: 'task', example: 'offshoot spawn "what to do"' }

async function spawn(argument: string | undefined, flags: SpawnFlags, io: Io): Promise<number> {
  checkDriver(flags)
  const task = await readPrompt(argument, ABOUT_TASK, io)
  const conversation = await conversationOf(flags, io)
  const directory = resolve(io.cwd, flags.directory ?? conversation?.directory ?? '.')
  const composed = await compose({ directory, env: io.env, mode: flags.mode, network: io.network })
  try {
    for (const warning of composed.warnings) await say(io, `offshoot: ${terminalLine(warning)}\n`)
    const started = await start(task, conversation, flags, composed, io)
    await say(io, `offshoot: subagent ${started.branchId} of ${started.conversationId}\n`)
    return await follow(started, flags, composed, io)
  } finally {
    await composed.store.close()
  }
}

function checkDriver({ background, backend }: SpawnFlags): void {
  if (background)
    throw new OffshootError('usage', 'no offshoot serve is running that it could be handed to', {
      hint: 'leave out --background: offshoot spawn drives it until it ends',
    })
  if (backend !== 'native')
    throw new OffshootError('usage', `--backend ${backend} is not there yet; it comes with a later version`, {
      hint: 'leave it out, and the loop of this program drives it',
    })
}

async function conversationOf({ conversation }: SpawnFlags, io: Io): Promise<Conversation | undefined> {
  if (conversation === undefined) return undefined
  await using store = await openStore(io.env)
  return findConversation(store, conversation)
}

async function start(
  task: string,
  conversation: Conversation | undefined,
  flags: SpawnFlags,
  composed: Composed,
  io: Io,
): Promise<StartedRun> {
  const { runtime, workspace, systemText, agents } = composed
  const agent = agents.require(flags.agent)
  const { label, deliver, maxTurns, budgetUsd } = flags
  return await runtime.spawn({
    workspace,
    systemText,
    agent,
    task,
    deliver,
    budgetUsd,
    ...(label ? { label } : {}),
    ...(maxTurns ? { maxTurns } : {}),
    ...(conversation ? { conversationId: conversation.id } : {}),
    ...(flags.model ? { model: await pickModel(flags.model, composed, io) } : {}),
    defaultModel: () => pickModel(undefined, composed, io),
  })
}
