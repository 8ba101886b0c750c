import type { Command } from 'commander'
import { commands } from '../../scripts/cli-docs.mjs'

/** Every command of the program, as the help lists them. */
export function programCommands(): readonly Command[] {
  return commands()
}
