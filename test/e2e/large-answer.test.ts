import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { providerEnvironment, startRawServer } from '../support/model-server.ts'
import { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

const HUNDRED_MB = 100 * 1024 * 1024
const PIECE = 'x'.repeat(64 * 1024)

test('a tool argument of 100 MB fails a run, which takes little memory', async () => {
  const user = new TestUser()
  const server = await startRawServer((_, response) => sendArgument(response))
  try {
    const ended = await measured(user, server.url)
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/more than 8 MiB/) })
    expect(ended.peaks.length).toBeGreaterThan(0)
    expect(Math.max(...ended.peaks)).toBeLessThan(400)
    expect(user.rows('SELECT status FROM runs')).toEqual([{ status: 'failed' }])
  } finally {
    await server.close()
    user.remove()
  }
}, 60_000)

async function measured(user: TestUser, url: string) {
  const folder = join(user.root, 'peaks')
  mkdirSync(folder)
  const [node, ...args] = user.command(['run', 'go', '-m', 'openai-compatible/m', '--mode', 'auto'])
  const teller = join(import.meta.dirname, 'fixtures/tell-peak-memory.ts')
  const env = { ...user.env, ...providerEnvironment('openai-compatible', url), PEAKS: folder }
  const ended = await new StartedProgram([node, '--import', teller, ...args], { cwd: user.directory, env })
    .ended
  const peaks = readdirSync(folder).map((name) => Number(readFileSync(join(folder, name), 'utf8')))
  return { ...ended, peaks }
}

/** As much as is asked for, unless nobody reads on. */
async function sendArgument(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const pieces = function* () {
    yield frame({ id: 'c', function: { name: 'write', arguments: '{"path":"a","content":"' } })
    const piece = frame({ function: { arguments: PIECE } })
    for (let sent = 0; sent < HUNDRED_MB; sent += PIECE.length) yield piece
  }
  await pipeline(Readable.from(pieces()), response).catch(() => {})
}

function frame(call: object): string {
  const choice = { index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null }
  return `data: ${JSON.stringify({ id: 'a', choices: [choice] })}\n\n`
}
