import type { Command } from 'commander'
import { resolve } from 'node:path'
import { terminalLine } from '../../core/terminal-text.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import type { Check } from '../doctor/check.ts'
import { configChecks } from '../doctor/config-checks.ts'
import { repairChecks } from '../doctor/repair-checks.ts'
import { storeChecks } from '../doctor/store-checks.ts'
import { systemChecks } from '../doctor/system-checks.ts'
import { exitCodeOfError, exitCodes, type SetExitCode } from '../exit-codes.ts'
import { write, type Io } from '../io.ts'
import { besideLines, outputColumns } from '../terminal/hanging-lines.ts'
import { jsonLine } from '../terminal/json-line.ts'
import { version } from '../version.ts'
import { withoutCredentials } from '../../config/without-credentials.ts'
import type { PlaceFlags } from './group-command.ts'

export function doctorCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  program
    .command('doctor')
    .description('check the installation; sends nothing, and changes nothing without --repair')
    .option('-C, --directory <dir>', 'check this directory', '.')
    .option('--json', 'print JSON on one line')
    .option('--repair', 'copy what can be read of a damaged database to a new one, and keep the damaged one')
    .action(async ({ directory, json, repair }: DoctorFlags) => {
      const repaired = repair ? shown(await repairChecks(io.env)) : []
      const checks = [...repaired, ...(await allChecks(createWorkspace(resolve(io.cwd, directory)).root, io))]
      const problems = checks.filter(({ status }) => status === 'problem')
      const document = { version: version(), ok: problems.length === 0, checks }
      await write(
        io,
        json ? jsonLine(document) : checks.map((check) => checkText(check, outputColumns(io))).join(''),
      )
      setExitCode(exitCodeOf(problems))
    })
}

interface DoctorFlags extends PlaceFlags {
  readonly repair?: true
}

async function allChecks(directory: string, { env }: Io): Promise<Check[]> {
  const found = await Promise.all([
    systemChecks(directory, env),
    storeChecks(env),
    configChecks(directory, env),
  ])
  return shown(found.flat())
}

function shown(checks: readonly Check[]): Check[] {
  return checks.map(({ message, ...check }) => ({ ...check, message: withoutCredentials(message) }))
}

const MARKS = { ok: '✓', warning: '!', problem: '✗' } as const

function checkText({ name, status, message, hint }: Check, columns: number): string {
  const head = `${MARKS[status]} ${status.padEnd(7)}  ${name.padEnd(13)}  `
  const below = hint === undefined ? [] : besideLines(' '.repeat(head.length), terminalLine(hint), columns)
  const lines = [...besideLines(head, terminalLine(message), columns), ...below]
  return lines.map((line) => `${line}\n`).join('')
}

/** A wrong configuration or database counts more than the rest. */
function exitCodeOf(problems: readonly Check[]): number {
  const codes = problems.map(({ code = 'internal' }) => exitCodeOfError(code))
  if (codes.includes(exitCodes.config)) return exitCodes.config
  return codes.length > 0 ? exitCodes.failed : exitCodes.completed
}
