// A model server in a process of its own: Chat Completions with streaming, played out by the prompt (workload.ts).
// Prints its base URL, and ends with its stdin.
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { LOOKUP, TASK, turnsPrompt } from './workload.ts'

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

interface Call {
  readonly name: string
  readonly input: object
}

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    })
    answer(JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest, response)
  })
})

server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
})
process.stdin.on('end', () => process.exit()).resume()

function answer(request: ChatRequest, response: http.ServerResponse): void {
  const prompt = textOf(request.messages.find((message) => message.role === 'user')?.content)
  const [verb, ...words] = prompt.split(' ')
  const [first = 0, second = 0, third = 0] = words.map(Number)
  const turn = request.messages.filter((message) => message.role === 'assistant').length
  if (verb === 'deltas') return writeFast(response, first)
  if (verb === 'children') return writeAnswer(response, spawns(turn, first, turnsPrompt(second, third)))
  const key = third === 0 ? `key ${turn}` : `key ${turn} of ${third}`
  const calls = turn < first ? [{ name: LOOKUP.name, input: { key } }] : []
  if (second === 0) writeAnswer(response, calls)
  else setTimeout(writeAnswer, second, response, calls)
}

function writeAnswer(response: http.ServerResponse, calls: readonly Call[]): void {
  writeOneByOne(response, [
    start(),
    ...PIECES.map((content) => event({ content })),
    ...calls.flatMap(callEvents),
    ...end(calls.length > 0 ? 'tool_calls' : 'stop'),
  ])
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return (content as { text?: string }[] | undefined)?.map((part) => part.text ?? '').join('') ?? ''
}

function spawns(turn: number, children: number, prompt: string): readonly Call[] {
  if (turn > 0) return []
  return Array.from({ length: children }, (_, i) => ({
    name: TASK.name,
    input: { subagent_type: 'child', description: `child ${i}`, prompt, max_tokens: TOKENS_OF_CHILD },
  }))
}

/** Without a number each of many children would reserve a share of what is left, and the last ones would wait. */
const TOKENS_OF_CHILD = 100_000

/** As models do: each event when it is there, so that most of them are a packet of their own. */
function writeOneByOne(response: http.ServerResponse, events: readonly string[], at = 0): void {
  if (at === events.length) return void response.end()
  response.write(events[at])
  setImmediate(() => writeOneByOne(response, events, at + 1))
}

/** Many pieces of text, as fast as the reader takes them. */
function writeFast(response: http.ServerResponse, deltas: number): void {
  const one = event({ content: ' word' })
  let left = deltas
  response.write(start())
  const more = () => {
    while (left-- > 0) if (!response.write(one)) return void response.once('drain', more)
    response.end(end('stop').join(''))
  }
  more()
}

/** A dozen pieces of text. */
const PIECES = 'I shall look at what is known about the next of the keys'.split(/(?= )/)

/** A call, its arguments in four pieces. */
function callEvents({ name, input }: Call, index: number): string[] {
  const id = `call_${index}_${callNumber++}`
  const json = JSON.stringify(input)
  const size = Math.ceil(json.length / 4)
  const pieces = Array.from({ length: 4 }, (_, i) => json.slice(i * size, (i + 1) * size))
  const first = { index, id, type: 'function', function: { name, arguments: '' } }
  return [first, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))].map((call) =>
    event({ tool_calls: [call] }),
  )
}

let callNumber = 0

function start(): string {
  return event({ role: 'assistant', content: '' })
}

function end(reason: string): string[] {
  const usage = { prompt_tokens: 500, completion_tokens: 20, total_tokens: 520 }
  return [event({}, reason), line({ ...ENVELOPE, choices: [], usage }), 'data: [DONE]\n\n']
}

const ENVELOPE = {
  id: 'chatcmpl-8f3b0c54d21e4a60b7',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'bench',
}

function event(delta: object, reason: string | null = null): string {
  return line({ ...ENVELOPE, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] })
}

function line(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
