import type { Command } from 'commander'
import { nearestName } from '../../core/nearest-name.ts'
import { OffshootError } from '../../core/errors.ts'
import { insteadOfSubcommand, otherSubcommand } from '../foreign/other-names.ts'
import { LATER } from '../help.ts'

/** Which directory is looked at, and how it is told. */
export interface PlaceFlags {
  readonly directory: string
  readonly json?: true
}

export interface GroupCommand {
  readonly command: Command
  /** A subcommand with the same options. */
  add(name: string, description: string): Command
  /** What was typed before or after the subcommand. */
  flags(): PlaceFlags
}

/** A command that does something by itself and has subcommands, all of them about a directory. */
export function groupCommand(
  program: Command,
  name: string,
  description: string,
  run: (flags: PlaceFlags) => Promise<void>,
): GroupCommand {
  const command = placeOptions(program.command(name).description(description))
  command.commandsGroup('Commands:').helpCommand(false)
  command.allowExcessArguments().action(async () => {
    if (command.args.length > 0) throw unknownSubcommand(command)
    await run(command.opts())
  })
  return {
    command,
    add: (sub, about) => placeOptions(command.command(sub).description(about)).allowExcessArguments(false),
    // its options are taken by the command above, wherever they stand
    flags: () => command.opts(),
  }
}

function placeOptions(command: Command): Command {
  return command
    .option('-C, --directory <dir>', 'use this directory', '.')
    .option('--json', 'print JSON on one line')
}

export function unknownSubcommand(command: Command): OffshootError {
  const [typed = ''] = command.args
  const known = command.commands.filter((each) => each.helpGroup() !== LATER).map((each) => each.name())
  const near = otherSubcommand(typed, known) ?? nearestName(typed, known)
  const isOfBrowsers = command.name() === 'sessions' && near === 'ls'
  const browsers = isOfBrowsers ? ' It lists browsers; offshoot ls lists conversations' : ''
  const instead = insteadOfSubcommand(command.name(), typed)
  const hint = instead ?? (near ? `did you mean ${near}?${browsers}` : `commands: ${known.join(', ')}`)
  const message = `unknown command ${JSON.stringify(typed.slice(0, 64))} of offshoot ${command.name()}`
  return new OffshootError('usage', message, { hint })
}
