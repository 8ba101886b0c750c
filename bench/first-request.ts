import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODEL } from './workload.ts'

const PROGRAM = fileURLToPath(new URL('../dist/offshoot.js', import.meta.url))

/** Milliseconds from the start of a process to its first request. */
export interface Start {
  readonly bare: number
  /** What an earlier start has compiled is on disk: as from the second start on. */
  readonly offshoot: number
  /** Without that: the very first start. */
  readonly first: number
}

/** Whether there is a build to start (`npm run build`). */
export function isBuilt(): boolean {
  return existsSync(PROGRAM)
}

/** The command of the build in a directory without settings, beside a bare script that sends the same request with `fetch`. */
export async function measureStarts(rounds: number): Promise<readonly Start[]> {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-bench-'))
  try {
    const body = await firstRequest(directory, commandLine, { whole: true }) // what is compiled is kept on disk from now on
    await cp(join(directory, DATA), join(directory, KEPT), { recursive: true })
    const script = join(directory, 'bare.mjs')
    await writeFile(script, bareScript(body.text))
    const starts: Start[] = []
    for (let round = 0; round < rounds; round++) {
      const bare = await firstRequest(directory, (url) => [script, url])
      const offshoot = await firstRequest(directory, commandLine)
      const first = await firstRequest(directory, commandLine, { env: { NODE_DISABLE_COMPILE_CACHE: '1' } })
      starts.push({ bare: bare.ms, offshoot: offshoot.ms, first: first.ms })
    }
    return starts
  } finally {
    await rm(directory, { recursive: true })
  }
}

function commandLine(): readonly string[] {
  return [PROGRAM, 'run', '-m', `openai-compatible/${MODEL}`, 'turns 0']
}

function bareScript(body: string): string {
  return `await fetch(process.argv[2] + '/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: ${JSON.stringify(body)},
})
`
}

interface StartOptions {
  /** The request is refused, and the process ends by itself. */
  readonly whole?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** The data directory of the command, and as its first run has left it: runs that are cut are left to no later start. */
const DATA = 'data'
const KEPT = 'kept'

async function putBack(directory: string): Promise<void> {
  await rm(join(directory, DATA), { recursive: true })
  await cp(join(directory, KEPT), join(directory, DATA), { recursive: true })
}

/** Starts Node with these arguments, and ends it when its first request has come. */
async function firstRequest(
  directory: string,
  args: (url: string) => readonly string[],
  { whole = false, env: more = {} }: StartOptions = {},
) {
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const env = {
    PATH: process.env['PATH'],
    HOME: directory,
    OFFSHOOT_HOME: join(directory, DATA),
    OPENAI_BASE_URL: url,
    ...more,
  }
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...args(url)], { cwd: directory, stdio: 'ignore', env })
  const ended = once(child, 'exit')
  try {
    const [request, response] = (await once(server, 'request')) as [http.IncomingMessage, http.ServerResponse]
    const ms = performance.now() - startedAt
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string
    if (whole) {
      response.writeHead(400).end()
      await ended
    }
    return { ms, text }
  } finally {
    child.kill('SIGKILL')
    await ended
    if (!whole) await putBack(directory)
    server.closeAllConnections()
    server.close()
  }
}
