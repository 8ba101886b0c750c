import { arch, release, type } from 'node:os'
import { tryGuard } from '../../exec/start-guard.ts'
import { runProcess } from '../../exec/run-process.ts'
import { errorMessage } from '../../core/errors.ts'
import { ripgrepPath } from '../../tools/ripgrep.ts'
import type { Env } from '../../config/homes.ts'
import { version } from '../version.ts'
import { failed, ok, problem, warning, type Check } from './check.ts'

/** The program, and what it runs on and starts. */
export async function systemChecks(directory: string, env: Env): Promise<readonly Check[]> {
  const asked = await Promise.all([git(directory, env), ripgrep(directory, env), guard()])
  return [
    ok('program', `offshoot ${version()}`),
    ok('node', `${process.version} at ${process.execPath}`),
    system(),
    ...asked,
  ]
}

/** What it is developed and tested on. */
function system(): Check {
  const name = `${type()} ${release()} ${arch()}`
  if (process.platform === 'linux') return ok('system', name)
  return warning('system', `${name}: tested on Linux only`)
}

async function git(directory: string, env: Env): Promise<Check> {
  try {
    return ok('git', await firstLine('git', directory, env))
  } catch (error) {
    return warning('git', errorMessage(error), 'Without git, agents know nothing about branches and changes.')
  }
}

async function ripgrep(directory: string, env: Env): Promise<Check> {
  try {
    return ok('ripgrep', await firstLine(await ripgrepPath(), directory, env))
  } catch (error) {
    return failed('ripgrep', error, 'Reinstall Offshoot: glob and grep need ripgrep.')
  }
}

async function guard(): Promise<Check> {
  if (await tryGuard().catch(() => false)) return ok('guard', 'its process starts and ends')
  const hint =
    'Check whether this user may start processes (ulimit -u). Without the guard, commands can outlive the program.'
  return problem('guard', 'its process does not start', hint)
}

async function firstLine(program: string, directory: string, environment: Env): Promise<string> {
  const { output, exitCode } = await runProcess({
    program,
    args: ['--version'],
    directory,
    environment,
    timeoutMs: 5_000,
  })
  if (exitCode !== 0) throw new Error(`${program} --version failed (exit code ${exitCode ?? 'none'})`)
  return output.split('\n')[0]!.trim()
}
