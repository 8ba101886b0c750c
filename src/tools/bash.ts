import { isWide, wideningWords } from '../core/command-sandbox.ts'
import { workingTools } from '../core/rules/tool-names.ts'
import { access, constants } from 'node:fs/promises'
import { delimiter, join, relative } from 'node:path'
import { z } from 'zod'
import { limitScript } from '../exec/lock-limit.ts'
import type { ProcessOptions, ProcessResult } from '../exec/run-process.ts'
import { SandboxError } from '../exec/sandbox/sandbox-error.ts'
import { SpawnError } from '../exec/spawn-error.ts'
import { isUnlisted } from './cell/network/host-rule.ts'
import { sandboxHints } from './cell/sandbox-hints.ts'
import type { CommandResult, MovedAway, ReachedHost, RefusedPath } from './command-cell.ts'
import { defineTool, describeTool, titleLine } from './define-tool.ts'
import { ToolError, type AnyTool, type ToolContext } from './port.ts'
import { runUnconfined } from './run-unconfined.ts'
import { hostText, readHost, wideningInput, wideningOf, wideningSubjects } from './cell/widening.ts'

const inputSchema = z.lazy(() =>
  z.object({
    command: z.string().min(1).describe('the command line'),
    timeout_ms: z.int().min(1).max(600_000).optional().describe('milliseconds, 120000 by default'),
    description: z.string().optional().describe('what it does, in a few words'),
    run_in_background: z.boolean().optional().describe('not available: a call always waits for its command'),
    widen: wideningInput.optional(),
  }),
)

type Input = z.infer<typeof inputSchema>

const DEFAULT_TIMEOUT_MS = 120_000
/** A stop uses this mark to find everything that one call started. */
const CALL_MARK = 'OFFSHOOT_CALL_ID'

/** `bash {command, timeout_ms?, description?, widen?}`: a command in its own process group. */
export function bashTool(): AnyTool {
  return defineTool<Input, BashOutput>({
    name: 'bash',
    toolset: 'shell',
    description: describeTool('bash.txt'),
    inputSchema,
    effects: 'execute',
    idempotent: false,
    usesCell: true,
    aliases: workingTools.bash.aliases,
    inputAliases: {
      cmd: 'command',
      script: 'command',
      timeout: 'timeout_ms',
      timeoutMs: 'timeout_ms',
      background: 'run_in_background',
    },
    subject: (input) => [
      { kind: 'command', value: input.command },
      ...wideningSubjects(wideningOf(input.widen)),
    ],
    title,
    detail: (input) => input.command,
    execute,
    toModelOutput: (output) => ({ text: render(output) }),
    exitCode: (output) => output.result.exitCode,
  })
}

/** What it asks for comes first: it is not cut off, and no command can be written to look like it. */
function title({ command, widen }: Input): string {
  const more = wideningWords(wideningOf(widen))
  return titleLine(`${more && `with ${more}: `}$ ${command}`)
}

interface BashOutput {
  readonly result: ProcessResult
  /** What it made and the sandbox has moved away, in words. */
  readonly moved: readonly string[]
  /** What the sandbox has refused, and what it never has, in words. */
  readonly refused: readonly string[]
  /** Its sandbox has ended with it. */
  readonly wasAlone: boolean
  readonly timeoutMs: number
}

async function execute(input: Input, context: ToolContext): Promise<BashOutput> {
  if (input.run_in_background) {
    throw new ToolError(
      'not_available',
      'run_in_background is not available: a call waits for its command',
      'Run the command without it, with a timeout_ms that is long enough.',
    )
  }
  const timeoutMs = input.timeout_ms ?? DEFAULT_TIMEOUT_MS
  const ran = await start(input, timeoutMs, context)
  const { result, moved, reached, sandbox, widened, wasAlone } = ran
  const { command } = input
  const more = isWide(widened) ? { widened } : {}
  context.receipt?.({ type: 'command', command, exitCode: result.exitCode, sandbox, ...more })
  for (const { host, port, refused, sent, received } of reached)
    context.receipt?.({ type: 'connection', host, port, allowed: refused === null, sent, received })
  if (result.aborted)
    throw new ToolError(
      'interrupted',
      `interrupted after ${result.durationMs} ms; it had printed:\n${result.output}`,
    )
  const said = moved.map((each) => movedText(each, context.workspace.root))
  const hints = sandbox === 'off' ? [] : sandboxHints(result)
  return { result, moved: said, refused: [...refusedTexts(ran), ...hints], wasAlone, timeoutMs }
}

