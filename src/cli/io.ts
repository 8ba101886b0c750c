import { isAbsolute, resolve } from 'node:path'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { once } from '../core/once.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import { terminalText } from '../core/terminal-text.ts'
import type { TestPorts } from '../runtime/host/compose.ts'
import type { Env } from '../config/homes.ts'
import { callerEnvironment } from '../person/started-by-agent.ts'
import { secretMask } from '../config/known-secrets.ts'
import { onEndSignal, type EndSignal } from './early-signals.ts'

/** What the program touches of its process; injected so that commands run in tests as they do in a terminal. */
export interface Io {
  readonly env: Env
  /** Where the user stands: relative paths are relative to it. */
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Calls `handler` for each signal that asks the program to end; the returned function ends that. */
  onSignal(handler: (signal: EndSignal) => void): () => void
  /** Sends this process the SIGINT that Ctrl-C stands for. */
  interrupt(): void
  /** Ends the process as it stands. */
  exit(code: number): void
  /** Tests alone have it; the program that is published never sets it. */
  readonly testPorts?: TestPorts
}

/** Its `cwd`, and `env` where it depends on that, throw OffshootError `usage` when the directory is gone. */
export function processIo(): Io {
  const env = once(() => callerEnvironment(process.env, process.pid))
  return {
    get env() {
      return withAbsoluteHome(env())
    },
    get cwd() {
      return userDirectory(process.env)
    },
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onSignal: onEndSignal,
    interrupt: () => void process.kill(process.pid, 'SIGINT'),
    exit: (code) => process.exit(code),
  }
}

/** `npm start` runs the program in the clone's directory and keeps the user's own in INIT_CWD. */
function userDirectory(env: Env): string {
  const byNpm = env['npm_lifecycle_event'] === 'start' && env['npm_package_name'] === 'offshoot'
  return (byNpm && env['INIT_CWD']) || workingDirectory()
}

function workingDirectory(): string {
  try {
    return process.cwd()
  } catch (cause) {
    const message = 'the current directory no longer exists, or you may not read it'
    throw new OffshootError('usage', message, { cause, hint: 'cd to another one, then try again' })
  }
}

/** Under npm the process stands in the clone, and the user elsewhere. */
function withAbsoluteHome(env: Env): Env {
  const home = env['OFFSHOOT_HOME']
  return home && !isAbsolute(home) ? { ...env, OFFSHOOT_HOME: resolve(userDirectory(env), home) } : env
}

/**
 * Without a listener a stream that breaks (its reader has gone, its disk is full) ends the process with a stack trace.
 * Returns what first went wrong with stdout; without stderr the work goes on.
 */
export function watchStreams({ stdout, stderr }: Io): () => OffshootError | undefined {
  let first: OffshootError | undefined
  stdout.on('error', (error) => (first ??= outputError(error)))
  stderr.on('error', () => {})
  return () => first
}

/**
 * Writes all of it before the promise settles: a pipe takes what it can, and process exit would drop the rest. Wherever
 * it goes, it holds no secret that is known, and nothing that a terminal takes for a command.
 * @throws OffshootError when stdout does not take it.
 */
export function write(io: Io, text: string): Promise<void> {
  return writeRaw(io, cleanText(io, text))
}

/** The same for what a person approves: nothing that a shell would run is hidden. */
export function writeApproval(io: Io, text: string): Promise<void> {
  return writeRaw(io, cleanApproval(io, text))
}

/** The text as it is: only where somebody has asked for that. */
export function writeRaw({ stdout }: Pick<Io, 'stdout'>, text: string): Promise<void> {
  return new Promise((done, reject) =>
    stdout.write(text, (error) => (error ? reject(outputError(error)) : done())),
  )
}

/** The same without waiting until it is written. */
export function put(io: Io, text: string): void {
  io.stdout.write(cleanText(io, text))
}

/** Writes to stderr; nobody is worse off when it cannot be read. */
export function writeStderr(io: Io, text: string): Promise<void> {
  return new Promise((done) => io.stderr.write(cleanText(io, text), () => done()))
}

/** Without known secrets, and without commands to a terminal. */
export function cleanText(io: Io, text: string): string {
  return terminalText(maskOf(io).text(text))
}

/** The same for what a person approves: nothing that a shell would run is hidden. */
export function cleanApproval(io: Io, text: string): string {
  return terminalText(maskOf(io).approval(text))
}

const masks = new WeakMap<Io, SecretMask>()

/** What the command has learnt of secrets beyond those of the environment. */
export function useMask(io: Io, mask: SecretMask): void {
  masks.set(io, mask)
}

function maskOf(io: Io): SecretMask {
  const known = masks.get(io) ?? secretMask(io.env)
  masks.set(io, known)
  return known
}

export function outputError(cause: Error): OffshootError {
  return new OffshootError('internal', `the output cannot be written: ${errorMessage(cause)}`, { cause })
}

/** Whether whoever read our output has had enough of it. */
export function isClosedPipe(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
  return cause?.code === 'EPIPE'
}

/** All of stdin as UTF-8. */
export async function readStdin(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}
