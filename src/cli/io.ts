import type { Env } from '../runtime/config.ts'

/** What the program touches of its process; injected so that commands run in tests as they do in a terminal. */
export interface Io {
  readonly env: Env
  /** Where the user stands: relative paths are relative to it. */
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Calls `handler` for each SIGINT and SIGTERM; the returned function ends that. */
  onSignal(handler: (signal: 'SIGINT' | 'SIGTERM') => void): () => void
}

export function processIo(): Io {
  return {
    env: process.env,
    cwd: userDirectory(process.env),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onSignal(handler) {
      process.on('SIGINT', handler).on('SIGTERM', handler)
      return () => void process.off('SIGINT', handler).off('SIGTERM', handler)
    },
  }
}

/** `npm start` runs the program in the clone's directory and keeps the user's own in INIT_CWD. */
function userDirectory(env: Env): string {
  const byNpm = env['npm_lifecycle_event'] === 'start' && env['npm_package_name'] === 'offshoot'
  return (byNpm && env['INIT_CWD']) || process.cwd()
}

/** Writes all of it before the promise settles: a pipe takes what it can, and process exit would drop the rest. */
export function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())))
}

/** All of stdin as UTF-8. */
export async function readStdin(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks).toString('utf8')
}
