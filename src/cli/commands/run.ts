import { Option, type Command } from 'commander'
import { resolve } from 'node:path'
import { OffshootError } from '../../core/errors.ts'
import { isId, type ConversationId } from '../../core/ids.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { MODES, type Mode } from '../../permissions/modes.ts'
import { compose, type Composed } from '../../runtime/compose.ts'
import type { RunResult } from '../../runtime/run-result.ts'
import type { StartedRun } from '../../runtime/runtime.ts'
import { answerOnTerminal } from '../approvals.ts'
import { pickModel } from '../pick-model.ts'
import { exitCodeOfRun, exitCodes, type SetExitCode } from '../exit-codes.ts'
import type { EndSignal } from '../early-signals.ts'
import { outputError, readStdin, say, type Io } from '../io.ts'
import { wholeNumber } from '../numbers.ts'
import { OUTPUT_FORMATS, createOutput, type OutputFormat } from '../output.ts'

interface RunFlags {
  readonly directory: string
  readonly model?: string
  readonly agent: string
  readonly mode: Mode
  readonly approvals?: 'deny'
  readonly maxTurns?: number
  readonly conversation?: string
  readonly continue?: true
  readonly outputFormat: OutputFormat
}

export function runCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('run')
    .description('ask one thing, headless; the prompt may come from stdin')
    .argument('[prompt]')
    .option('-C, --directory <dir>', 'the directory to work on', '.')
    .option('-m, --model <provider/model>', 'offshoot models lists them')
    .option('--agent <name>', 'who works on it', 'main')
    .addOption(new Option('--mode <mode>', 'what is allowed without asking').choices(MODES).default('ask'))
    .addOption(new Option('--approvals <how>', 'deny: never ask, even on a terminal').choices(['deny']))
    .option('--max-turns <n>', 'turns of the main run', wholeNumber)
    .option('--conversation <id>', 'go on with a conversation')
    .option('--continue', 'go on with the latest conversation of this directory')
    .addOption(new Option('--output-format <format>').choices(OUTPUT_FORMATS).default('text'))
    .action(async (prompt: string | undefined, flags: RunFlags) => setExitCode(await run(prompt, flags, io)))
}

async function run(promptArgument: string | undefined, flags: RunFlags, io: Io): Promise<number> {
  const prompt = await readPrompt(promptArgument, io)
  const composed = await compose({
    directory: resolve(io.cwd, flags.directory),
    env: io.env,
    mode: flags.mode,
  })
  try {
    for (const warning of composed.warnings) await say(io, `offshoot: ${terminalLine(warning)}\n`)
    const started = await start(prompt, flags, composed, io)
    return await follow(started, flags, composed, io)
  } finally {
    await composed.store.close()
  }
}

async function readPrompt(argument: string | undefined, io: Io): Promise<string> {
  const prompt = argument ?? (io.stdin.isTTY ? '' : await readStdin(io.stdin))
  if (prompt.trim() !== '') return prompt
  throw new OffshootError('usage', 'there is no prompt', {
    hint: 'offshoot run "what to do", or the same on stdin',
  })
}

async function start(prompt: string, flags: RunFlags, composed: Composed, io: Io): Promise<StartedRun> {
  const { runtime, workspace, systemText, agents } = composed
  const agent = agents.require(flags.agent)
  const conversationId = conversationOf(flags, composed)
  const model = await pickModel(flags.model, composed, io)
  const more = {
    ...(flags.maxTurns ? { maxTurns: flags.maxTurns } : {}),
    ...(conversationId ? { conversationId } : {}),
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

async function follow(started: StartedRun, flags: RunFlags, composed: Composed, io: Io): Promise<number> {
  const output = createOutput(flags.outputFormat, started, composed, io)
  const asks = flags.approvals !== 'deny' && io.stdin.isTTY && io.stderr.isTTY
  const endAnswers = asks ? answerOnTerminal(started, composed.runtime, output, io) : async () => {}
  const signals = stopOnSignals(started, io)
  const broken = stopWithoutReader(started, io)
  try {
    const result = await started.result.catch(output.fail)
    await endAnswers()
    await output.end(result)
    const signal = signals.first()
    const error = broken.error()
    if (!signal && error) throw error
    return await exitCode(result, signal, io)
  } finally {
    await endAnswers()
    broken.end()
    await composed.guard.close()
    signals.end() // last: a signal while processes are being ended must not leave them
  }
}

/** Events that nobody can read any more are not worth a model's time: the tree pauses. */
function stopWithoutReader(started: StartedRun, { stdout }: Io) {
  let first: Error | undefined
  const onError = (error: Error) => {
    first ??= outputError(error)
    started.stop('pause')
  }
  stdout.on('error', onError)
  return { error: () => first, end: () => void stdout.off('error', onError) }
}

/** The first signal pauses the tree, the second cancels it; the program ends when it has stopped. */
function stopOnSignals(started: StartedRun, io: Io) {
  let first: EndSignal | undefined
  const end = io.onSignal((signal) => {
    started.stop(first ? 'cancel' : 'pause')
    first ??= signal
  })
  return { first: () => first, end }
}

async function exitCode(result: RunResult, signal: EndSignal | undefined, io: Io): Promise<number> {
  if (!signal) return exitCodeOfRun(result)
  const kept = `the conversation is kept: offshoot show ${result.conversationId}`
  await say(io, `offshoot: ${result.status === 'paused' ? kept : result.status}\n`)
  return exitCodes[signal]
}
