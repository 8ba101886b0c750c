import { resolve } from 'node:path'
import { terminalLine } from '../../core/terminal-text.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import type { GroupCommand } from './group-command.ts'

/** `agents commands`: the slash-command files of the directory and the user. */
export function addAgentsCommands(agents: GroupCommand, io: Io): void {
  agents
    .add('commands', 'list slash-command files of this and other programs; Offshoot cannot run them')
    .action(async () => {
      const { directory, json } = agents.flags()
      const [{ findCommands }, { homesOf }] = await Promise.all([
        import('../../agents/command-files.ts'),
        import('../../project/agent-sources.ts'),
      ])
      const { root } = createWorkspace(resolve(io.cwd, directory))
      const commands = await findCommands(homesOf(root, io.env))
      if (json) return await write(io, jsonLine(commands))
      const lines = commands.map(({ name, description, path, problem }) => {
        const about = problem === null ? description : `cannot be read: ${problem}`
        return `/${terminalLine(name).padEnd(16)} ${terminalLine(about)}  (${terminalLine(path)})\n`
      })
      await write(io, lines.join(''))
    })
}
