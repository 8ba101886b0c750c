import { describe, expect, it } from 'vitest'
import { branchRow, runRow, viewState } from '../../test/support/view-state.ts'
import type { BranchId, MessageId } from '../core/ids.ts'
import { withPage } from './merge-message-page.ts'
import {
  branchTree,
  breadcrumb,
  lineage,
  originNumber,
  siblings,
  versionsAt,
  type BranchNode,
} from './branches.ts'

const brn = (id: string) => id as BranchId
const msg = (id: string) => id as MessageId

const fork = (id: string, parentBranchId: string, originMessageId: string | null) =>
  branchRow(id, { kind: 'fork', parentBranchId, originMessageId, inheritContext: true })

const state = viewState({
  branches: [
    branchRow('brn_main'),
    branchRow('brn_a'),
    branchRow('brn_b'),
    branchRow('brn_a1', { parentBranchId: 'brn_a' }),
    fork('brn_f1', 'brn_main', 'msg_2'),
    fork('brn_f2', 'brn_main', 'msg_2'),
    fork('brn_g', 'brn_f1', 'msg_f1_0'),
    fork('brn_h', 'brn_a1', 'msg_a1_0'),
  ],
  runs: [runRow('run_1', { branchId: brn('brn_a') }), runRow('run_2', { branchId: brn('brn_a') })],
})

const names = (nodes: readonly BranchNode[]): unknown[] =>
  nodes.map(({ branch, children }) => (children.length > 0 ? [branch.id, names(children)] : branch.id))

describe('the branches of a conversation', () => {
  it('are a tree', () => {
    expect(names(branchTree(state))).toEqual([
      ['brn_main', [['brn_a', [['brn_a1', ['brn_h']]]], 'brn_b', ['brn_f1', ['brn_g']], 'brn_f2']],
    ])
    const a = branchTree(state)[0]!.children[0]!
    expect([a.depth, a.run?.id]).toEqual([1, 'run_2'])
    expect(branchTree(viewState({ branches: [branchRow('brn_lost')] }))).toHaveLength(1)
  })

  it('begin at a message that is called by its number, of which system messages have none', () => {
    const message = (position: number, role: string) => ({ id: `msg_${position}`, position, role, parts: [] })
    const page = (from: number, roles: readonly string[], more: object = {}) =>
      ({
        branchId: 'brn_main',
        seq: 0,
        messages: roles.map((role, at) => message(from + at, role)),
        calls: [],
        before: null,
        ...more,
      }) as unknown as Parameters<typeof withPage>[1]
    const begun = state.branches[brn('brn_f1')]!
    expect(originNumber(state, begun)).toBeUndefined()
    expect(originNumber(withPage(state, page(0, ['system', 'user', 'assistant'])), begun)).toBe(2)
    const late = withPage(state, page(2, ['assistant'], { before: 2, systemsBefore: 1 }))
    expect(originNumber(late, begun)).toBe(2)
    expect(originNumber(withPage(late, page(0, ['system', 'user'])), begun)).toBe(2)
    expect(originNumber(withPage(state, page(1, ['user', 'assistant'])), begun)).toBe(3)
    expect(originNumber(late, state.branches[brn('brn_a')]!)).toBeUndefined()
  })

  it('have a way to the main one, and siblings of their kind', () => {
    const ids = (branches: readonly { readonly id: string }[]) => branches.map(({ id }) => id)
    expect(ids(breadcrumb(state, brn('brn_h')))).toEqual(['brn_main', 'brn_a', 'brn_a1', 'brn_h'])
    expect(ids(siblings(state, brn('brn_a')))).toEqual(['brn_a', 'brn_b'])
    expect(ids(siblings(state, brn('brn_main')))).toEqual(['brn_main'])
    expect([breadcrumb(state, brn('brn_no')), siblings(state, brn('brn_no'))]).toEqual([[], []])
  })

  it('say what a model sees of others', () => {
    expect(lineage(state, brn('brn_g'))).toEqual([
      { branchId: 'brn_main', upTo: 'msg_2' },
      { branchId: 'brn_f1', upTo: 'msg_f1_0' },
      { branchId: 'brn_g', upTo: null },
    ])
    expect(lineage(state, brn('brn_h'))).toEqual([
      { branchId: 'brn_a1', upTo: 'msg_a1_0' },
      { branchId: 'brn_h', upTo: null },
    ])
  })
})

describe('versionsAt', () => {
  const branches = ['brn_main', 'brn_f1', 'brn_f2']

  it.each([
    ['on the branch that was left', 'brn_main', 'msg_2', { branches, index: 0 }],
    ['on a fork', 'brn_f2', 'msg_2', { branches, index: 2 }],
    ['elsewhere on the branch', 'brn_main', 'msg_3', null],
    [
      'at the second message of a fork that was forked',
      'brn_f1',
      'msg_f1_0',
      { branches: ['brn_f1', 'brn_g'], index: 0 },
    ],
    ['at the first message of all, which nobody has left', 'brn_main', null, null],
    ['on no branch', 'brn_no', 'msg_2', null],
  ])('%s', (_, branchId, before, versions) => {
    expect(versionsAt(state, brn(branchId), before === null ? null : msg(before))).toEqual(versions)
  })

  it('at the first message of all', () => {
    const two = viewState({ branches: [branchRow('brn_main'), fork('brn_f', 'brn_main', null)] })
    expect(versionsAt(two, brn('brn_main'), null)).toEqual({ branches: ['brn_main', 'brn_f'], index: 0 })
    expect(versionsAt(two, brn('brn_f'), null)).toEqual({ branches: ['brn_main', 'brn_f'], index: 1 })
  })
})