async function start(
  { command, widen }: Input,
  timeoutMs: number,
  context: ToolContext,
): Promise<CommandResult> {
  const mark = { name: CALL_MARK, value: context.run.callId }
  const marks = { ...context.processMarks, [mark.name]: mark.value }
  try {
    const options: ProcessOptions = {
      // one pipe for stdout and stderr keeps their order
      program: '/bin/sh',
      args: [
        '-c',
        `${limitScript(marks)}; exec "$@" 2>&1`,
        'sh',
        await findShell(process.env['PATH'] ?? ''),
        '-c',
        command,
      ],
      directory: context.workspace.root,
      marks,
      sweep: mark,
      guard: context.guard,
      timeoutMs,
      onOutput: (text) => context.emit(text),
      signal: context.signal,
    }
    return await (context.cell?.run(options, wideningOf(widen)) ?? runUnconfined(options))
  } catch (error) {
    if (error instanceof SandboxError) throw new ToolError('sandbox', error.message, SANDBOX_HINT)
    if (error instanceof SpawnError) throw new ToolError(error.reason, error.message)
    throw error
  }
}

const SANDBOX_HINT = 'The next command gets a new sandbox; what ran in this one is gone.'

function movedText({ from, to }: MovedAway, root: string): string {
  return `${relative(root, from)} may not be made in the sandbox and is ${relative(root, to)} now`
}

const MAX_REFUSED = 5

function refusedTexts({ reached, refusedPaths }: CommandResult): string[] {
  const refused = reached.filter((each) => each.refused !== null)
  const more = refused.length - MAX_REFUSED
  const hosts = refused.slice(0, MAX_REFUSED)
  return [
    ...hosts.map(({ host, port, refused: why }) => `the sandbox refused ${host}:${port}: ${why}`),
    ...(more > 0 ? [`the sandbox refused ${more} more`] : []),
    ...refusedPaths.map(pathText),
    ...askAgainTexts(hosts, refusedPaths),
  ]
}

/** The output is the command's own: what it says of a path is not more than that. */
function pathText({ path, isReadOnly, directory }: RefusedPath): string {
  if (!isReadOnly) return `its output names ${path}, which is not shown in the sandbox`
  const what = `its output names ${path}, which can only be read in the sandbox`
  return directory === null ? `${what} and cannot be asked for` : what
}

/** Only for what a person can allow this way; a name that is listed and refused all the same leads to a private address. */
function askAgainTexts(refused: readonly ReachedHost[], paths: readonly RefusedPath[]): string[] {
  const hosts = refused
    .filter(({ refused: why }) => why !== null && isUnlisted(why))
    .map(hostText)
    .filter((text) => !('problem' in readHost(text)))
  const directories = [...new Set(paths.flatMap(({ directory }) => directory ?? []))]
  if (hosts.length + directories.length === 0) return []
  const widen = {
    ...(hosts.length > 0 ? { hosts } : {}),
    ...(directories.length > 0 ? { directories } : {}),
  }
  return [`to ask a person for it, run the command again with "widen": ${JSON.stringify(widen)}`]
}

async function findShell(path: string): Promise<string> {
  for (const name of ['bash', 'sh']) {
    for (const directory of path.split(delimiter)) {
      const candidate = join(directory, name)
      if (directory && (await isProgram(candidate))) return candidate
    }
  }
  throw new ToolError(
    'program_missing',
    'there is neither bash nor sh on this machine; commands cannot be run here',
  )
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

const LEFT_RUNNING = 'a process that it started still runs; it is stopped when this run ends'
const ENDED_WITH_IT = 'a process that it started was stopped with it: its sandbox was for this command alone'

function render({ result, moved, refused, wasAlone, timeoutMs }: BashOutput): string {
  const output = result.output === '' ? '(no output)\n' : result.output.replace(/\n?$/, '\n')
  const notes = [ending(result, timeoutMs)]
  if (result.leftRunning) notes.push(wasAlone ? ENDED_WITH_IT : LEFT_RUNNING)
  if (result.survivors.length > 0) notes.push(`could not be stopped: process ${result.survivors.join(', ')}`)
  notes.push(...moved, ...refused)
  return `${output}(${notes.join('; ')})`
}

function ending({ exitCode, signal, timedOut }: ProcessResult, timeoutMs: number): string {
  const code = exitCode === null ? `no exit code, ended by ${signal ?? 'a stop'}` : `exit code ${exitCode}`
  return timedOut ? `timed out after ${timeoutMs} ms; ${code}` : code
}
