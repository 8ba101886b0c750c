import { Command, CommanderError } from 'commander'
import { readFileSync } from 'node:fs'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { terminalLine } from '../core/terminal-text.ts'
import { agentsCommand } from './commands/agents.ts'
import { lsCommand } from './commands/ls.ts'
import { modelsCommand } from './commands/models.ts'
import { runCommand } from './commands/run.ts'
import { showCommand } from './commands/show.ts'
import { exitCodeOfError, exitCodes, type SetExitCode } from './exit-codes.ts'
import { write, type Io } from './io.ts'

/** Runs one command line and returns its exit code. It never throws: every error is one line on stderr. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
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

function createProgram(io: Io, setExitCode: SetExitCode): Command {
  const program = new Command('offshoot')
    .description('Delegate work to subagents that can be watched, steered, stopped, continued and paid for.')
    .version(version(), '--version')
    .option('--debug', 'show stack traces of errors')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    })
    .showHelpAfterError('(offshoot --help lists the commands)')
    .showSuggestionAfterError()
  for (const command of [runCommand, lsCommand, showCommand, agentsCommand, modelsCommand])
    command(program, io, setExitCode)
  return program
}

function version(): string {
  return (
    JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
  ).version
}

async function report(error: unknown, debug: boolean, io: Io): Promise<number> {
  if (isClosedPipe(error)) return exitCodes.completed // whoever read our output has had enough
  const known = error instanceof OffshootError
  const lines = [`offshoot: ${terminalLine(errorMessage(error))}`]
  if (known && error.hint) lines.push(`  ${terminalLine(error.hint)}`)
  if (!known && !debug) lines.push('  this is a defect; --debug shows where it happened')
  if (debug && error instanceof Error) lines.push(error.stack ?? '')
  await write(io.stderr, `${lines.join('\n')}\n`).catch(() => {})
  return known ? exitCodeOfError(error.code) : exitCodes.failed
}

function isClosedPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'
}
