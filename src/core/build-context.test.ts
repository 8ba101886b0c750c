import { describe, expect, test } from 'vitest'
import { buildContext } from './build-context.ts'
import { call, NOT_RUN, notice, result, see, signedThought, text, thought, Tree } from './fixtures/tree.ts'
import type { BranchId } from './ids.ts'

describe('a context', () => {
  const conversation = () =>
    new Tree()
      .branch('main')
      .say('main', 's', 'system', [text('be good')])
      .say('main', 'u', 'user', [text('go')])
      .say('main', 'a', 'assistant', [thought('hm'), text('I look'), call('c1'), call('c2')])
      .say('main', 't', 'tool', [result('c2'), result('c1')])
      .say('main', 'z', 'assistant', [text('done')])

  test('of a main branch is its messages, results in the order of the calls', () => {
    expect(see(conversation(), 'main')).toEqual([
      'system text(be good)',
      'user text(go)',
      'assistant reasoning(hm) text(I look) call(c1) call(c2)',
      'tool result(c1:found c1) result(c2:found c2)',
      'assistant text(done)',
    ])
  })

  test('of a fork at a message with calls answers each as not run', () => {
    const tree = conversation()
      .branch('fork', { parent: 'main', origin: 'a' })
      .say('fork', 'f', 'user', [text('other')])
    expect(see(tree, 'fork').slice(2)).toEqual([
      'assistant reasoning(hm) text(I look) call(c1) call(c2)',
      `tool result(c1:${NOT_RUN}) result(c2:${NOT_RUN})`,
      'user text(other)',
    ])
  })

  test('of a fork at some of the results has these, and the others as not run', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'a', 'assistant', [call('c1'), call('c2')])
      .say('main', 't1', 'tool', [result('c2')])
      .say('main', 't2', 'tool', [result('c1')])
      .branch('fork', { parent: 'main', origin: 't1' })
    expect(see(tree, 'fork')).toEqual([
      'assistant call(c1) call(c2)',
      `tool result(c1:${NOT_RUN}) result(c2:found c2)`,
    ])
  })

  test('a synthetic result says that it was skipped', () => {
    const tree = conversation().branch('fork', { parent: 'main', origin: 'a' })
    expect(buildContext(tree, 'fork' as BranchId).at(-1)!.parts[0]).toMatchObject({
      status: 'skipped',
      tool: 'grep',
      callId: 'c1',
    })
  })

  test('of a subagent is its own messages; with inheritContext its system text replaces what it inherits', () => {
    const tree = conversation()
      .branch('fresh', { parent: 'main', origin: 'a', inherit: false })
      .say('fresh', 'x1', 'system', [text('you explore')])
      .say('fresh', 'x2', 'user', [text('task')])
      .branch('heir', { parent: 'main', origin: 'u' })
      .say('heir', 'y1', 'system', [text('you continue')])
      .say('heir', 'y2', 'user', [text('task')])
    expect(see(tree, 'fresh')).toEqual(['system text(you explore)', 'user text(task)'])
    expect(see(tree, 'heir')).toEqual(['system text(you continue)', 'user text(go)', 'user text(task)'])
  })

  test('of a fork inside a subagent stays inside it', () => {
    const tree = conversation()
      .branch('sub', { parent: 'main', origin: 'a', inherit: false })
      .say('sub', 'x', 'user', [text('task')])
      .branch('fork', { parent: 'sub', origin: 'x' })
      .say('fork', 'y', 'user', [text('other task')])
    expect(see(tree, 'fork')).toEqual(['user text(task)', 'user text(other task)'])
  })

  test('of a branch that does not exist is empty', () => {
    expect(see(conversation(), 'nowhere')).toEqual([])
  })

  test('is not slowed down by a long line of forks', () => {
    const tree = new Tree().branch('f0').say('f0', 'm0', 'user', [text('0')])
    for (let i = 1; i < 2000; i++) {
      tree
        .branch(`f${i}`, { parent: `f${i - 1}`, origin: `m${i - 1}` })
        .say(`f${i}`, `m${i}`, 'user', [text(String(i))])
    }
    expect(see(tree, 'f1999')).toHaveLength(2000)
  })
})

/** Shrunk by the properties above from versions that got them wrong. */
describe('counter-examples', () => {
  test('a fork at a message that its parent inherits sees only what came before that message', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'm0', 'user', [text('a')])
      .say('main', 'm1', 'user', [text('b')])
      .branch('fork', { parent: 'main', origin: 'm1' })
      .branch('again', { parent: 'fork', origin: 'm0' })
    expect(see(tree, 'again')).toEqual(['user text(a)'])
  })

  test('a fork at a message that is not there inherits nothing, from no generation', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'm0', 'user', [text('a')])
      .branch('fork', { parent: 'main', origin: 'm0' })
      .branch('again', { parent: 'fork', origin: 'nothing' })
      .say('again', 'm1', 'user', [text('b')])
    expect(see(tree, 'again')).toEqual(['user text(b)'])
  })

  test('an inheriting branch without an origin inherits nothing', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'm0', 'user', [text('a')])
      .branch('fork', { parent: 'main', origin: null })
    expect(see(tree, 'fork')).toEqual([])
  })

  test('an empty system message does not take the place of an inherited one', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'm0', 'system', [text('be good')])
      .branch('fork', { parent: 'main', origin: 'm0' })
      .say('fork', 'm1', 'system', [notice('a card')])
    expect(see(tree, 'fork')).toEqual(['system text(be good)'])
  })

  test('text of white space only is no text', () => {
    const tree = new Tree().branch('main').say('main', 'm0', 'user', [text(' \n')])
    expect(see(tree, 'main')).toEqual([])
  })

  test('an answer that is reasoning alone, or ends with it, loses that reasoning', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'm0', 'assistant', [signedThought('hm')])
      .say('main', 'm1', 'assistant', [thought('so'), text('a'), thought('or not')])
    expect(see(tree, 'main')).toEqual(['assistant reasoning(so) text(a)'])
  })

  test('the calls of an interrupted answer are gone, and their results with them', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'm0', 'assistant', [call('c1')], 'interrupted')
      .say('main', 'm1', 'tool', [result('c1')])
    expect(see(tree, 'main')).toEqual([])
  })

  test('a call that a person wrote and a result that an answer holds are nothing to a provider', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'm0', 'user', [text('a'), call('c1')])
      .say('main', 'm1', 'assistant', [result('c1'), text('b')])
    expect(see(tree, 'main')).toEqual(['user text(a)', 'assistant text(b)'])
  })

  test('a result counts only where it stands in a message of tools', () => {
    const tree = new Tree()
      .branch('main')
      .say('main', 'm0', 'assistant', [call('c1')])
      .say('main', 'm1', 'assistant', [result('c1'), text('b')])
    expect(see(tree, 'main')).toEqual([
      'assistant call(c1)',
      `tool result(c1:${NOT_RUN})`,
      'assistant text(b)',
    ])
  })

  test('branches that are each other’s parent end', () => {
    const tree = new Tree()
      .branch('one', { parent: 'two', origin: 'm1' })
      .branch('two', { parent: 'one', origin: 'm0' })
      .say('one', 'm0', 'user', [text('a')])
      .say('two', 'm1', 'user', [text('b')])
    expect(see(tree, 'one')).toEqual(['user text(b)', 'user text(a)'])
    expect(see(tree, 'two')).toEqual(['user text(a)', 'user text(b)'])
  })
})
