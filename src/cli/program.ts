import { Command, CommanderError } from 'commander'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { terminalLine, terminalText } from '../core/terminal-text.ts'
import { agentsCommand } from './commands/agents.ts'
import { answerCommand } from './commands/answer.ts'
import { approveCommand } from './commands/approve.ts'
import { backgroundCommand } from './commands/background.ts'
import { cancelCommand } from './commands/cancel.ts'
import { closeCommand } from './commands/close.ts'
import { completionCommand } from './commands/completion.ts'
import { configCommand } from './commands/config.ts'
import { continueCommand } from './commands/continue.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { forkCommand } from './commands/fork.ts'
import { gcCommand } from './commands/gc.ts'
import { importCommand } from './commands/import.ts'
import { inboxCommand } from './commands/inbox.ts'
import { interruptCommand } from './commands/interrupt.ts'
import { pauseCommand } from './commands/pause.ts'
import { permissionsCommand } from './commands/permissions.ts'
import { laterCommands } from './commands/later.ts'
import { logCommand } from './commands/log.ts'
import { lsCommand } from './commands/ls.ts'
import { modelsCommand } from './commands/models.ts'
import { psCommand } from './commands/ps.ts'
import { recoverCommand } from './commands/recover.ts'
import { rmCommand } from './commands/rm.ts'
import { runCommand } from './commands/run.ts'
import { serveCommand } from './commands/serve.ts'
import { showCommand } from './commands/show.ts'
import { spawnCommand } from './commands/spawn.ts'
import { steerCommand } from './commands/steer.ts'
import { exitCodeOfError, exitCodes, type SetExitCode } from './exit-codes.ts'
import { helpWidth, layOutHelp } from './help.ts'
import { isClosedPipe, say, watchStreams, write, type Io } from './io.ts'
import { version } from './version.ts'

/** Runs one command line and returns its exit code. It never throws: every error is one line on stderr. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  const stdoutError = watchStreams(io)
  const exitCode = await runCommandLine(args, io)
  await write(io.stdout, '').catch(() => {}) // now what nobody waited for is written too, or has failed
  const error = stdoutError()
  return error && exitCode === exitCodes.completed ? report(error, false, io) : exitCode
}

async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  let exitCode: number = exitCodes.completed
  const program = createProgram(io, (code) => (exitCode = code))
  try {
    if (args.length === 0) await write(io.stdout, program.helpInformation())
    else await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
    return await report(error, args.includes('--debug'), io)
  }
}

/** In the order in which the help lists them. */
const COMMANDS: Readonly<Record<string, readonly AddCommand[]>> = {
  'Start and go on:': [runCommand, spawnCommand, continueCommand, forkCommand, recoverCommand, serveCommand],
  'Look:': [psCommand, lsCommand, showCommand, logCommand, inboxCommand],
  'Act:': [
    steerCommand,
    pauseCommand,
    interruptCommand,
    backgroundCommand,
    cancelCommand,
    closeCommand,
    approveCommand,
    answerCommand,
  ],
  'Data:': [exportCommand, importCommand, rmCommand, gcCommand],
  'Check:': [
    agentsCommand,
    modelsCommand,
    configCommand,
    permissionsCommand,
    doctorCommand,
    completionCommand,
  ],
}

type AddCommand = (program: Command, io: Io, setExitCode: SetExitCode) => void

/** Every command with its options and arguments; nothing is run before `parseAsync`. */
export function createProgram(io: Io, setExitCode: SetExitCode): Command {
  const program = new Command('offshoot')
    .description('Delegate to subagents that can be watched, steered, stopped and continued.')
    .version(version(), '--version')
    .option('--debug', 'show stack traces of errors')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => helpWidth(io.stdout),
      getErrHelpWidth: () => helpWidth(io.stderr),
      outputError: (text, write) => write(terminalText(text.replace(/^error: /, 'offshoot: '))),
    })
    .showHelpAfterError('  offshoot --help lists the commands, offshoot COMMAND --help their options')
    .showSuggestionAfterError()
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    program.commandsGroup(heading)
    for (const command of commands) command(program, io, setExitCode)
  }
  laterCommands(program)
  layOutHelp(program)
  return program
}

async function report(error: unknown, debug: boolean, io: Io): Promise<number> {
  if (isClosedPipe(error)) return exitCodes.completed
  const known = error instanceof OffshootError
  const lines = [`offshoot: ${terminalLine(errorMessage(error))}`]
  if (known && error.hint) lines.push(`  ${terminalLine(error.hint)}`)
  if (!known && !debug) lines.push('  this is a defect; --debug shows where it happened')
  if (debug && error instanceof Error) lines.push(terminalText(error.stack ?? ''))
  await say(io, `${lines.join('\n')}\n`)
  return known ? exitCodeOfError(error.code) : exitCodes.failed
}
