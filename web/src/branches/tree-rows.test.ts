import type { BranchNode } from 'offshoot/client'
import { describe, expect, it } from 'vitest'
import { rowsOf, type TreeFilter } from './tree-rows.ts'

const text = (id: string, role: string, words: string) => ({
  id,
  role,
  runId: null,
  parts: [{ type: 'text', text: words }],
})
const calls = (id: string, ...tools: string[]) => ({
  id,
  role: 'assistant',
  parts: tools.map((tool) => ({ type: 'tool-call', tool })),
})

function node(
  id: string,
  originMessageId: string | null,
  messages: readonly object[],
  children: unknown[] = [],
) {
  const branch = { id, originMessageId, messages, streaming: null, lastAnswerId: null }
  return { branch, run: null, depth: 0, children } as unknown as BranchNode
}

const tree = [
  node(
    'main',
    null,
    [
      text('m1', 'user', 'First.\nMore of it.'),
      calls('m2', 'read', 'grep'),
      { id: 'm3', role: 'tool', parts: [] },
      text('m4', 'assistant', 'Found.'),
    ],
    [
      node('early', null, [text('e1', 'user', 'Another first.')]),
      node('fork', 'm2', [text('f1', 'user', 'Other.')]),
    ],
  ),
]

const shown = (filter: TreeFilter, closed: readonly string[] = []) =>
  rowsOf(tree, new Set(closed), filter).map(({ id, text: words }) => `${id} ${words}`.trim())

describe('the rows of the tree', () => {
  it('are the branches alone', () => {
    expect(shown('branches')).toEqual(['main', 'early', 'fork'])
  })

  it('are messages too, each branch after the one that it leaves', () => {
    expect(shown('all')).toEqual([
      'main',
      'early',
      'e1 Another first.',
      'm1 First.',
      'm2 read, grep',
      'fork',
      'f1 Other.',
      'm4 Found.',
    ])
  })

  it('leave out tools, or what was not said by a person', () => {
    expect(shown('said')).not.toContain('m2 read, grep')
    expect(shown('yours')).toEqual(['main', 'early', 'e1 Another first.', 'm1 First.', 'fork', 'f1 Other.'])
  })

  it('are none below a branch that is closed', () => {
    expect(shown('all', ['fork', 'early'])).not.toContain('f1 Other.')
    expect(shown('all', ['main'])).toEqual(['main'])
  })
})
