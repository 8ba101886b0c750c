import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  called,
  finish,
  harness,
  rawModel,
  refusals,
  said,
  shownPrompt,
  tool,
  type Harness,
} from '../../test/support/runtime-harness.ts'
import type { AnyTool } from '../tools/port.ts'
import { ToolError } from '../tools/port.ts'

const allowAll = [{ name: 'test', rules: [{ tool: '*', action: 'allow' as const }] }]

/** One turn with these calls, then the end; what the model read of their results. */
async function resultsOf(tools: readonly AnyTool[], calls: readonly { tool: string; input: unknown }[]) {
  const toolCalls = calls.map(({ tool, input }) => ({ tool, input: input as string }))
  const config = { limits: { maxTokens: 10_000_000 } }
  const script = { main: [{ toolCalls }, { text: 'end' }] }
  const h = harness({ tools, layers: allowAll, script, config })
  const result = await h.run('go')
  return { h, result, shown: lastMessage(h), rows: callRows(h) }
}

function lastMessage(h: Harness): string {
  return shownPrompt(h.scripted.requests.at(-1)!.options.prompt).at(-1)!
}

function callRows(h: Harness) {
  return h.store
    .find('tool_calls', {})
    .map(({ tool, status, error }) => ({ tool, status, code: error?.code }))
}

/** Tools that say when they begin and end, and end when told to. */
function traced(...specs: [name: string, effects: AnyTool['effects']][]) {
  const log: string[] = []
  const end = new Map<string, () => void>()
  const tools = specs.map(([name, effects]) =>
    tool(name, {
      effects,
      execute: async () => {
        log.push(`${name} begins`)
        await new Promise<void>((resolve) => end.set(name, resolve))
        log.push(`${name} ends`)
        return name
      },
    }),
  )
  return { log, tools, end: (name: string) => end.get(name)!() }
}

test('reads run side by side; one with effects waits for all before it, and all after it wait for it', async () => {
  const { log, tools, end } = traced(
    ['a', 'none'],
    ['b', 'none'],
    ['w', 'write'],
    ['c', 'none'],
    ['d', 'none'],
  )
  const toolCalls = ['a', 'b', 'w', 'c', 'd'].map((name) => ({ tool: name, input: {} }))
  const h = harness({ tools, layers: allowAll, script: { main: [{ toolCalls }, { text: 'end' }] } })
  const { result } = await h.start('go')
  await h.clock.settle()
  expect(log).toEqual(['a begins', 'b begins'])
  end('b')
  await h.clock.settle()
  expect(log.at(-1)).toBe('b ends')
  end('a')
  await h.clock.settle()
  expect(log.slice(3)).toEqual(['a ends', 'w begins'])
  end('w')
  await h.clock.settle()
  expect(log.slice(5)).toEqual(['w ends', 'c begins', 'd begins'])
  end('d')
  end('c')
  await h.clock.until(result)
  expect(lastMessage(h)).toBe('tool result(a: a) result(b: b) result(w: w) result(c: c) result(d: d)')
})

test('network and execute wait like write', async () => {
  for (const effects of ['network', 'execute'] as const) {
    const { log, tools, end } = traced(['a', 'none'], ['e', effects])
    const toolCalls = [
      { tool: 'a', input: {} },
      { tool: 'e', input: {} },
    ]
    const h = harness({ tools, layers: allowAll, script: { main: [{ toolCalls }, { text: 'end' }] } })
    const { result } = await h.start('go')
    await h.clock.settle()
    expect(log).toEqual(['a begins'])
    end('a')
    await h.clock.settle()
    end('e')
    await h.clock.until(result)
  }
})

test('what cannot be run is a failed result, and the run goes on', async () => {
  const strict = tool('strict', { inputSchema: z.strictObject({ count: z.int() }) })
  const { result, shown, rows } = await resultsOf(
    [strict],
    [
      { tool: 'nothing', input: {} },
      { tool: 'strict', input: '{"count": ' },
      { tool: 'strict', input: { count: 'many' } },
      { tool: 'strict', input: '[1]' },
      { tool: 'strict', input: { count: 1 } },
    ],
  )
  expect(result.status).toBe('completed')
  expect(rows.map(({ code }) => code)).toEqual([
    'unknown_tool',
    'invalid_input',
    'invalid_input',
    'invalid_input',
    undefined,
  ])
  expect(shown).toContain('there is no tool "nothing"; the tools are: strict')
  expect(shown).toContain('count: expected number, got string "many"')
  expect(shown).toContain('expected: {count: integer}')
  expect(result.toolCalls).toBe(5)
})

