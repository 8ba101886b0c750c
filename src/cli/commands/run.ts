import { Option, type Command } from 'commander'
import { resolve } from 'node:path'
import { OffshootError } from '../../core/errors.ts'
import { isId, type ConversationId } from '../../core/ids.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Mode } from '../../permissions/modes.ts'
import { compose, type Composed } from '../../runtime/compose.ts'
import type { StartedRun } from '../../runtime/begin.ts'
import { approvalsOption, budgetOption, follow, modeOption, type FollowFlags } from '../follow.ts'
import { pickModel } from '../pick-model.ts'
import type { SetExitCode } from '../exit-codes.ts'
import { say, type Io } from '../io.ts'
import { wholeNumber } from '../numbers.ts'
import { OUTPUT_FORMATS } from '../output.ts'
import { readPrompt } from '../prompt.ts'
import { sayOthersWait, sayRecovered } from '../recovered.ts'

interface RunFlags extends FollowFlags {
  readonly directory: string
  readonly model?: string
  readonly agent: string
  readonly mode?: Mode
  readonly maxTurns?: number
  readonly conversation?: string
  readonly continue?: true
}

export function runCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('run')
    .description('ask one thing, headless; the prompt may come from stdin')
    .argument('[prompt]')
    .option('-C, --directory <dir>', 'the directory to work on', '.')
    .option('-m, --model <provider/model>', 'offshoot models lists them')
    .option('--agent <name>', 'who works on it', 'main')
    .addOption(modeOption())
    .addOption(approvalsOption())
    .option('--max-turns <n>', 'turns of the main run', wholeNumber)
    .addOption(budgetOption())
    .option('--conversation <id>', 'go on with a conversation')
    .addOption(
      new Option('--continue', 'go on with the latest conversation of this directory').conflicts(
        'conversation',
      ),
    )
    .addOption(new Option('--output-format <format>').choices(OUTPUT_FORMATS).default('text'))
    .action(async (prompt: string | undefined, flags: RunFlags) => setExitCode(await run(prompt, flags, io)))
}

const ABOUT_PROMPT = { what: 'prompt', example: 'offshoot run "what to do"' }

async function run(promptArgument: string | undefined, flags: RunFlags, io: Io): Promise<number> {
  const prompt = await readPrompt(promptArgument, ABOUT_PROMPT, io)
  const composed = await compose({
    directory: resolve(io.cwd, flags.directory),
    env: io.env,
    mode: flags.mode,
    network: io.network,
  })
  try {
    for (const warning of composed.warnings) await say(io, `offshoot: ${terminalLine(warning)}\n`)
    const started = await start(prompt, flags, composed, io)
    await sayRecovered(started, io)
    await sayOthersWait(composed, started, io)
    return await follow(started, flags, composed, io)
  } finally {
    await composed.store.close()
  }
}

async function start(prompt: string, flags: RunFlags, composed: Composed, io: Io): Promise<StartedRun> {
  const { runtime, workspace, systemText, agents } = composed
  const agent = agents.require(flags.agent)
  const conversationId = conversationOf(flags, composed)
  const model = await pickModel(flags.model, composed, io)
  const more = {
    ...(flags.maxTurns ? { maxTurns: flags.maxTurns } : {}),
    ...(conversationId ? { conversationId } : {}),
    budgetUsd: flags.budgetUsd,
  }
  return runtime.start({ workspace, prompt, agent, model, systemText, ...more })
}

function conversationOf(flags: RunFlags, { store, workspace }: Composed): ConversationId | undefined {
  if (flags.conversation !== undefined) {
    if (isId('cnv', flags.conversation)) return flags.conversation
    throw new OffshootError('usage', `${JSON.stringify(flags.conversation)} is no id of a conversation`, {
      hint: 'offshoot ls lists them',
    })
  }
  if (!flags.continue) return undefined
  const latest = store.find('conversations', {
    where: { directory: workspace.root },
    orderBy: 'updatedAt',
    descending: true,
    limit: 1,
  })[0]
  if (latest) return latest.id
  throw new OffshootError('usage', `there is no conversation on ${workspace.root} yet`, {
    hint: 'leave out --continue',
  })
}
