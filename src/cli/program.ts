import { Command, CommanderError } from 'commander'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { terminalLine, terminalText } from '../core/terminal-text.ts'
import { bestEffort } from '../core/rejections.ts'
import { checkCaller } from './person-only-commands.ts'
import { laterCommands } from './commands/later.ts'
import { exitCodeOfError, exitCodes, type SetExitCode } from './exit-codes.ts'
import { helpWidth, layOutHelp } from './help.ts'
import { suggestChoices } from './meant-choice.ts'
import { refuseEmptyPaths } from './typed-path.ts'
import { cleanText, isClosedPipe, put, writeStderr, watchStreams, write, type Io } from './io.ts'
import { asStarted, refuseOptionsOfNpm } from './npm-start.ts'
import { parserMessage } from './parser-message.ts'
import { refuseTextAsOption } from './text-as-option.ts'
import { version } from './version.ts'

/** Runs one command line and returns its exit code. It never throws: every error is one line on stderr. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  const stdoutError = watchStreams(io)
  const exitCode = await runCommandLine(args, io)
  await bestEffort(write(io, '')) // now what nobody waited for is written too, or has failed
  const error = stdoutError()
  return error && exitCode === exitCodes.completed ? report(error, false, io) : exitCode
}

async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  let exitCode: number = exitCodes.completed
  try {
    refuseOptionsOfNpm(io.env)
    const line = await commandLineOf(args)
    const program = await createProgram(io, (code) => (exitCode = code), line[0])
    refuseTextAsOption(program, line)
    if (line.length > 0) await program.parseAsync(line, { from: 'user' })
    else await (await import('./no-arguments.ts')).answerNoArguments(program, io)
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
    return await report(error, args.includes('--debug'), io)
  }
}

/** What begins with no command may be a prompt: `offshoot "where is it?"`. */
async function commandLineOf(args: readonly string[]): Promise<readonly string[]> {
  const [first] = args
  if (first === undefined || NAMES.has(first)) return args
  return (await import('./foreign/implied-run.ts')).impliedRun(args, NAMES)
}

/** In the order in which the help lists them. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, LoadCommand>>>> = {
  'Start and resume:': {
    run: async () => (await import('./commands/run.ts')).runCommand,
    spawn: async () => (await import('./commands/spawn.ts')).spawnCommand,
    continue: async () => (await import('./commands/continue.ts')).continueCommand,
    fork: async () => (await import('./commands/fork.ts')).forkCommand,
    recover: async () => (await import('./commands/recover.ts')).recoverCommand,
    serve: async () => (await import('./commands/serve.ts')).serveCommand,
    sessions: async () => (await import('./commands/sessions.ts')).sessionsCommand,
  },
  'Inspect:': {
    ps: async () => (await import('./commands/ps.ts')).psCommand,
    ls: async () => (await import('./commands/ls.ts')).lsCommand,
    show: async () => (await import('./commands/show.ts')).showCommand,
    log: async () => (await import('./commands/log.ts')).logCommand,
    inbox: async () => (await import('./commands/inbox.ts')).inboxCommand,
  },
  'Control:': {
    steer: async () => (await import('./commands/steer.ts')).steerCommand,
    pause: async () => (await import('./commands/pause.ts')).pauseCommand,
    interrupt: async () => (await import('./commands/interrupt.ts')).interruptCommand,
    background: async () => (await import('./commands/background.ts')).backgroundCommand,
    cancel: async () => (await import('./commands/cancel.ts')).cancelCommand,
    close: async () => (await import('./commands/close.ts')).closeCommand,
    approve: async () => (await import('./commands/approve.ts')).approveCommand,
    answer: async () => (await import('./commands/answer.ts')).answerCommand,
  },
  'Data:': {
    export: async () => (await import('./commands/export.ts')).exportCommand,
    import: async () => (await import('./commands/import.ts')).importCommand,
    rm: async () => (await import('./commands/rm.ts')).rmCommand,
    gc: async () => (await import('./commands/gc.ts')).gcCommand,
  },
  'Check:': {
    agents: async () => (await import('./commands/agents.ts')).agentsCommand,
    models: async () => (await import('./commands/models.ts')).modelsCommand,
    config: async () => (await import('./commands/config.ts')).configCommand,
    permissions: async () => (await import('./commands/permissions.ts')).permissionsCommand,
    trust: async () => (await import('./commands/trust.ts')).trustCommand,
    doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
    completion: async () => (await import('./commands/completion.ts')).completionCommand,
  },
}

type LoadCommand = () => Promise<AddCommand>
type AddCommand = (program: Command, io: Io, setExitCode: SetExitCode) => void

const NAMES: ReadonlySet<string> = new Set(
  Object.values(COMMANDS).flatMap((commands) => Object.keys(commands)),
)

/** Those that have no use for the others. */
const SINGLE = new Map(
  Object.values(COMMANDS)
    .flatMap((commands) => Object.entries(commands))
    .filter(([name]) => name !== 'completion'),
)

/**
 * The commands with their options and arguments; nothing is run before `parseAsync`. Where `typed` names one it is that
 * one alone: a start takes as long as what it loads.
 */
export async function createProgram(io: Io, setExitCode: SetExitCode, typed = ''): Promise<Command> {
  const program = new Command('offshoot')
  program
    .description('Run an agent and its subagents; watch, steer, stop and resume each one.')
    .version(version(), '-v, --version')
    .option('--debug', 'show stack traces of errors')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => put(io, text),
      writeErr: (text) => void io.stderr.write(asStarted(io.env, cleanText(io, text))),
      getOutHelpWidth: () => helpWidth(io.stdout),
      getErrHelpWidth: () => helpWidth(io.stderr),
      outputError: (text, write) => write(terminalText(parserMessage(text, program))),
    })
    .showSuggestionAfterError()
    .hook('preAction', (_, command) => checkCaller(command, io))
  const single = SINGLE.get(typed)
  if (single) (await single())(program, io, setExitCode)
  else if (typed !== '--version' && typed !== '-v') await addAll(program, io, setExitCode) // which is answered before any command is read
  layOutHelp(program)
  suggestChoices(program)
  refuseEmptyPaths(program)
  return program
}

/** One after the other: they stand in the help as they come. */
async function addAll(program: Command, io: Io, setExitCode: SetExitCode): Promise<void> {
  for (const [heading, commands] of Object.entries(COMMANDS)) {
    const loaded = await Promise.all(Object.values(commands).map((load) => load()))
    program.commandsGroup(heading)
    for (const add of loaded) add(program, io, setExitCode)
  }
  laterCommands(program)
}

async function report(error: unknown, debug: boolean, io: Io): Promise<number> {
  if (isClosedPipe(error)) return exitCodes.completed
  const known = error instanceof OffshootError
  const lines = [`offshoot: ${terminalLine(errorMessage(error))}`]
  if (known && error.hint) lines.push(`  ${terminalLine(error.hint)}`)
  if (!known && !debug) lines.push('  this is a defect; --debug shows where it happened')
  if (debug && error instanceof Error) lines.push(terminalText(error.stack ?? ''))
  await writeStderr(io, `${lines.join('\n')}\n`)
  return known ? exitCodeOfError(error.code) : exitCodes.failed
}
