import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collect, modelRequest, only, textMessage } from '../../test/support/model-request.ts'
import type { Clock } from '../core/clock.ts'
import type { CallId, PartId } from '../core/ids.ts'
import { modelInfo } from './models-and-prices.ts'
import { createModel } from './language-model.ts'
import { readScript, type ScriptInput } from './model-script.ts'
import { createScriptedModel } from './scripted-model.ts'

/** Timers fire when the test says so. */
function handClock() {
  const timers = new Map<() => void, number>()
  let onArmed = () => {}
  const clock: Clock = {
    now: () => 0,
    after(ms, fn) {
      timers.set(fn, ms)
      onArmed()
      return () => timers.delete(fn)
    },
  }
  /** Resolves when the next timer is set. */
  const armed = () => new Promise<void>((resolve) => (onArmed = resolve))
  return { clock, timers, armed }
}

function scripted(agents: ScriptInput['agents']) {
  const { clock, timers, armed } = handClock()
  const languageModel = createScriptedModel({ agents }, { clock })
  const model = createModel(languageModel, modelInfo('scripted'))
  const ask = async (agent = 'main', text = 'hello') =>
    collect(await model.stream(modelRequest({ agent, messages: [textMessage('user', text)] })))
  return { model, ask, timers, armed, requests: languageModel.requests }
}

async function textFrom(parts: ReturnType<ReturnType<typeof scripted>['ask']>): Promise<string> {
  return only(await parts, 'text-delta')
    .map((part) => part.delta)
    .join('')
}

describe('createScriptedModel', () => {
  it('uses entries in order, each once, per agent', async () => {
    const { ask, requests } = scripted({ main: [{ text: 'one' }, { text: 'two' }], '*': [{ text: 'other' }] })
    expect(await textFrom(ask())).toBe('one')
    expect(await textFrom(ask('explore'))).toBe('other')
    expect(await textFrom(ask())).toBe('two')
    expect(requests.map(({ agent }) => agent)).toEqual(['main', 'explore', 'main'])
    expect(requests[0]!.options.prompt).toHaveLength(1)
  })

  it('asks a function for each answer, with the number of the request and what was said last', async () => {
    const { ask } = scripted({
      main: ({ number, input }) => (number < 3 ? { text: `${number}: ${input}` } : undefined),
      '*': async ({ agent }) => ({ text: `I am ${agent}` }),
    })
    expect(await textFrom(ask('main', 'one'))).toBe('1: one')
    expect(await textFrom(ask('explore'))).toBe('I am explore')
    expect(await textFrom(ask('main', 'two'))).toBe('2: two')
    await expect(ask('main', 'three')).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('no answer left for the agent main'),
    })
  })

  it('fails for good where a function throws or returns no answer, and says which', async () => {
    const { ask } = scripted({
      main: () => {
        throw new Error('my own mistake')
      },
      '*': () => ({ txt: 'x' }) as never,
    })
    await expect(ask('main')).rejects.toMatchObject({
      retryable: false,
      message: 'scripted: the script of the agent main failed: my own mistake',
    })
    await expect(ask('explore')).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/script of the agent explore: the answer: .*txt/),
    })
  })

  it('fails for good, naming the agent, when nothing is left', async () => {
    const { ask } = scripted({ explore: [], '*': [{ text: 'not for explore' }] })
    await expect(ask('explore')).rejects.toMatchObject({
      code: 'provider',
      retryable: false,
      message: expect.stringContaining('explore'),
    })
  })

  it('takes the first entry that matches the last text of a person or a tool', async () => {
    const { model, ask } = scripted({
      main: [{ match: '^red$', text: 'R' }, { text: 'any' }, { match: 'tool says', text: 'T' }],
    })
    expect(await textFrom(ask('main', 'blue'))).toBe('any')
    const output = { text: 'the tool says so' }
    const result = {
      id: 'p' as PartId,
      type: 'tool-result',
      callId: 'c' as CallId,
      tool: 'x',
      status: 'failed',
      output,
    } as const
    const messages = [textMessage('user', 'red'), { role: 'tool' as const, parts: [result] }]
    expect(await textFrom(model.stream(modelRequest({ messages })).then(collect))).toBe('T')
    expect(await textFrom(ask('main', 'red'))).toBe('R')
  })

  it('cuts text in pieces of whole characters', async () => {
    const { ask } = scripted({
      main: [
        { text: 'a😀b😀c', chunks: 5 },
        { text: 'ab', chunks: 50 },
      ],
    })
    expect(only(await ask(), 'text-delta').map((part) => part.delta)).toEqual(['a', '😀', 'b', '😀', 'c'])
    expect(only(await ask(), 'text-delta')).toHaveLength(2)
  })

  it('calls tools under ids of their own, and sends a string as it is', async () => {
    const { ask } = scripted({
      main: [
        {
          text: 'look',
          toolCalls: [
            { tool: 'read', input: { path: 'a' } },
            { tool: 'read', input: '{"path' },
          ],
        },
        { toolCalls: [{ tool: 'read', input: null }] },
      ],
    })
    const parts = [...(await ask()), ...(await ask())]
    const calls = only(parts, 'tool-call')
    expect(calls.map((call) => call.input)).toEqual(['{"path":"a"}', '{"path', 'null'])
    expect(new Set(calls.map((call) => call.toolCallId)).size).toBe(3)
    expect(only(parts, 'finish').map((part) => part.finishReason.unified)).toEqual([
      'tool-calls',
      'tool-calls',
    ])
  })

  it('can answer with nothing', async () => {
    const { ask } = scripted({ main: [{}] })
    expect((await ask()).map((part) => part.type)).toEqual(['stream-start', 'finish'])
  })

  it('waits by the clock it was given, and no longer than it is wanted', async () => {
    const { model, ask, timers, armed } = scripted({
      main: [
        { text: 'late', delayMs: 500 },
        { text: 'never', delayMs: 700 },
      ],
    })
    const first = ask()
    await armed()
    expect([...timers.values()]).toEqual([500])
    timers.keys().next().value!()
    expect(await textFrom(first)).toBe('late')
    const controller = new AbortController()
    const second = model.stream(modelRequest({ signal: controller.signal }))
    await armed()
    expect([...timers.values()]).toEqual([500, 700])
    controller.abort(new Error('stop'))
    await expect(second).rejects.toThrow('stop')
    expect([...timers.values()]).toEqual([500])
  })

  it.each([
    [
      { status: 429, retryAfter: 2 },
      { status: 429, retryAfterMs: 2_000, retryable: true },
    ],
    [{ status: 529 }, { status: 529, retryAfterMs: undefined, retryable: true }],
    [{ status: 400 }, { status: 400, retryable: false }],
  ])('fails as told: %j', async (error, expected) => {
    await expect(scripted({ main: [{ error }] }).ask()).rejects.toMatchObject(expected)
  })

  it('reports the usage that it was given, or an estimate', async () => {
    const { ask } = scripted({
      main: [{ text: 'x', usage: { input: 10, output: 5, cacheRead: 4, reasoning: 1 } }, { text: 'x' }],
    })
    expect(only(await ask(), 'finish')[0]!.usage).toEqual({
      inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
      outputTokens: { total: 5, text: 4, reasoning: 1 },
    })
    expect(only(await ask(), 'finish')[0]!.usage.inputTokens.total).toBeGreaterThan(0)
  })
})

