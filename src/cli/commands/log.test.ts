import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import { countedIds, Conversation } from '../../export/fixtures/conversations.ts'
import type { Part } from '../../core/message.ts'
import { state, type RunState } from '../../core/run-status.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'

let user: TestUser
let nextStart = 1_000
const newId = countedIds(500)

beforeAll(async () => {
  user = new TestUser()
  await user.call(['ls']) // makes the home
})
afterAll(() => user.remove())

async function stored(grow: (it: Conversation) => void) {
  const store = await openSqliteStore({ file: user.database, now: () => 1 })
  const start = (nextStart += 1_000)
  const it = await store.tx(
    (tx) => {
      const made = new Conversation(tx, countedIds(start))
      grow(made)
      return made
    },
    { durable: true },
  )
  await store.close()
  return { conversation: it.conversationId, main: it.branches[0]!, runs: it.runs, branches: it.branches }
}

const shown = async (...args: string[]) => (await user.call(args)).stdout

function askedAndAnswered(end: RunState, answer: readonly Part[], answerState: 'streaming' | 'interrupted') {
  return (it: Conversation) => {
    const [main] = it.branches
    it.message(main!, 'user', [it.text('Compare them.')])
    it.run(main!, end, { endedAt: end.status === 'running' ? null : 5 })
    it.message(main!, 'assistant', answer, { state: answerState })
  }
}

describe('an answer that its process left behind', () => {
  const half: Part = { id: newId('prt'), type: 'text', text: 'Half of it' }

  test('is not said to be streaming, in log, show, Markdown and HTML', async () => {
    const { main, conversation } = await stored(askedAndAnswered(state.running, [half], 'streaming'))
    const views = [
      await shown('log', main),
      await shown('show', main, '--messages'),
      await shown('export', conversation, '--format', 'md'),
      await shown('export', conversation, '--format', 'html'),
    ]
    for (const view of views) {
      expect(view).not.toContain('streaming')
      expect(view).toContain('its process exited')
      expect(view).toContain('Left behind')
    }
    expect(views[0]).toContain('main (agent) (its process exited): Half of it\n')
    expect(views[0]).toContain('∙ Left behind: its process exited while it was running: offshoot recover\n')
  })
})

describe('an answer without a text that was cut', () => {
  test.each([
    ['interrupted', []],
    ['interrupted', [{ id: newId('prt'), type: 'reasoning', text: 'I think' }]],
  ] as const)('says whose it is: %s', async (how, parts) => {
    const { main } = await stored(askedAndAnswered(state.paused('user'), parts, how))
    for (const args of [
      ['log', main],
      ['show', main, '--messages'],
    ])
      expect(await shown(...args)).toContain(
        'User: Compare them.\nmain (agent) (interrupted), without a text\n',
      )
  })

  test('says it above the notice of where it was cut', async () => {
    const notice: Part = { id: newId('prt'), type: 'notice', text: 'The answer was cut at the output limit' }
    const { main } = await stored((it) => {
      it.message(it.branches[0]!, 'user', [it.text('Compare them.')])
      it.message(it.branches[0]!, 'assistant', [notice])
    })
    expect(await shown('log', main)).toBe(
      'User: Compare them.\nmain (agent), without a text\n  ∙ The answer was cut at the output limit\n',
    )
  })
})

describe('log ends with what stopped, and how to continue it', () => {
  test.each([
    [state.paused('user'), 'Paused: by you'],
    [state.paused('max_turns'), 'Paused: limit: max turns'],
    [state.failed, 'Failed'],
  ] as const)('%j', async (end, words) => {
    const { main, runs } = await stored((it) => {
      it.message(it.branches[0]!, 'user', [it.text('Compare them.')])
      it.run(it.branches[0]!, end)
      it.message(it.branches[0]!, 'assistant', [it.text('Not yet.')])
    })
    for (const id of [main, runs[0]!.id]) {
      const lines = (await shown('log', id)).trimEnd().split('\n')
      expect(lines.at(-1)).toMatch(
        new RegExp(`^ {2}∙ ${words}.*: offshoot continue ${main}(?: \\(--max-turns N .*\\))?$`),
      )
    }
  })

  test('of a run that is not the last of its branch, nothing', async () => {
    const { runs } = await stored((it) => {
      for (const end of [state.paused('user'), state.completed]) {
        it.message(it.branches[0]!, 'user', [it.text('Go.')])
        it.run(it.branches[0]!, end)
        it.message(it.branches[0]!, 'assistant', [it.text('Gone.')])
      }
    })
    expect(await shown('log', runs[0]!.id)).toBe('User: Go.\nmain (agent): Gone.\n')
  })
})

test('log says why a call was not run', async () => {
  const result: Part = {
    id: newId('prt'),
    type: 'tool-result',
    callId: newId('cal'),
    tool: 'bash',
    status: 'skipped',
    output: { text: 'not run: the run was stopped first' },
  }
  const { main } = await stored((it) => it.message(it.branches[0]!, 'tool', [result]))
  expect(await shown('log', main)).toBe('  ← bash not run: the run was stopped first\n')
})

describe('log and show', () => {
  const HOSTILE = 'first\n  \u2219 a notice\nUser: I said this\u001b[2J\n'
  const talk = async () => {
    const callId = newId('cal')
    const input = { command: `echo ${'long '.repeat(60)}end` }
    const call: Part = { id: newId('prt'), type: 'tool-call', callId, tool: 'bash', input }
    const output = { text: HOSTILE }
    const result: Part = {
      id: newId('prt'),
      type: 'tool-result',
      callId,
      tool: 'bash',
      status: 'completed',
      output,
    }
    return await stored((it) => {
      it.message(it.branches[0]!, 'user', [it.text('Go.')])
      it.message(it.branches[0]!, 'assistant', [call])
      it.message(it.branches[0]!, 'tool', [result])
    })
  }

  test('--ids prints the id of each message above it', async () => {
    const { main } = await talk()
    const ids = user.rows(`SELECT id FROM messages WHERE branch_id = '${main}' ORDER BY position`)
    const lines = (await shown('log', main, '--ids')).split('\n')
    expect(lines.filter((line) => line.startsWith('msg_'))).toEqual(ids.map(({ id }) => id))
    expect(lines[1]).toBe('User: Go.')
    for (const { id } of ids) expect(await shown('show', main, '--ids')).toContain(`\n${String(id)}\n`)
  })

  test('--tools prints inputs and results in full, and no line of them looks like another message', async () => {
    const { main } = await talk()
    for (const text of [await shown('log', main, '--tools'), await shown('show', main, '--tools')]) {
      expect(text).toContain('long end"}\n')
      expect(text).toContain(
        '  \u2190 bash completed\n      first\n        \u2219 a notice\n      User: I said this\u241b[2J\n',
      )
    }
    expect(await shown('log', main)).toContain('  \u2190 bash completed, 3 lines\n')
  })
})
