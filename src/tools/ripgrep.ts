import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorMessage } from '../core/errors.ts'
import { runProcess } from '../exec/run-process.ts'
import { SpawnError } from '../exec/spawn-error.ts'
import { ToolError, type ToolContext } from './port.ts'

export interface RipgrepOptions {
  readonly args: readonly string[]
  /** Working directory; printed paths are relative to it. */
  readonly directory: string
  /** Only matching files; a glob without `/` matches names at any depth. */
  readonly glob?: string
  /** Whether ignore files above the directory apply too. */
  readonly parents: boolean
  readonly context: Pick<ToolContext, 'signal' | 'processMarks' | 'guard'>
}

export interface RipgrepResult {
  readonly output: string
  readonly found: boolean
  /** There was more output than the limit. */
  readonly truncated: boolean
  /** ripgrep's messages about files that it could not search; usually empty. */
  readonly problems: string
}

const MAX_OUTPUT = 2 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** @throws ToolError `missing_program`, `invalid_pattern`, `timeout`, or a SpawnError's reason. */
export async function ripgrep(options: RipgrepOptions): Promise<RipgrepResult> {
  const program = await ripgrepPath()
  if (options.glob === undefined) return run(program, options, [])
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-'))
  try {
    const file = join(directory, 'ignore')
    await writeFile(file, ignoreAllBut(options.glob))
    const result = await run(program, options, [`--ignore-file=${file}`])
    if (result.problems.includes(`${file}: line`)) throw globError(options.glob, result.problems)
    return result
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The search program. @throws ToolError `missing_program` */
export async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath
  } catch {
    throw noRipgrep()
  }
}

function noRipgrep(): ToolError {
  const name = `@vscode/ripgrep-${process.platform}-${process.arch}`
  return new ToolError(
    'missing_program',
    `this search needs ripgrep, and it is not installed (package ${name})`,
    `Install ${name}; until then use list and read.`,
  )
}

/**
 * Writes a glob as an ignore file of the lowest rank, so that .gitignore still applies; ripgrep's own --glob with a
 * pattern such as `**` would include ignored files.
 */
function ignoreAllBut(glob: string): string {
  if (/[\r\n\0]/.test(glob))
    throw new ToolError('invalid_pattern', 'a glob is one line; use {a,b} for alternatives')
  const pattern = glob.replace(/^(\.\/)+/, '').replace(/\/$/, '/**')
  return `*\n!*/\n!${pattern}\n`
}

async function run(
  program: string,
  options: RipgrepOptions,
  more: readonly string[],
): Promise<RipgrepResult> {
  const { signal, processMarks, guard } = options.context
  const enough = new AbortController()
  let received = 0
  const result = await runProcess({
    program,
    args: [...COMMON, ...(options.parents ? [] : ['--no-ignore-parent']), ...more, ...options.args],
    directory: options.directory,
    streams: 'apart',
    marks: processMarks,
    guard,
    headSize: MAX_OUTPUT,
    tailSize: 0,
    timeoutMs: TIMEOUT_MS,
    onOutput: (text) => {
      received += text.length
      if (received > MAX_OUTPUT) enough.abort()
    },
    signal: AbortSignal.any([signal, enough.signal]),
  }).catch((error: unknown) => {
    throw error instanceof SpawnError ? startError(error) : error
  })
  signal.throwIfAborted()
  if (result.timedOut)
    throw new ToolError(
      'timeout',
      `the search took more than ${TIMEOUT_MS / 1_000} s`,
      'Search a smaller directory.',
    )
  const problems = result.errorOutput.trim()
  if (result.exitCode === 2 && result.output === '' && !ABOUT_FILES.test(problems))
    throw searchError(problems)
  return {
    output: result.output,
    found: result.output !== '',
    truncated: result.aborted || result.droppedBytes > 0,
    problems,
  }
}

/** ripgrep also exits with 2 if some files or ignore files are unreadable. */
const ABOUT_FILES = /^rg: .*(?:\(os error \d+\)$|: line \d+: error parsing glob )/m

const COMMON = ['--no-config', '--color=never', '--hidden', '--glob=!.git', '--no-require-git']

function startError({ reason, message }: SpawnError): ToolError {
  return reason === 'program_missing' ? noRipgrep() : new ToolError(reason, message)
}

function globError(glob: string, problems: string): ToolError {
  const reason = problems.replace(/^.*?error parsing glob '.*?': /s, '').split('\n')[0]
  return new ToolError('invalid_pattern', `the glob ${glob} cannot be used: ${reason}`)
}

function searchError(problems: string): ToolError {
  const reason = errorMessage(problems)
    .replace(/^rg: |Consider enabling PCRE2.*$/g, '')
    .trim()
    .slice(0, 600)
  return new ToolError(
    'invalid_pattern',
    `the search failed: ${reason}`,
    'Patterns are Rust regular expressions, without look-around and backreferences; put \\ before ( ) [ ] { } . * + ? | ^ $ to search for them.',
  )
}
