import { Argument, type Command } from 'commander'
import { bashScript } from '../completion/bash.ts'
import { candidates } from '../completion/candidates.ts'
import { fishScript } from '../completion/fish.ts'
import { COMPLETED_KINDS, completionTable, type CompletedKind } from '../completion/command-table.ts'
import { zshScript } from '../completion/zsh.ts'
import { write, type Io } from '../io.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript }
const SHELLS = ['bash', 'zsh', 'fish'] as const

export function completionCommand(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => write(io, SCRIPTS[shell](completionTable(program))))
  program
    .command('__complete', { hidden: true })
    .description('what the scripts ask for: one candidate a line, and after a tab what it is')
    .addArgument(new Argument('<what>').choices(COMPLETED_KINDS))
    .action(async (what: CompletedKind) => {
      // somebody is typing: nothing is said rather than something that does not belong there
      const found = await Promise.try(() => candidates(what, io.cwd, io.env)).catch(() => [])
      await write(io, found.map(({ word, about }) => `${word}\t${about}\n`).join(''))
    })
}
