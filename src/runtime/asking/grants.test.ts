import { describe, expect, test } from 'vitest'
import { conversationProblems, expectEvents } from '../../../test/support/conversation-problems.ts'
import { beginsAfterMs, cutStore, type CutStore } from '../../../test/support/cut-store.ts'
import {
  agent,
  called,
  finish,
  handClock,
  harness,
  rawModel,
  said,
  tool,
  type Harness,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import type { EventOf } from '../../core/events.ts'
import type { Store } from '../../store/port.ts'
import type { Workspace } from '../../tools/port.ts'
import type { Answered } from './approvals.ts'
import { listGrants } from './grants.ts'

const bash = tool('bash', {
  toolset: 'shell',
  effects: 'execute',
  idempotent: false,
  title: ({ command }) => `Run ${command as string}`,
  subject: ({ command }) => [{ kind: 'command', value: command as string }],
  execute: ({ command }) => `ran ${command as string}`,
})
const run = (command: string) => ({ toolCalls: [{ tool: 'bash', input: { command } }] })
const task = (subagent_type = 'general') => ({
  toolCalls: [{ tool: 'task', input: { prompt: 'go', subagent_type } }],
})
const end = { text: 'end' }

/** A process on a store; the clock continues from one process to the next. */
let lives = 0
function life(
  script: NonNullable<HarnessOptions['script']>,
  store: Store,
  more: HarnessOptions = {},
): Harness {
  const h = harness({ tools: [bash], script, store, clock: handClock(lives++ * 1_000_000), ...more })
  h.runtime.approvals.attend()
  return h
}

function asked(h: Harness): EventOf<'approval.requested'>[] {
  h.flush()
  return h.told.filter((event) => event.type === 'approval.requested')
}

async function answer(h: Harness, answered: Omit<Answered, 'by'>) {
  const { approvalId } = asked(h).at(-1)!
  await h.clock.until(h.runtime.approvals.answer(approvalId, { by: 'test', ...answered }))
  await h.clock.settle()
}

/** Runs `npm test` once and answers the approval. */
async function granted(answered: Omit<Answered, 'by'>, store: Store, directory?: string) {
  const h = life({ main: [run('npm test'), end] }, store)
  const started = await h.start('go', directory ? { workspace: at(directory) } : {})
  await h.clock.settle()
  await answer(h, answered)
  await h.clock.until(started.result)
  return { h, ...started }
}

function at(root: string): Workspace {
  return {
    root,
    resolve: (path) => ({ absolute: `${root}/${path}`, relative: path, outside: false, guarded: null }),
  }
}

const titles = (h: Harness) => asked(h).map(({ title }) => title)

describe('"always"', () => {
  test('keeps the shown pattern after a restart and for children, until it is revoked', async () => {
    const store = cutStore()
    const { h, conversationId } = await granted({ answer: 'always' }, store)
    expect(asked(h)).toMatchObject([{ grant: { tool: 'bash', pattern: 'npm test *' } }])
    expect(h.told.find((event) => event.type === 'approval.answered')).toMatchObject({
      answer: 'always',
      grant: { tool: 'bash', pattern: 'npm test *' },
      scope: 'conversation',
    })
    const [rule] = store.find('rules', {})
    expect(rule).toMatchObject({ kind: 'grant', conversationId, branchId: null, pattern: 'npm test *' })

    const script = {
      main: [run('npm test -- --watch'), task(), run('npm run build'), end],
      general: [run('npm test'), end],
    }
    const second = life(script, store)
    const { result } = await second.start('again', { conversationId })
    await second.clock.settle()
    expect(titles(second)).toEqual(['Run npm run build'])
    await answer(second, { answer: 'deny' })
    await second.clock.until(result)

    await second.perform(conversationId, { verb: 'revoke', target: rule!.id, args: null })
    expect(store.count('rules', {})).toBe(0)
    const third = life({ main: [run('npm test'), end] }, store)
    const again = await third.start('again', { conversationId })
    await third.clock.settle()
    expect(titles(third)).toEqual(['Run npm test'])
    await answer(third, { answer: 'once' })
    await third.clock.until(again.result)
  })

  test('applies to one conversation, or on request to all of a directory, and then outlives the conversation', async () => {
    const store = cutStore()
    await granted({ answer: 'always' }, store, '/w')
    const other = await granted({ answer: 'always', scope: 'project' }, store, '/w')
    expect(asked(other.h)).toHaveLength(1)
    expect(
      store.find('rules', {}).map(({ conversationId, directory }) => [conversationId, directory]),
    ).toEqual([
      [expect.stringMatching(/^cnv_/), null],
      [null, '/w'],
    ])
    await store.tx((tx) => tx.delete('conversations', other.conversationId), { durable: true })
    expect(listGrants(store, '/w')).toHaveLength(2)

    for (const [directory, questions] of [
      ['/w', 0],
      ['/elsewhere', 1],
    ] as const) {
      const h = life({ main: [run('npm test'), end] }, store)
      const { result, stop } = await h.start('go', { workspace: at(directory) })
      await h.clock.settle()
      expect(asked(h), directory).toHaveLength(questions)
      stop('cancel')
      await h.clock.until(result)
    }
  })

  test('is stored once, however often it is given', async () => {
    const store = cutStore()
    const script = {
      main: [{ toolCalls: [task().toolCalls[0]!, task().toolCalls[0]!] }, end],
      general: [run('npm test'), run('npm test'), end, end],
    }
    const h = life(script, store)
    const { result } = await h.start('go')
    await h.clock.settle()
    for (const { approvalId } of asked(h))
      await h.clock.until(h.runtime.approvals.answer(approvalId, { answer: 'always', by: 'test' }))
    await h.clock.until(result)
    expect(asked(h)).toHaveLength(2)
    expect(store.find('rules', {})).toHaveLength(1)
  })

  test('may use another pattern than the one shown', async () => {
    const store = cutStore()
    const { conversationId } = await granted({ answer: 'always', pattern: 'npm *' }, store)
    const second = life({ main: [run('npm run build'), end] }, store)
    await second.clock.until((await second.start('go', { conversationId })).result)
    expect(asked(second)).toEqual([])
  })

  test.each<[string, Omit<Answered, 'by'>]>([
    ['for good where nothing may be', { answer: 'always' }],
    ['for the run where nothing may be', { answer: 'run' }],
    ['with a pattern for once', { answer: 'once', pattern: 'npm *' }],
    ['with a scope for the run', { answer: 'run', scope: 'project' }],
  ])('an answer %s is refused, and the question stays open', async (_, answered) => {
    const h = life({ main: [run('npm test && rm x'), end] }, cutStore())
    const { result } = await h.start('go')
    await h.clock.settle()
    const { approvalId, grant } = asked(h)[0]!
    expect(grant).toBeNull()
    const given = h.runtime.approvals.answer(approvalId, { by: 'test', ...answered })
    await expect(h.clock.until(given)).rejects.toMatchObject({ code: 'usage' })
    expect(h.store.find('approvals', {})).toMatchObject([{ answer: null }])
    await answer(h, { answer: 'once' })
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed' })
    expect(h.store.count('rules', {})).toBe(0)
  })

  test('refuses an overlong pattern', async () => {
    const h = life({ main: [run('npm test'), end] }, cutStore())
    const { result } = await h.start('go')
    await h.clock.settle()
    for (const pattern of ['', ' ', 'x'.repeat(1_001)])
      await expect(h.clock.until(answer(h, { answer: 'always', pattern }))).rejects.toMatchObject({
        code: 'usage',
      })
    await answer(h, { answer: 'deny' })
    await h.clock.until(result)
  })

  test('lifts an ask of an ancestor agent, but never a denial', async () => {
    const store = cutStore()
    const rules = (action: 'ask' | 'deny') => [{ tool: 'bash', pattern: 'npm *', action }]
    const agents = [
      agent('main'),
      agent('asks', { permissions: rules('ask'), spawns: ['worker'] }),
      agent('denies', { permissions: rules('deny'), spawns: ['worker'] }),
      agent('worker'),
    ]
    const { conversationId } = await granted({ answer: 'always' }, store)
    const script = {
      main: [{ toolCalls: [task('asks').toolCalls[0]!, task('denies').toolCalls[0]!] }, end],
      asks: [task('worker'), end],
      denies: [task('worker'), end],
      worker: [run('npm test'), run('npm test'), end, end],
    }
    const h = life(script, store, { agents, config: { limits: { maxDepth: 2 } } })
    await h.clock.until((await h.start('go', { conversationId })).result)
    expect(asked(h)).toEqual([])
    const last = store.find('tool_calls', { where: { tool: 'bash' } }).slice(1)
    expect(last.map(({ status }) => status).toSorted()).toEqual(['completed', 'denied'])
  })

  test('given while no process drives the run applies once one does', async () => {
    const store = cutStore()
    const first = life({ main: [run('npm test'), run('npm test'), end] }, store)
    const { conversationId } = await first.start('go')
    await first.clock.settle()
    const left = await store.cut(store.commits)
    const [approval] = left.find('approvals', {})
    const args = { answer: 'always', by: 'elsewhere', scope: 'project' } as const
    const second = life({ main: [run('npm test'), end] }, left)
    await second.perform(conversationId, { verb: 'approve', target: approval!.id, args })
    expect(left.find('rules', {})).toMatchObject([{ conversationId: null, pattern: 'npm test *' }])
    await second.recover()
    expect(asked(second)).toEqual([])
    expect(left.find('tool_calls', {}).map(({ status }) => status)).toEqual(['completed', 'completed'])
  })
})

describe('"run"', () => {
  /** A run of three similar commands, whose model keeps no state between processes. */
  function three(store: CutStore): Harness & { readonly store: CutStore } {
    const model = rawModel((_, request) => {
      const turn = request.messages.filter(({ role }) => role === 'assistant').length
      if (turn === 3) return [...said('end'), finish()]
      return [called('bash', JSON.stringify({ command: `npm test ${turn}` })), finish('tool-calls')]
    })
    const h = harness({ tools: [bash], model, store, clock: handClock(beginsAfterMs(store)) })
    h.runtime.approvals.attend()
    return { ...h, store }
  }

  async function finished(h: Harness): Promise<void> {
    for (let open = h.store.find('approvals', { where: { answer: null } }); open[0];) {
      await h.clock.until(h.runtime.approvals.answer(open[0].id, { answer: 'run', by: 'test' }))
      await h.clock.settle()
      open = h.store.find('approvals', { where: { answer: null } })
    }
  }

  test('may use another pattern than the one shown', async () => {
    const h = life({ main: [run('npm test'), run('npm run build'), end] }, cutStore())
    const { result } = await h.start('go')
    await h.clock.settle()
    await answer(h, { answer: 'run', pattern: 'npm *' })
    await h.clock.until(result)
    expect(asked(h)).toHaveLength(1)
  })

  test('holds for the rest of the run across crashes, and not for the next run', async () => {
    const first = three(cutStore())
    const { result } = await first.start('go')
    await first.clock.settle()
    await finished(first)
    await first.clock.until(result)
    expect(asked(first)).toHaveLength(1)
    for (let commits = 1; commits < first.store.commits; commits++) {
      const before = await first.store.cut(commits)
      const second = three(await before.cut(commits))
      await second.recover()
      await finished(second)
      await second.clock.settle()
      const [conversation] = second.store.find('conversations', {})
      if (!conversation) continue
      const approvals = second.store.find('approvals', {})
      const known = before.find('approvals', {})
      if (known[0])
        expect(
          approvals.map(({ id }) => id),
          `after ${commits}`,
        ).toEqual([known[0].id])
      expect(approvals, `after ${commits}`).toHaveLength(1)
      expect(second.store.find('runs', {})).toMatchObject([{ status: 'completed' }])
      second.flush()
      expectEvents(second.store, conversation.id, second.told)
      expect(conversationProblems(second.store, conversation.id)).toEqual([])
    }
    const [conversation] = first.store.find('conversations', {})
    const later = life({ main: [run('npm test'), end] }, first.store)
    const next = await later.start('again', { conversationId: conversation!.id })
    await later.clock.settle()
    expect(asked(later)).toHaveLength(1)
    next.stop('cancel')
    await later.clock.until(next.result)
  })
})

describe('an approval at depth 3', () => {
  const deep = {
    main: [task('one'), end],
    one: [task('two'), end],
    two: [task('three'), end],
    three: [run('npm test'), { text: 'tried' }],
  }
  const names = Object.keys(deep)
  const agents = names.map((name) => agent(name, { spawns: names }))
  const config = { limits: { maxDepth: 3 } }

  test('bubbles to the root conversation with the path of agents', async () => {
    const h = life(deep, cutStore(), { agents, config })
    const { result } = await h.start('go')
    await h.clock.settle()
    expect(asked(h)).toMatchObject([
      { path: names, depth: 3, directory: '/w', rule: expect.stringContaining('bash') },
    ])
    await answer(h, { answer: 'once' })
    expect(await h.clock.until(result)).toMatchObject({ status: 'completed', text: 'end' })
    expect(h.store.find('tool_calls', { where: { tool: 'bash' } })).toMatchObject([{ status: 'completed' }])
  })

  test("is denied at once when unattended, and the model's next turn says so", async () => {
    const h = harness({ tools: [bash], script: deep, agents, config })
    expect(await h.run('go')).toMatchObject({ status: 'completed', denials: [{ agent: 'three' }] })
    const next = h.scripted.requests.filter(({ agent }) => agent === 'three')[1]!
    expect(JSON.stringify(next.options.prompt.at(-1))).toContain('nobody can answer here (unattended)')
  })
})
