import { bestEffort } from '../core/rejections.ts'
import { spawn } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { providerEnvironment, startRawServer, type HttpProvider } from '../../test/support/model-server.ts'

const HUNDRED_MB = 100 * 1024 * 1024
const PIECE = 'x'.repeat(64 * 1024)

interface Wire {
  readonly begin: readonly object[]
  readonly piece: object
}

const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c',
  name: 'write',
  arguments: '',
  status: 'in_progress',
}
const delta = (fields: object) => ({ id: 'a', choices: [{ index: 0, delta: fields, finish_reason: null }] })
const block = (fields: object) => ({ type: 'content_block_start', index: 0, content_block: fields })
const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  usage: { input_tokens: 1, output_tokens: 1 },
}

/** How each provider sends pieces of the input of a call, and of text. */
const WIRES: Readonly<Record<'input' | 'text', Partial<Record<HttpProvider, Wire>>>> = {
  input: {
    'openai-compatible': {
      begin: [
        delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'write', arguments: '{"a":"' } }] }),
      ],
      piece: delta({ tool_calls: [{ index: 0, function: { arguments: PIECE } }] }),
    },
    openai: {
      begin: [
        { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
        { type: 'response.output_item.added', output_index: 0, item: call },
      ],
      piece: {
        type: 'response.function_call_arguments.delta',
        item_id: 'fc_1',
        output_index: 0,
        delta: PIECE,
      },
    },
    anthropic: {
      begin: [
        { type: 'message_start', message },
        block({ type: 'tool_use', id: 'c', name: 'write', input: {} }),
      ],
      piece: {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: PIECE },
      },
    },
  },
  text: {
    'openai-compatible': { begin: [], piece: delta({ content: PIECE }) },
    anthropic: {
      begin: [{ type: 'message_start', message }, block({ type: 'text', text: '' })],
      piece: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: PIECE } },
    },
    google: {
      begin: [],
      piece: { candidates: [{ content: { role: 'model', parts: [{ text: PIECE }] } }] },
    },
  },
}

const event = (data: object) =>
  `event: ${'type' in data ? String(data.type) : 'message'}\ndata: ${JSON.stringify(data)}\n\n`

/** As much as is asked for, unless nobody reads on. */
async function send(response: ServerResponse, begin: string, piece: string): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const pieces = function* () {
    yield begin
    for (let sent = 0; sent < HUNDRED_MB; sent += piece.length) yield piece
  }
  await bestEffort(pipeline(Readable.from(pieces()), response))
}

const servers: { close(): Promise<void> }[] = []
afterAll(() => Promise.all(servers.map((server) => server.close())))

/** Another process reads the answer, so that what it takes is its own. */
async function read(provider: HttpProvider, begin: string, piece: string) {
  const server = await startRawServer((_, response) => send(response, begin, piece))
  servers.push(server)
  const model = {
    anthropic: 'anthropic',
    openai: 'openai',
    google: 'google',
    'openai-compatible': 'openai-compatible/m',
  }
  const file = fileURLToPath(new URL('fixtures/read-answer.ts', import.meta.url))
  const child = spawn(process.execPath, [file, model[provider]], {
    env: { PATH: process.env['PATH'], ...providerEnvironment(provider, server.url) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await text(child.stdout)) as { chars: number; error: string; maxRssMb: number }
}

const rows = Object.entries(WIRES).flatMap(([what, wires]) =>
  Object.entries(wires).map(([provider, wire]) => [what, provider as HttpProvider, wire] as const),
)

test.each(rows)(
  '100 MB of %s from %s are not read to their end, and take little memory',
  async (_, provider, wire) => {
    const { chars, error, maxRssMb } = await read(provider, wire.begin.map(event).join(''), event(wire.piece))
    expect(error).toMatch(/more than 8 MiB/)
    expect(chars).toBeLessThan(9 * 1024 * 1024)
    expect(maxRssMb).toBeLessThan(300)
  },
  60_000,
)

test.each(['google', 'openai-compatible'] as const)(
  '100 MB in one line from %s are not read to their end',
  async (provider) => {
    const { error, maxRssMb } = await read(
      provider,
      'data: {"candidates": [{"content": {"parts": [{"text": "',
      PIECE,
    )
    expect(error).toMatch(/a line of the answer is longer than the limit of 16 MiB/)
    expect(maxRssMb).toBeLessThan(300)
  },
  60_000,
)
