import { findProgram } from '../exec/find-program.ts'
import type { Guard } from '../exec/start-guard.ts'
import { runProcess, type ProcessOptions } from '../exec/run-process.ts'

/** Time limit, milliseconds. */
const TIMEOUT_MS = 1_000

/**
 * Uncommitted changes in a directory of a git repository, as text; undefined if git does not answer in time. Runs
 * nothing that the repository configures: filters are disabled by name, monitor and hooks by the environment. Git itself
 * is not taken from the workspace.
 */
export async function readVcsState(
  directory: string,
  guard?: Guard,
  workspace = directory,
): Promise<string | undefined> {
  const program = findProgram('git', { path: process.env['PATH'], outside: [workspace, directory] })
  if (program === undefined) return undefined
  const git = (args: readonly string[]) => runGit({ program, args, directory, guard })
  const names = await git(['config', '--name-only', '--get-regexp', '^filter\\.'])
  const filters = names === undefined ? undefined : filterNames(names)
  if (!filters) return undefined
  const off = filters.flatMap((name) =>
    ['clean', 'smudge', 'process'].flatMap((key) => ['-c', `filter.${name}.${key}=`]),
  )
  const required = filters.flatMap((name) => ['-c', `filter.${name}.required=false`])
  const status = ['status', '--porcelain', '--no-renames', '--ignore-submodules=all', '--', '.']
  const output = await git(['--no-optional-locks', ...off, ...required, ...status])
  return output === undefined ? undefined : changesText(output.split('\n').filter(Boolean).length)
}

/** undefined: a filter has a name that git cannot take as an argument. */
function filterNames(lines: string): readonly string[] | undefined {
  const names = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => /^filter\.([\w.-]+)\.\w+$/.exec(line)?.[1])
  return names.every((name) => name !== undefined) ? [...new Set(names)] : undefined
}

function changesText(count: number): string {
  if (count === 0) return 'clean'
  return count === 1 ? '1 file changed' : `${count} files changed`
}

/** undefined: it failed, or was too slow. A missing setting is not a failure. */
async function runGit(
  options: Pick<ProcessOptions, 'program' | 'args' | 'directory' | 'guard'>,
): Promise<string | undefined> {
  try {
    const marks = { GIT_NO_LAZY_FETCH: '1' }
    const { exitCode, output, droppedBytes } = await runProcess({
      ...options,
      streams: 'apart',
      marks,
      timeoutMs: TIMEOUT_MS,
    })
    const isEmpty = options.args[0] === 'config' && exitCode === 1
    return (exitCode === 0 || isEmpty) && droppedBytes === 0 ? output : undefined
  } catch {
    return undefined
  }
}
