import { bestEffort } from '../core/rejections.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, it, test, vi } from 'vitest'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import { z } from 'zod'
import { cpuMsOf } from '../../test/support/cpu-time.ts'
import { createMemoryStore } from '../store/memory.ts'
import { scriptedModel } from '../testing.ts'
import { agent } from './agent.ts'
import { createOffshoot } from './offshoot.ts'
import { modelText } from './tool-output-text.ts'
import { tool } from './tool.ts'

const home = mkdtempSync(join(tmpdir(), 'offshoot-library-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const own = (execute: () => unknown, more: object = {}) =>
  tool({ name: 'own', description: 'own', inputSchema: z.object({}), effects: 'none', execute, ...more })

/** What the model read of one call of a tool that does this. */
async function outcome(one: ReturnType<typeof own>) {
  const script = { main: [{ toolCalls: [{ tool: 'own', input: {} }] }, { text: 'the run goes on' }] }
  await using t = await testOffshoot({ tools: [one], script })
  const run = await (await t.offshoot.chat()).send('go')
  expect(await t.clock.until(run.result())).toMatchObject({ status: 'completed', text: 'the run goes on' })
  const [call] = t.store.find('tool_calls', {})
  const part = t.store.get('parts', call!.resultPartId!)!.part
  const text = part.type === 'tool-result' ? part.output.text : ''
  return { status: call!.status, code: call!.error?.code, text, size: t.store.find('artifacts', {})[0]?.size }
}

const cyclic: Record<string, unknown> = { name: 'a', list: [1n] }
cyclic['self'] = cyclic
const shared = { x: 1 }

describe('the environment of createOffshoot', () => {
  it.each([
    ['process.env', process.env],
    ['an object with a prototype of its own, as process.env is', Object.create({ constructor: class {} })],
  ])('may be %s', async (_, prototype) => {
    const env = prototype === process.env ? process.env : Object.assign(prototype, { HOME: home })
    const offshoot = await createOffshoot({ env, model: 'offline', store: ':memory:', directory: home })
    expect(offshoot.model).toBe('offline')
    await offshoot.close()
  })

  it.each([
    ['a text', 'HOME=/', 'env: expected record, received string'],
    ['a list', ['HOME=/'], 'env: expected record, received array'],
    ['a Map', new Map([['HOME', '/']]), 'env: expected record, received Map'],
    ['a number in it', { HOME: 1 }, 'env.HOME: expected string, received number'],
  ])('may not be %s', async (_, env, problem) => {
    await expect(createOffshoot({ env: env as never, store: ':memory:' })).rejects.toMatchObject({
      code: 'usage',
      message: `createOffshoot: ${problem}`,
    })
  })
})

describe('what a tool of the program’s own may do', () => {
  it.each([
    ['a text', 'plain', 'plain'],
    ['nothing', undefined, '(it returned nothing)'],
    ['null', null, 'null'],
    ['a bigint', 12n, '"12"'],
    ['a cyclic object', cyclic, '{"name":"a","list":["1"],"self":"[circular]"}'],
    ['one object twice', [shared, shared], '[{"x":1},{"x":1}]'],
    ['a function', () => 1, '(it returned a function)'],
    ['a symbol', Symbol('s'), '(it returned a symbol)'],
    ['a map', new Map([['a', { b: 1 }]]), '[["a",{"b":1}]]'],
    ['a map in itself', mapInItself(), '[["self","[circular]"]]'],
    ['an error', { failed: new TypeError('no') }, '{"failed":{"name":"TypeError","message":"no"}}'],
    ['not a number', Number.NaN, 'null'],
    ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['objects of primitives', [Object(1), Object('a'), Object(true)], '[1,"a",true]'],
    ['what JSON has no word for', { a: undefined, b: () => 1, c: [undefined] }, '{"c":[null]}'],
    ['a Buffer', Buffer.alloc(1000), '(it returned a Buffer of 1000 bytes)'],
    ['an ArrayBuffer', new ArrayBuffer(8), '(it returned a ArrayBuffer of 8 bytes)'],
    [
      'bytes inside',
      { image: new Uint8Array(3), blob: new Blob(['ab']) },
      '{"image":"[Uint8Array of 3 bytes]","blob":"[Blob of 2 bytes]"}',
    ],
    ['a stream inside', { body: new Response('x').body }, '{"body":"[ReadableStream]"}'],
  ])('returns %s', async (_, value, text) => {
    expect(await outcome(own(() => value))).toMatchObject({ status: 'completed', text })
  })

  it('returns 100 MB: head and tail are kept', async () => {
    const { status, text, size } = await outcome(own(() => 'x'.repeat(100 * 1024 * 1024)))
    expect(status).toBe('completed')
    expect(text.length).toBeLessThan(40_000)
    expect(size).toBeLessThan(5 * 1024 * 1024)
  })

  it.each([
    ['a Buffer of 100 MB', () => Buffer.alloc(100_000_000)],
    ['a typed array inside', () => ({ data: new Float64Array(20_000_000) })],
    ['a long list', () => Array.from({ length: 5_000_000 }, (_, i) => i)],
    ['a list of nothing', () => Object.assign([], { length: 2 ** 32 - 1 })],
    ['a long text inside', () => ['x'.repeat(100_000_000)]],
    ['more fields than are looked at', () => new Map([[1, Array(3_000_000).fill({ a: undefined })]])],
  ])('returns %s: it blocks nobody, and little is kept', async (_, make) => {
    const value = make()
    let text = ''
    expect(await cpuMsOf(() => (text = modelText(value)))).toBeLessThan(1_500)
    expect(text.length).toBeLessThan(4.5 * 1024 * 1024)
  })

  it.each([
    ['an async generator', async function* () {}, 'AsyncGenerator'],
    ['a generator', function* () {}, 'Generator'],
    ['a stream', () => new Response('x').body, 'ReadableStream'],
    ['an answer of fetch', () => new Response('x'), 'Response'],
    ['a stream of Node', () => Readable.from(['x']), 'Readable'],
  ])('returns %s: the call fails and says so', async (_, execute, kind) => {
    expect(await outcome(own(execute))).toMatchObject({
      status: 'failed',
      code: 'tool_error',
      text: `own failed: it returned a ${kind}: read it and return its content instead`,
    })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
      'own failed: broken',
    ],
    ['rejects', () => Promise.reject(new Error('broken')), 'own failed: broken'],
    ['rejects with nothing', () => Promise.reject(undefined as never), 'own failed: undefined'],
    [
      'returns what throws when it is read',
      () => ({
        get x() {
          throw new Error('trap')
        },
      }),
      'own failed: trap',
    ],
    ['returns what is too deep', deep, 'own failed'],
  ] as const)('%s: the call fails and says why', async (_, execute, text) => {
    const ended = await outcome(own(execute))
    expect(ended).toMatchObject({ status: 'failed', code: 'tool_error' })
    expect(ended.text).toContain(text)
  })

  it('never returns: the call fails after its time, with the signal aborted', async () => {
    let seen: AbortSignal | undefined
    const endless = (_: unknown, { signal }: { signal: AbortSignal }) => {
      seen = signal
      return new Promise(() => {})
    }
    const ended = await outcome(own(endless as never, { timeoutMs: 5_000 }))
    expect(ended).toMatchObject({
      status: 'failed',
      code: 'timeout',
      text: 'own did not finish within 5000 ms',
    })
    expect(seen?.aborted).toBe(true)
  })

  it.each([
    ['a title', { title: () => 5 }, 'own did not run: its title must be a string, not Number'],
    [
      'subjects',
      { subject: () => [{ kind: 'star' }] },
      'own did not run: its subject must be a list of {kind',
    ],
    [
      'an output',
      { toModelOutput: () => ({ files: [] }) },
      'own ran, but toModelOutput returned neither a string',
    ],
  ])('has %s that is none: the call fails and says so', async (_, more, text) => {
    const ended = await outcome(own(() => 1, more))
    expect(ended.status).toBe('failed')
    expect(ended.text).toContain(text)
  })

  it.each(['execute', 'title', 'subject', 'toModelOutput'])(
    'throws in %s what cannot be read',
    async (name) => {
      const refuse = () => {
        throw new Error('no')
      }
      const throwing = () => {
        throw new Proxy({}, { getPrototypeOf: refuse, get: refuse }) as Error
      }
      const ended = await outcome(own(() => 1, { [name]: throwing }))
      expect(ended.status).toBe('failed')
      expect(ended.text).toContain('the thrown value cannot be read')
    },
  )

  it('has an input whose check turns out to be async: the call fails and says so', async () => {
    const inputSchema = z.object({
      a: z
        .string()
        .default('a')
        .refine(() => Promise.resolve(true)),
    })
    const ended = await outcome(own(() => 1, { inputSchema }))
    expect(ended).toMatchObject({ status: 'failed', code: 'invalid_input' })
    expect(ended.text).toContain('its inputSchema has an async check')
  })
})

function mapInItself(): Map<string, unknown> {
  const map = new Map<string, unknown>()
  return map.set('self', map)
}

function deep(): unknown {
  let value: unknown = 1
  for (let i = 0; i < 200_000; i++) value = [value]
  return value
}

describe('definitions that are none', () => {
  const good = { name: 'own', description: 'own', inputSchema: z.object({}), execute: () => 1 }

  it.each([
    ['nothing', undefined],
    ['a name with a space', { ...good, name: 'a b' }],
    ['the name of a tool of the runtime', { ...good, name: 'task' }],
    ['no description', { ...good, description: '' }],
    ['a schema that is none', { ...good, inputSchema: { type: 'object' } }],
    ['a schema of a text', { ...good, inputSchema: z.string() }],
    ['a union of objects', { ...good, inputSchema: z.union([z.object({ a: z.string() }), z.object({})]) }],
    ['a bigint', { ...good, inputSchema: z.object({ n: z.bigint() }) }],
    ['a map inside', { ...good, inputSchema: z.object({ list: z.array(z.map(z.string(), z.int())) }) }],
    ['an async check', { ...good, inputSchema: z.object({ a: z.string().refine(async () => true) }) }],
    [
      'a schema with a transform that no model can be told',
      {
        ...good,
        inputSchema: z.object({
          x: z.lazy(() => {
            throw new Error('no')
          }),
        }),
      },
    ],
    ['execute that is no function', { ...good, execute: 'rm' }],
    ['effects that are none', { ...good, effects: 'some' }],
    ['a field that nobody knows', { ...good, paramters: {} }],
  ])('a tool with %s', (_, definition) => {
    expect(() => tool(definition as never)).toThrow(expect.objectContaining({ code: 'usage' }) as Error)
  })

  it('says where and why', () => {
    const of = (shape: z.ZodRawShape) => () => tool({ ...good, inputSchema: z.object(shape) })
    expect(of({ a: z.object({ n: z.bigint() }) })).toThrow(
      'tool own: inputSchema: a.n is a bigint, which JSON does not have: accept a string or a number and convert it in execute',
    )
    expect(of({ a: z.string().refine(async () => true) })).toThrow('inputSchema: a has an async check')
    expect(of({ n: z.coerce.bigint(), at: z.coerce.date(), any: z.unknown(), own: z.custom() })).not.toThrow()
  })

  it('does not compile without an object', () => {
    // @ts-expect-error a text is no object
    expect(() => tool({ ...good, inputSchema: z.string() })).toThrow('expected one object schema')
    // @ts-expect-error a text is no object
    expect(() => agent({ ...critic, inputSchema: z.string() })).toThrow('inputSchema')
  })

  const critic = { name: 'critic', description: 'criticises', prompt: 'You criticise.' }

  it.each([
    ['nothing', null],
    ['no name', { ...critic, name: '' }],
    ['a name with a line break', { ...critic, name: 'a\nb' }],
    ['no description', { ...critic, description: undefined }],
    ['tools that are no list', { ...critic, tools: { a: 1 } }],
    ['turns that are no number', { ...critic, maxTurns: 'ten' }],
    ['a field that nobody knows', { ...critic, sytem: 'x' }],
    ['an input that is no object', { ...critic, inputSchema: z.string() }],
    ['an output that is a map', { ...critic, outputSchema: new Map() }],
    ['an output that is a date', { ...critic, outputSchema: new Date(0) }],
    ['an output without a word of JSON Schema', { ...critic, outputSchema: { score: 'number' } }],
  ])('an agent with %s', (_, definition) => {
    expect(() => agent(definition as never)).toThrow(expect.objectContaining({ code: 'usage' }) as Error)
  })

  const twice = [tool(good), tool(good)]
  it.each([
    ['two tools of one name', { tools: twice }, 'two tools are named own'],
    ['a tool with the name of one that comes along', { tools: [tool({ ...good, name: 'read' })] }, 'read'],
    ['a tool that differs from one in case', { tools: [tool({ ...good, name: 'Bash' })] }, 'the tool bash'],
    [
      'a tool that differs from one in an underscore',
      { tools: [tool({ ...good, name: 'web_fetch' })] },
      'the tool webfetch',
    ],
    ['two agents of one name', { agents: [critic, critic] }, 'critic is defined twice'],
    ['an agent that names an unknown tool', { agents: [{ ...critic, tools: ['reed'] }] }, 'reed'],
    ['an agent that spawns an unknown agent', { agents: [{ ...critic, spawns: ['nobody'] }] }, 'nobody'],
    ['a model that is none', { model: { generate() {} } as never }, 'not a language model'],
    [
      'a model of another specification',
      { model: { specificationVersion: 'v2', provider: 'a', modelId: 'b', doStream() {} } as never },
      'specification v2',
    ],
    ['a model whose name breaks lines', { model: modelNamed('a\nb') }, 'cannot be called "a\\nb"'],
    ['a model whose name is too long', { model: modelNamed('x'.repeat(201)) }, 'at most 200 characters'],
    [
      'a model of an agent that is none',
      { agents: [{ ...critic, model: 5 as never }] },
      'not a language model',
    ],
    ['an unknown model', { model: 'gpt' }, 'unknown model'],
    ['an unknown mode', { mode: 'yolo' as never }, 'mode'],
    ['a directory that is none', { directory: '/nonexistent/x' }, '/nonexistent/x'],
    ['tools that are no list', { tools: {} as never }, 'tools'],
    ['a store that is none', { store: 5 as never }, 'store'],
    ['an option that nobody knows', { modle: 'offline' } as never, 'modle'],
    ['options that are none', 'offline' as never, 'createOffshoot'],
  ])('createOffshoot with %s', async (_, options, text) => {
    const given =
      typeof options === 'object'
        ? { model: 'offline', env: { HOME: home }, store: ':memory:', ...options }
        : options
    await expect(createOffshoot(given as never)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(text) as string,
    })
  })

  it('a wrong configuration names the key', async () => {
    const config = { limits: { maxTurns: -1 } }
    await expect(createOffshoot({ env: { HOME: home }, config, store: ':memory:' })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('limits.maxTurns') as string,
    })
    const unknown = { limts: {} } as never
    await expect(
      createOffshoot({ env: { HOME: home }, config: unknown, store: ':memory:' }),
    ).rejects.toMatchObject({
      code: 'config',
      message: 'config: unknown key "limts"; did you mean limits?',
    })
  })

  it('the same is refused at a chat, a message and a subagent', async () => {
    await using t = await testOffshoot({ script: {} })
    const { offshoot } = t
    const usage = { code: 'usage' }
    const notFound = { code: 'not_found' }
    await expect(offshoot.chat({ agents: [{ ...critic, tools: ['reed'] }] })).rejects.toMatchObject(usage)
    await expect(offshoot.chat({ agent: 'nobody' })).rejects.toMatchObject(usage)
    await expect(offshoot.chat({ conversationId: 'cnv_x' })).rejects.toMatchObject(usage)
    await expect(offshoot.chat({ conversation: 'x' } as never)).rejects.toMatchObject(usage)
    const chat = await offshoot.chat()
    await expect(chat.send('')).rejects.toMatchObject(usage)
    await expect(chat.send(5 as never)).rejects.toMatchObject(usage)
    await expect(chat.send('go', { maxTurns: 0 })).rejects.toMatchObject(usage)
    await expect(chat.spawn('go', { agent: 'nobody' })).rejects.toMatchObject(usage)
    await expect(chat.spawn('go', { agent: 'main' })).rejects.toMatchObject(usage)
    await expect(offshoot.steer('x', 'go')).rejects.toMatchObject(notFound)
    await expect(offshoot.continue(undefined as never)).rejects.toMatchObject(usage)
    await expect(offshoot.fork('msg_x', 'go')).rejects.toMatchObject(notFound)
    const unknown = '01K9Z300000000000000000000'
    for (const id of ['x', `run_${unknown}`, `brn_${unknown}`, `cnv_${unknown}`])
      for (const { get } of [offshoot.runs, offshoot.branches, offshoot.conversations])
        await expect(get(id)).rejects.toMatchObject(notFound)
    expect(await offshoot.conversations.list()).toEqual([])
  })
})

