import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What one process measured, for each turn, delta, child or append. */
export interface Figures {
  /** User and system time of the process. Microseconds. */
  readonly cpuUs: number
  readonly wallUs: number
  /** Largest resident size above that before the work. */
  readonly memoryBytes: number
  readonly turns: number
  readonly characters: number
}

/** Bytes a turn: of the store, and of the messages in a request. */
export interface StoredBytes {
  readonly stored: number
  readonly own: number
}

/** Runs one contestant in a process of its own. @throws when it fails. */
export async function runContestant<T = Figures>(
  name: string,
  scenario: string,
  baseUrl: string,
  sizes: readonly number[],
): Promise<T> {
  const child = start('contestant.ts', [name, scenario, baseUrl, ...sizes.map(String)])
  const [output, [code]] = await Promise.all([
    outputOf(child),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(`${name} failed in ${scenario} (exit code ${code})`)
  return JSON.parse(output) as T
}

/** Starts the model server in a process of its own; it ends when it is disposed of, or with this process. */
export async function startModelServer(): Promise<{ readonly baseUrl: string } & AsyncDisposable> {
  const child = start('model-server.ts', [])
  const [line] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string]
  return {
    baseUrl: line.trim(),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.stdin!.end()
      await ended
    },
  }
}

function start(file: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const env = { ...process.env, NODE_NO_WARNINGS: '1', AI_SDK_LOG_WARNINGS: 'false' }
  return spawn(process.execPath, ['--expose-gc', path, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
}

async function outputOf({ stdout }: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of stdout!.setEncoding('utf8')) text += chunk as string
  return text
}
