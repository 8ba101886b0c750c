import { Option } from 'commander'
import { resolve } from 'node:path'
import { FORMATS, type FormatName } from '../../agents/agent-format.ts'
import { isTypedDirectory } from '../typed-path.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { FileDiagnosis } from '../../project/agent-diagnosis.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import type { GroupCommand, PlaceFlags } from './group-command.ts'

interface CheckFlags {
  readonly format?: FormatName
}

/** `agents check [path...]`: of each file whether it is an agent or a skill, and what of it is ignored. */
export function addAgentsCheck(agents: GroupCommand, io: Io, setExitCode: SetExitCode): void {
  const command = agents
    .add('check', 'check agent files and skills: which are loaded, and which fields are ignored')
    .argument('[path...]', 'files, or directories with them; default: those of the directory and the user')
    .addOption(new Option('--format <format>', 'the program that the files are for').choices(FORMATS))
    .action(async (paths: readonly string[]) => {
      const files = await diagnose(paths, command.opts<CheckFlags>(), agents.flags(), io)
      const ok = files.every(({ status }) => status !== 'skipped')
      await write(io, agents.flags().json ? jsonLine({ ok, files }) : checkText(files))
      if (!ok) setExitCode(exitCodes.failed)
    })
}

async function diagnose(
  paths: readonly string[],
  { format }: CheckFlags,
  { directory }: PlaceFlags,
  io: Io,
): Promise<readonly FileDiagnosis[]> {
  const { diagnoseFiles, diagnoseWorkspace } = await import('../../project/agent-diagnosis.ts')
  const { root } = createWorkspace(resolve(io.cwd, directory))
  if (paths.length === 0) return await diagnoseWorkspace(root, io.env)
  const found: FileDiagnosis[] = []
  for (const path of paths) {
    const place = resolve(io.cwd, path)
    found.push(...(await diagnoseFiles(place, isTypedDirectory(path, io), io.env, format)))
  }
  return found
}

/** For people; in JSON, `ignored` means that parts of the file are. */
const STATUS_WORDS: Readonly<Record<FileDiagnosis['status'], string>> = {
  ok: 'ok',
  ignored: 'used in part',
  held: 'held',
  skipped: 'skipped',
}

function checkText(files: readonly FileDiagnosis[]): string {
  const lines = files.flatMap(({ status, path, name, reason, ignored }) => [
    [
      STATUS_WORDS[status].padEnd(12),
      terminalLine(path),
      ...(name === null ? [] : [terminalLine(name)]),
    ].join('  '),
    ...[...(reason === null ? [] : [reason]), ...ignored].map(
      (each) => `${' '.repeat(14)}${terminalLine(each)}`,
    ),
  ])
  const skipped = files.filter(({ status }) => status === 'skipped').length
  const count = files.length === 1 ? '1 file' : `${files.length} files`
  return `${[...lines, `${count}, ${skipped} skipped`].join('\n')}\n`
}