test('arguments of a megabyte are read; three are refused with both sizes', async () => {
  let length = 0
  const eat = tool('eat', { execute: ({ text }) => ((length = (text as string).length), 'eaten') })
  const { result, shown, rows } = await resultsOf(
    [eat],
    [
      { tool: 'eat', input: { text: 'x'.repeat(1024 * 1024) } },
      { tool: 'eat', input: { text: 'x'.repeat(3 * 1024 * 1024) } },
    ],
  )
  expect(result.status).toBe('completed')
  expect(length).toBe(1024 * 1024)
  expect(rows.map(({ code }) => code)).toEqual([undefined, 'input_too_large'])
  expect(shown).toContain('has 3145739 characters; at most 2097152 are read')
})

test('arguments of 100,000 levels are refused, and nothing overflows', async () => {
  const depth = 100_000
  const deep = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const { result, rows } = await resultsOf([tool('eat')], [{ tool: 'eat', input: deep }])
  expect(result.status).toBe('completed')
  expect(rows).toEqual([{ tool: 'eat', status: 'failed', code: 'invalid_input' }])
})

test('a name of a megabyte is cut wherever it is kept', async () => {
  const { result, h } = await resultsOf([], [{ tool: 'n'.repeat(1024 * 1024), input: {} }])
  expect(result.status).toBe('completed')
  const [row] = h.store.find('tool_calls', {})
  expect(row!.tool.length).toBeLessThanOrEqual(200)
  expect(row!.title.length).toBeLessThanOrEqual(200)
})

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

test.each([
  ['rejects', { execute: async () => Promise.reject(new Error('no luck')) }, 'odd failed: no luck'],
  [
    'throws at once',
    {
      execute: () => {
        throw new Error('no luck')
      },
    },
    'odd failed: no luck',
  ],
  ['rejects with text', { execute: () => Promise.reject('plain') }, 'odd failed: plain'],
  ['rejects with nothing', { execute: () => Promise.reject(undefined) }, 'odd failed: undefined'],
  [
    'throws what has no text',
    {
      execute: () => {
        throw Object.create(null)
      },
    },
    'odd failed: unknown error',
  ],
  [
    'throws a ToolError',
    {
      execute: () => {
        throw new ToolError('gone', 'it is gone', 'look elsewhere')
      },
    },
    'it is gone look elsewhere',
  ],
  ['returns nothing', { execute: () => undefined }, 'odd failed: it returned nothing that a model can read'],
  [
    'returns a cycle',
    { execute: () => cyclic, toModelOutput: (output: unknown) => ({ text: JSON.stringify(output) }) },
    'odd failed: Converting circular',
  ],
  [
    'cannot say its output',
    {
      toModelOutput: () => {
        throw new Error('no words')
      },
    },
    'odd failed: no words',
  ],
  ['says no output at all', { toModelOutput: () => undefined as never }, 'odd failed: it returned nothing'],
  [
    'cannot say its exit code',
    {
      exitCode: () => {
        throw new Error('no code')
      },
    },
    'odd failed: no code',
  ],
  [
    'cannot say its title',
    {
      title: () => {
        throw new Error('no title')
      },
    },
    'odd cannot take this input: no title',
  ],
  ['has no title', { title: () => undefined as never }, 'odd cannot take this input'],
  [
    'cannot say its subject',
    {
      subject: () => {
        throw new Error('no subject')
      },
    },
    'odd cannot take this input: no subject',
  ],
])('a tool that %s gives a failed result', async (_, spec, text) => {
  const { result, shown, rows } = await resultsOf([tool('odd', spec)], [{ tool: 'odd', input: {} }])
  expect(result.status).toBe('completed')
  expect(rows[0]!.status).toBe('failed')
  expect(shown.replaceAll('\n', ' ')).toContain(text)
})

test('an exit code that is no number is none', async () => {
  const { result, h } = await resultsOf([tool('odd', { exitCode: () => NaN })], [{ tool: 'odd', input: {} }])
  expect(result.status).toBe('completed')
  expect(h.store.find('tool_calls', {})[0]!.exitCode).toBeNull()
})

