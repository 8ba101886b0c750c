import type { BranchView, CallView } from 'offshoot/client'
import type { MessagePage } from 'offshoot/protocol'
import { describe, expect, it } from 'vitest'
import { itemsOf, summaryOfLooks } from './transcript-items.ts'

type Message = MessagePage['messages'][number]

function message(id: string, role: Message['role'], parts: readonly object[]): Message {
  return {
    id,
    branchId: 'brn_1',
    position: 0,
    role,
    state: 'complete',
    parts,
    runId: null,
    usage: null,
    createdAt: 0,
  } as unknown as Message
}

const call = (id: string, tool: string) => ({
  id: `prt_${id}`,
  type: 'tool-call',
  callId: id,
  tool,
  input: {},
})
const result = (id: string, tool: string, status = 'completed') => ({
  id: `res_${id}`,
  type: 'tool-result',
  callId: id,
  tool,
  status,
  output: { text: 'x' },
})

function kinds(
  messages: readonly Message[],
  branches: ReadonlyMap<string, BranchView> = new Map(),
): string[] {
  const items = itemsOf(messages, { callOf: (): CallView | undefined => undefined, branchOfCall: branches })
  return items.map((item) => ('entries' in item ? `${item.kind} ${item.entries.length}` : item.kind))
}

describe('the items of a transcript', () => {
  it('fold calls that only look, over turns too, and nothing else', () => {
    const found = kinds([
      message('m1', 'assistant', [call('a', 'read'), call('b', 'grep')]),
      message('m2', 'tool', [result('a', 'read'), result('b', 'grep')]),
      message('m3', 'assistant', [call('c', 'read'), call('d', 'bash'), call('e', 'read')]),
      message('m4', 'tool', [result('c', 'read'), result('d', 'bash'), result('e', 'read')]),
    ])
    expect(found).toEqual(['looks 3', 'tool', 'looks 1'])
  })

  it('show a look that failed, or that has not ended, by itself', () => {
    const found = kinds([
      message('m1', 'assistant', [call('a', 'read'), call('b', 'read')]),
      message('m2', 'tool', [result('a', 'read', 'failed')]),
    ])
    expect(found).toEqual(['tool', 'tool'])
  })

  it('fold the subagents of one turn alone, whatever the tool is called', () => {
    const typed = new Map([['c', { id: 'brn_2' } as unknown as BranchView]])
    const found = kinds(
      [
        message('m1', 'assistant', [call('a', 'task'), call('b', 'task'), call('c', 'code_search')]),
        message('m2', 'assistant', [call('d', 'task')]),
      ],
      typed,
    )
    expect(found).toEqual(['agents 3', 'agents 1'])
  })

  it('show what stands beside a result that a repair has found damaged', () => {
    const notice = { id: 'prt_2', type: 'notice', text: 'Damaged', damaged: 'res_a' }
    const found = kinds([
      message('m1', 'assistant', [call('a', 'bash')]),
      message('m2', 'tool', [result('a', 'bash'), notice]),
    ])
    expect(found).toEqual(['tool', 'notice'])
  })

  it('have one card of a subagent that a person started, however often it is noted', () => {
    const note = (id: string, branchId?: string) => ({ id, type: 'notice', text: id, branchId })
    const items = itemsOf(
      [
        message('m1', 'user', [note('started', 'brn_2')]),
        message('m2', 'user', [note('ended', 'brn_2')]),
        message('m3', 'user', [note('another', 'brn_3'), note('of none')]),
      ],
      { callOf: () => undefined, branchOfCall: new Map() },
    )
    const cards = items.map((item) => (item.kind === 'notice' ? [item.key, item.cardOf] : []))
    expect(cards).toEqual([
      ['started', 'brn_2'],
      ['ended', undefined],
      ['another', 'brn_3'],
      ['of none', undefined],
    ])
  })

  it('pass over empty text and parts of a newer program', () => {
    const parts = [
      { id: 'prt_1', type: 'text', text: ' \n' },
      { id: 'prt_2', type: 'hologram' },
    ]
    expect(kinds([message('m1', 'assistant', parts)])).toEqual([])
  })
})

describe('the summary of calls that looked', () => {
  it('counts files, searches and folders', () => {
    const entry = (tool: string) =>
      ({ part: call('x', tool) }) as unknown as Parameters<typeof summaryOfLooks>[0][number]
    expect(summaryOfLooks(['read', 'read', 'read'].map(entry))).toBe('Read 3 files')
    expect(summaryOfLooks(['read', 'grep', 'glob', 'list'].map(entry))).toBe(
      'Read 1 file, searched 2 times, listed 1 folder',
    )
  })
})
