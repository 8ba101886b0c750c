import { afterEach, expect, it, vi } from 'vitest'
import { HighlightQueue, type HighlightAnswer, type HighlightQuestion } from './highlight-queue.ts'

afterEach(() => {
  vi.useRealTimers()
})

function workers() {
  const asked: HighlightQuestion[] = []
  const started: { terminated: boolean; fail: () => void }[] = []
  let answer: (event: { readonly data: HighlightAnswer }) => void = () => {}
  const start = () => {
    const worker = { terminated: false, fail: () => {} }
    started.push(worker)
    return {
      postMessage: (question: HighlightQuestion) => void asked.push(question),
      addEventListener: (type: string, listener: typeof answer & (() => void)) => {
        if (type === 'message') answer = listener
        else worker.fail = listener
      },
      terminate: () => {
        worker.terminated = true
      },
    }
  }
  const codes = () => asked.map(({ code }) => code)
  const reply = () => {
    const { id, code } = asked.at(-1)!
    answer({ data: { id, tokens: [[{ content: code }]] } })
  }
  return { start, started, codes, reply }
}

it('asks for one piece of code at a time, and of what changed meanwhile only for the latest', () => {
  const { start, codes, reply, started } = workers()
  const queue = new HighlightQueue(start)
  const told: string[] = []
  const onTokens = (tokens: readonly (readonly { readonly content: string }[])[]) =>
    void told.push(tokens[0]![0]!.content)
  let withdraw = queue.ask('a', 'ts', onTokens)
  for (const code of ['ab', 'abc', 'abcd']) {
    withdraw()
    withdraw = queue.ask(code, 'ts', onTokens)
  }
  expect(codes()).toEqual(['a'])
  reply()
  expect(codes()).toEqual(['a', 'abcd'])
  reply()
  expect(told).toEqual(['abcd'])
  expect(started).toHaveLength(1)
})

it.each(['stuck', 'failed'])(
  'leaves code plain on which the worker is %s, and goes on with another',
  (how) => {
    vi.useFakeTimers()
    const { start, started, codes, reply } = workers()
    const queue = new HighlightQueue(start)
    const told = vi.fn<(tokens: readonly unknown[]) => void>()
    queue.ask('endless', 'ts', told)
    queue.ask('short', 'ts', told)
    if (how === 'stuck') vi.runOnlyPendingTimers()
    else started[0]!.fail()
    expect(started.map(({ terminated }) => terminated)).toEqual([true, false])
    expect(codes()).toEqual(['endless', 'short'])
    reply()
    expect(told).toHaveBeenCalledExactlyOnceWith([[{ content: 'short' }]])
  },
)