test('a huge output is head and tail for the model and whole in an artifact, once for equal texts', async () => {
  const huge = `HEAD${'ä'.repeat(400_000)}TAIL`
  const { h, shown } = await resultsOf(
    [tool('huge', { execute: () => huge })],
    [
      { tool: 'huge', input: {} },
      { tool: 'huge', input: {} },
    ],
  )
  const artifacts = h.store.find('artifacts', {})
  expect(artifacts.map(({ content }) => Buffer.from(content).toString() === huge)).toEqual([true])
  expect(shown).toMatch(/result\(huge: HEADä/)
  expect(shown).toContain('TAIL)')
  expect(shown).toContain(artifacts[0]!.id)
  expect(shown).not.toContain('\ufffd')
  expect(Buffer.byteLength(shown)).toBeLessThan(2 * 33 * 1024)
})

test('an answer that was cut at its output limit runs none of its calls', async () => {
  let runs = 0
  const h = harness({
    tools: [tool('read', { execute: () => `${++runs}` })],
    model: rawModel((n) =>
      n === 0
        ? [...said('half'), called('read'), called('read', '{"a'), finish('length')]
        : [...said('end'), finish()],
    ),
  })
  const result = await h.run('go')
  expect(runs).toBe(0)
  expect(callRows(h).map(({ status, code }) => `${status} ${code}`)).toEqual([
    'skipped truncated',
    'skipped truncated',
  ])
  expect(result.text).toBe('end')
})

test('a tool that never ends is a stall: paused with the time, and nothing is left waiting', async () => {
  const stuck = tool('stuck', { execute: () => new Promise(() => {}) })
  const script = { main: [{ text: 'so far', toolCalls: [{ tool: 'stuck', input: {} }] }] }
  const h = harness({ tools: [stuck], script, config: { limits: { stallMs: 60_000 } } })
  const before = h.clock.now()
  const result = await h.run('go')
  expect(result).toMatchObject({ status: 'paused', reason: 'stall', endReason: 'stall', text: 'so far' })
  expect(h.clock.now() - before).toBeLessThanOrEqual(70_016)
  expect(callRows(h)).toEqual([{ tool: 'stuck', status: 'failed', code: 'interrupted' }])
  h.flush()
  expect(h.clock.pending()).toBe(0)
})

test('output of a tool is an event of the run: no stall while it comes', async () => {
  let emit = (_: string) => {}
  let end = () => {}
  const slow = tool('slow', {
    execute: (_, context) => {
      emit = context.emit
      return new Promise<string>((resolve) => (end = () => resolve('slow done')))
    },
  })
  const script = { main: [{ toolCalls: [{ tool: 'slow', input: {} }] }, { text: 'end' }] }
  const h = harness({ tools: [slow], script, config: { limits: { stallMs: 60_000 } } })
  const { result } = await h.start('go')
  for (let minute = 0; minute < 10; minute++) {
    await h.clock.advance(50_000)
    emit('.')
  }
  end()
  expect((await h.clock.until(result)).status).toBe('completed')
  h.flush()
  expect(h.told.filter(({ type }) => type === 'tool.output')).toHaveLength(10)
})

test('calls that had not begun when the run was stopped are skipped, and nothing of them happens', async () => {
  const done: string[] = []
  const script = { main: [{ toolCalls: ['one', 'two', 'three'].map((name) => ({ tool: name, input: {} })) }] }
  const tools = ['one', 'two', 'three'].map((name) =>
    tool(name, { effects: 'write', execute: () => (done.push(name), started.stop('pause'), name) }),
  )
  const h = harness({ tools, layers: allowAll, script })
  const started = await h.start('go')
  const result = await h.clock.until(started.result)
  expect(result).toMatchObject({ status: 'paused', reason: 'user' })
  expect(done).toEqual(['one'])
  expect(callRows(h).map(({ status, code }) => `${status} ${code}`)).toEqual([
    'completed undefined',
    'skipped interrupted',
    'skipped interrupted',
  ])
})

test('the effect of a call never begins after a stop, even when its intent was just written', async () => {
  let ran = false
  const script = { main: [{ toolCalls: [{ tool: 'write', input: {} }] }] }
  const h = harness({
    tools: [tool('write', { effects: 'write', execute: () => ((ran = true), 'x') })],
    layers: allowAll,
    script,
  })
  const write = h.store.tx.bind(h.store)
  Object.assign(h.store, {
    tx: async (...[fn, options]: Parameters<typeof write>) => {
      const before = h.store.count('tool_calls', {})
      const result = await write(fn, options)
      if (before === 0 && h.store.count('tool_calls', {}) === 1) started.stop('pause')
      return result
    },
  })
  const started = await h.start('go')
  expect(await h.clock.until(started.result)).toMatchObject({ status: 'paused', reason: 'user' })
  expect(ran).toBe(false)
  expect(callRows(h)).toEqual([{ tool: 'write', status: 'skipped', code: 'interrupted' }])
})

test('every request of these runs is one that a provider accepts', async () => {
  const { h } = await resultsOf(
    [tool('read')],
    [
      { tool: 'read', input: 'nonsense' },
      { tool: 'gone', input: {} },
      { tool: 'read', input: {} },
    ],
  )
  expect(h.scripted.requests.flatMap(({ options }) => refusals(options.prompt))).toEqual([])
})
