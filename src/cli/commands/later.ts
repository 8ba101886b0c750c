import type { Command } from 'commander'
import { OffshootError } from '../../core/errors.ts'
import { LATER, type LATER_NAMES } from '../help.ts'

/** The commands that are known but not there yet. Each says so in one sentence, whatever stands behind it. */
export function laterCommands(program: Command): void {
  for (const [name, { does, instead }] of Object.entries(COMMANDS)) laterCommand(program, name, does, instead)
}

interface Later {
  readonly does: string
  /** What to do until then. */
  readonly instead: string
}

const FOR_PROGRAMS = 'offshoot run --output-format stream-json is for programs'

const COMMANDS: Readonly<Record<(typeof LATER_NAMES)[number], Later>> = {
  mcp: { does: 'a server for programs that speak MCP', instead: FOR_PROGRAMS },
  acp: { does: 'an agent for editors that speak ACP', instead: FOR_PROGRAMS },
  bridge: { does: 'a bridge to chats', instead: FOR_PROGRAMS },
  worker: { does: 'run subagents on another machine', instead: FOR_PROGRAMS },
}

/** Takes any arguments and options, so that what was typed is refused for the one reason that counts. */
function laterCommand(parent: Command, name: string, does: string, instead: string): void {
  const path = parent.parent ? `${parent.name()} ${name}` : name
  parent
    .command(name, { hidden: true }) // not to be suggested for another word
    .helpGroup(LATER)
    .description(`${does} (not available yet)`)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw notYet(`offshoot ${path}`, instead)
    })
}

function notYet(what: string, hint: string): OffshootError {
  return new OffshootError('usage', `${what} is not available yet; it comes with a later version`, { hint })
}
