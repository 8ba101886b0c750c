import { findProgram } from '../../exec/find-program.ts'
import { runProcess } from '../../exec/run-process.ts'
import type { Guard } from '../../exec/start-guard.ts'
import type { CellPlaces } from './cell-layout-of.ts'

/** Time limit, milliseconds. */
const TIMEOUT_MS = 1_000
const KEYS = ['user.name', 'user.email']

/**
 * For ~/.gitconfig of a cell: who commits, as the person's own settings say for the workspace, and nothing else of them.
 * Empty where they do not say it. As a file and not as variables: what the repository says goes before it.
 */
export async function gitSettings(
  { directories, env }: Pick<CellPlaces, 'directories' | 'env'>,
  guard: Guard | undefined,
): Promise<string> {
  const program = findProgram('git', { path: env['PATH'], outside: directories })
  if (program === undefined) return '' // without git nobody commits
  const pattern = `^(${KEYS.map((key) => key.replace('.', '\\.')).join('|')})$`
  try {
    const { exitCode, output } = await runProcess({
      program,
      args: ['config', '--includes', '--show-scope', '--null', '--get-regexp', pattern],
      directory: directories[0],
      streams: 'apart',
      environment: env,
      guard,
      timeoutMs: TIMEOUT_MS,
    })
    return exitCode === 0 ? settingsText(output) : ''
  } catch {
    return '' // it cannot be started
  }
}

/** `output`: pairs of a scope, and a key and its value on the lines after it. */
function settingsText(output: string): string {
  const parts = output.split('\0')
  const own = parts.filter((_, index) => parts[index - 1] === 'global' && index % 2 === 1)
  return own
    .map((part) => {
      const at = part.indexOf('\n')
      const name = part.slice('user.'.length, at)
      return at < 0 ? '' : `[user]\n\t${name} = ${quoted(part.slice(at + 1))}\n`
    })
    .join('')
}

function quoted(value: string): string {
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${escaped}"`
}
