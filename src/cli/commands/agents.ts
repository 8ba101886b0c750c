import type { Command } from 'commander'
import { resolve } from 'node:path'
import { builtinAgents } from '../../agents/builtin-agents.ts'
import { loadAgents } from '../../agents/load.ts'
import { ownDirectories } from '../../agents/own-format.ts'
import { createAgentRegistry } from '../../agents/registry.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { noteText } from '../../runtime/compose.ts'
import { configHome } from '../../runtime/config.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { say, write, type Io } from '../io.ts'
import { jsonLine } from '../json-line.ts'

export function agentsCommand(program: Command, io: Io): void {
  program
    .command('agents')
    .description('list the agents of a directory')
    .option('-C, --directory <dir>', 'the directory to work on', '.')
    .option('--json', 'one JSON array')
    .action(async ({ directory, json }: { directory: string; json?: true }) => {
      const { root } = createWorkspace(resolve(io.cwd, directory))
      const found = await loadAgents(ownDirectories(root, configHome(io.env)))
      for (const note of found.notes) await say(io, `offshoot: ${terminalLine(noteText(note))}\n`)
      const agents = createAgentRegistry([...found.agents, ...builtinAgents()]).list()
      if (json) return write(io.stdout, jsonLine(agents))
      const lines = agents.map(
        ({ name, description, maxTurns }) =>
          `${name.padEnd(12)} ${maxTurns ?? '-'} turns  ${terminalLine(description)}`,
      )
      await write(io.stdout, lines.map((line) => `${line}\n`).join(''))
    })
}