function modelNamed(modelId: string) {
  return { specificationVersion: 'v4', provider: 'own', modelId, doStream: async () => ({}) } as never
}

test('a run that nobody waits for does not end the program, even when its store fails', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  try {
    const store = createMemoryStore()
    const model = scriptedModel({ agents: { '*': [{ text: 'late', delayMs: 30 }] } })
    const offshoot = await createOffshoot({ model, store, env: { HOME: home } })
    const run = await (await offshoot.chat()).send('go')
    const other = await createOffshoot({ model, store, env: { HOME: home } })
    void (await other.runs.get(run.id)).result()
    await other.close()
    store.tx = () => Promise.reject(new Error('the disk is gone'))
    await bestEffort(run.result())
    await offshoot.close()
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).not.toHaveBeenCalled()
  } finally {
    process.off('unhandledRejection', unhandled)
  }
})

test.each([
  ['nothing', undefined],
  ['no stream', { stream: 5 }],
])('a model that answers with %s fails its run, and nothing else', async (_, answer) => {
  const nonsense = {
    specificationVersion: 'v4',
    provider: 'own',
    modelId: 'nonsense',
    supportedUrls: {},
    doStream: async () => answer,
    doGenerate: async () => ({}),
  }
  await using t = await testOffshoot({ model: nonsense as never })
  const run = await (await t.offshoot.chat()).send('go')
  const message = 'own/nonsense: its doStream returned no {stream} that is a ReadableStream'
  expect(await t.clock.until(run.result())).toMatchObject({
    status: 'failed',
    error: { code: 'provider', message: expect.stringContaining(message) as string },
  })
})
