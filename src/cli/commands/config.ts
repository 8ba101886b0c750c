import type { Command } from 'commander'
import { resolve } from 'node:path'
import { harmlessJson } from '../../core/harmless-json.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import { dataHome } from '../../config/homes.ts'
import { configJsonSchema } from '../../config/json-schema.ts'
import { heldBack, loadProject, shownRequest, trustWarnings } from '../../project/project.ts'
import { sandboxInForce, sandboxText } from '../../project/sandbox-in-force.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { configValues, type ConfigValue } from '../../config/config-values.ts'
import { writeStderr, write, type Io } from '../io.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { ruleText } from '../terminal/rule-text.ts'
import { groupCommand, type PlaceFlags } from './group-command.ts'

export function configCommand(program: Command, io: Io): void {
  const description = 'print the configuration, with the source of each value and without keys'
  const config = groupCommand(program, 'config', description, (flags) => print(flags, io))
  config.command
    .command('schema')
    .allowExcessArguments(false)
    .description('print the JSON Schema of a configuration file, for editors')
    .action(() => write(io, `${harmlessJson(JSON.stringify(configJsonSchema(), null, 2))}\n`))
}

async function print({ directory, json }: PlaceFlags, io: Io): Promise<void> {
  const { root } = createWorkspace(resolve(io.cwd, directory))
  const { loaded: all, trust } = await loadProject(root, io.env)
  const { sources, ...loaded } = all
  const warnings = [...trustWarnings(trust), ...all.warnings]
  const held = heldBack(trust).map(shownRequest)
  const { values, permissions } = configValues({ sources, ...loaded })
  const { delegations } = loaded.config
  for (const warning of warnings) await writeStderr(io, `offshoot: ${terminalLine(warning)}\n`)
  const files = sources.flatMap(({ name, file, found }) => (file === null ? [] : [{ name, file, found }]))
  const run = { directories: [root], ownDirectories: [], env: io.env } as const
  const inForce = await sandboxInForce(loaded.config.sandbox.mode, run)
  const places = { directory: root, data: dataHome(io.env), sandboxInForce: sandboxText(inForce) }
  if (json) return write(io, jsonLine({ ...places, files, values, permissions, held, warnings }))
  const heads = files.map(({ name, file, found }) => [name, found ? file : `${file} (not found)`] as const)
  const rows = [
    ...[...Object.entries(places), ...heads].map(([name, text]) => [name, terminalLine(text)]),
    [],
    ...values
      .filter(({ key }) => key !== 'delegations')
      .map(({ key, value, source }) => [terminalLine(key), valueText(value), source]),
    ...(permissions.length > 0 ? [[]] : []),
    ...permissions.map(({ tool, pattern, action, source }) => [action, ruleText({ tool, pattern }), source]),
    ...(delegations.length > 0 ? [[]] : []),
    ...delegations.map((each) => [
      'delegated',
      terminalLine(`${each.agent} for ${each.for}: ${ruleText(each)}`),
      values.find(({ key }) => key === 'delegations')!.source,
    ]),
    ...(held.length > 0 ? [[]] : []),
    ...held.map(({ file, text }) => ['not granted', terminalLine(text), terminalLine(file)]),
  ]
  await write(io, table(rows))
}

function valueText(value: ConfigValue['value']): string {
  return typeof value === 'string' ? terminalLine(value) : JSON.stringify(value)
}

/** Columns of equal width; a long cell pushes what is right of it and nothing else. */
function table(rows: readonly (readonly string[])[]): string {
  const lines = rows.map(([first = '', second = '', third = '']) =>
    `${first.padEnd(26)} ${second.padEnd(28)} ${third}`.trimEnd(),
  )
  return lines.map((line) => `${line}\n`).join('')
}