describe('readScript', () => {
  let directory: string
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'script-'))))
  afterEach(() => rmSync(directory, { recursive: true }))

  function file(content: string): string {
    const path = join(directory, 'script.json')
    writeFileSync(path, content)
    return path
  }

  it('reads what docs/models.md shows', async () => {
    const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')
    const script = await readScript(file(/```json\n([^]*?)```/.exec(page)![1]!))
    expect(Object.keys(script.agents)).toEqual(['main', '*'])
  })

  it.each([
    ['{"agents"', 'not JSON'],
    ['[]', 'the whole file'],
    ['{}', 'agents'],
    ['{"agents":{"main":{}}}', 'agents.main'],
    ['{"agents":{"main":[{"txt":"x"}]}}', 'agents.main.0'],
    ['{"agents":{"main":[{"text":1}]}}', 'agents.main.0.text'],
    ['{"agents":{"main":[{"match":"("}]}}', 'agents.main.0.match'],
    ['{"agents":{"main":[{"error":{"status":200}}]}}', 'agents.main.0.error.status'],
    ['{"agents":{"main":[{"delayMs":-1}]}}', 'agents.main.0.delayMs'],
  ])('names file and field: %s', async (content, where) => {
    const path = file(content)
    await expect(readScript(path)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(new RegExp(`script\\.json.*${where.replaceAll('.', '\\.')}`)),
    })
  })

  it('names a file that cannot be read', async () => {
    await expect(readScript(join(directory, 'none.json'))).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('none.json'),
    })
    await expect(readScript(directory)).rejects.toMatchObject({ code: 'config' })
  })
})
