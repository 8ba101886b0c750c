import { Option } from 'commander'
import { resolve } from 'node:path'
import { FORMATS, type FormatName } from '../../agents/agent-format.ts'
import { isTypedDirectory } from '../typed-path.ts'
import { OffshootError } from '../../core/errors.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { ImportedFile } from '../../project/import-agents.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import type { GroupCommand } from './group-command.ts'

interface ImportFlags {
  readonly format?: FormatName
  readonly force?: true
}

/** `agents import <file...>`: writes ours from theirs; prints the paths that were written. */
export function addAgentsImport(agents: GroupCommand, io: Io): void {
  const command = agents
    .add('import', 'convert agent files of other programs into .offshoot/agents; prints what is lost')
    .argument('<file...>')
    .addOption(new Option('--format <format>', 'the program that the files are for').choices(FORMATS))
    .option('--force', 'replace existing files')
    .action(async (paths: readonly string[]) => {
      const { importAgentFile } = await import('../../project/import-agents.ts')
      const { directory, json } = agents.flags()
      const { root } = createWorkspace(resolve(io.cwd, directory))
      const options = { ...command.opts<ImportFlags>(), root, env: io.env }
      for (const path of paths) isTypedDirectory(path, io)
      const imported: ImportedFile[] = []
      for (const path of paths) imported.push(...(await importAgentFile(resolve(io.cwd, path), options)))
      await writeStderr(io, lostText(imported))
      const written = imported.filter(({ to }) => to !== null)
      await write(io, json ? jsonLine(imported) : written.map(({ to }) => `${terminalLine(to!)}\n`).join(''))
      const failed = imported.length - written.length
      if (failed > 0) throw notImported(failed, imported.length)
    })
}

/** So many lines are printed of what is lost. */
const MAX_LINES = 100

function lostText(imported: readonly ImportedFile[]): string {
  const all = imported.flatMap(({ from, notes }) => notes.map((note) => terminalLine(`${from}: ${note}`)))
  const more = all.length - MAX_LINES
  const rest = more > 0 ? [`and ${more} more; --json lists all of them`] : []
  return [...all.slice(0, MAX_LINES), ...rest].map((line) => `offshoot: ${line}\n`).join('')
}

function notImported(failed: number, all: number): OffshootError {
  return new OffshootError('conflict', `${failed} of ${all} agents were not imported`, {
    hint: 'see the lines above; offshoot agents check prints details',
  })
}
