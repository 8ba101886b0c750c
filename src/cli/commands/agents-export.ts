import { Option } from 'commander'
import { resolve } from 'node:path'
import { FOREIGN_FORMATS, type ForeignFormat } from '../../agents/agent-format.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { loadProjectWithWarnings } from '../load-project.ts'
import type { GroupCommand } from './group-command.ts'

/** `agents export <agent> --format F`: the file goes to stdout, what it cannot say to stderr. */
export function addAgentsExport(agents: GroupCommand, io: Io): void {
  const command = agents
    .add('export', 'print an agent as a file of another program; prints what is lost')
    .argument('<agent>')
    .addOption(
      new Option('--format <format>', 'the program that the file is for')
        .choices(FOREIGN_FORMATS)
        .makeOptionMandatory(),
    )
    .action(async (name: string) => {
      const { exportAgent } = await import('../../agents/foreign/export-agent.ts')
      const { format } = command.opts<{ format: ForeignFormat }>()
      const { agents: known } = await loadProjectWithWarnings(resolve(io.cwd, agents.flags().directory), io)
      const { text, lost } = exportAgent(known.require(name), format)
      for (const each of lost) await writeStderr(io, `offshoot: ${terminalLine(each)}\n`)
      await write(io, text)
    })
}
