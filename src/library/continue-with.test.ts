import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/fresh-copy.ts'
import { testOffshoot } from '../../test/support/test-offshoot.ts'
import { textOf } from '../core/message.ts'
import { scriptedModel, type TestOffshoot } from '../testing.ts'
import type { OffshootRun } from './run.ts'

const directory = temporaryFolder('continue-with')
mkdirSync(join(directory, '.ssh'))
writeFileSync(join(directory, 'notes.md'), 'The answer is 42.')
writeFileSync(join(directory, '.env'), 'KEY=secret')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const call = { toolCalls: [{ tool: 'todo', input: { todos: [] } }] }
const cut = { text: 'half', finishReason: 'length' as const }

/** A run that is paused after its only turn. */
async function paused(script: Parameters<typeof testOffshoot>[0]) {
  const t = await testOffshoot({ directory, ...script })
  const run = await (await t.offshoot.chat()).send('go', { maxTurns: 1 })
  await t.clock.until(run.result())
  return { t, run, [Symbol.asyncDispose]: t[Symbol.asyncDispose] }
}

const said = async ({ offshoot }: TestOffshoot, { branchId }: OffshootRun) =>
  (await offshoot.branches.messages(branchId))
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => ({ text: textOf(parts), author: parts[0]!.type === 'text' && parts[0]!.author }))

describe('a paused run goes on', () => {
  it('with another model, which every later run has too', async () => {
    await using p = await paused({ script: { main: [cut] } })
    const other = scriptedModel({ agents: { main: [{ text: 'end' }, { text: 'more' }] } })
    const next = await p.run.continue('go on', { model: other })
    expect(next.id).toBe(p.run.id)
    expect(await p.t.clock.until(next.result())).toMatchObject({ status: 'completed', text: 'end' })
    expect(other.requests).toHaveLength(1)
    const after = await next.continue('once more')
    expect(await p.t.clock.until(after.result())).toMatchObject({ text: 'more' })
  })

  it('with files, which the runtime quotes before the text of the program', async () => {
    await using p = await paused({ script: { main: [cut, { text: 'end' }] } })
    const next = await p.run.continue('look at it', { files: ['notes.md'] })
    expect(await p.t.clock.until(next.result())).toMatchObject({ status: 'completed' })
    expect((await said(p.t, next)).slice(-2)).toEqual([
      {
        author: 'runtime',
        text: expect.stringMatching(/^# Files given by User\n[^]*The answer is 42\./) as string,
      },
      { author: 'person', text: 'look at it' },
    ])
  })

  it('with files and no text', async () => {
    await using p = await paused({ script: { main: [cut, { text: 'end' }] } })
    const next = await p.run.continue(undefined, { files: ['notes.md'] })
    expect(await p.t.clock.until(next.result())).toMatchObject({ status: 'completed' })
    expect((await said(p.t, next)).at(-2)?.text).toContain('The answer is 42.')
  })

  it('with more turns and money', async () => {
    await using p = await paused({ script: { main: [cut, call, { text: 'end' }] } })
    const next = await p.run.continue('go on', { maxTurns: 2, budgetUsd: 1 })
    expect(await p.t.clock.until(next.result())).toMatchObject({ status: 'completed', text: 'end', turns: 3 })
  })

  it.each([
    ['a model that there is not', { model: 'nowhere/x' }, 'nowhere'],
    ['a file that there is not', { files: ['gone.md'] }, 'gone.md cannot be given'],
    ['a file that needs an approval', { files: ['.env'] }, '.env cannot be given'],
    ['files that are no list', { files: 'notes.md' as never }, 'files'],
  ])('not with %s, and nothing of it is left', async (_, options, text) => {
    await using p = await paused({ script: { main: [cut, { text: 'end' }] } })
    const before = await said(p.t, p.run)
    await expect(p.run.continue('go on', options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(text) as string,
    })
    expect(await said(p.t, p.run)).toEqual(before)
    expect(await p.t.offshoot.runs.get(p.run.id)).toMatchObject({ status: 'paused' })
  })
})

it('a run that has ended is followed by one with another model', async () => {
  await using t = await testOffshoot({ script: { main: [{ text: 'one' }] } })
  const run = await (await t.offshoot.chat()).send('go')
  await t.clock.until(run.result())
  const model = scriptedModel({ agents: { main: [{ text: 'two' }] } })
  expect(await t.clock.until((await run.continue('more', { model })).result())).toMatchObject({ text: 'two' })
})

it('a run that has not stopped keeps its model, and reads files at its next turn', async () => {
  const script = { main: [{ ...call, delayMs: 60_000 }, { text: 'end' }] }
  await using t = await testOffshoot({ directory, script })
  const run = await (await t.offshoot.chat()).send('go')
  const other = scriptedModel({ agents: {} })
  await expect(run.continue('go on', { model: other })).rejects.toMatchObject({ code: 'conflict' })
  await run.continue('look', { files: ['notes.md'] })
  await t.clock.until(run.result())
  expect((await said(t, run)).map(({ text }) => text)).toEqual([
    'go',
    expect.stringContaining('The answer is 42.'),
    'look',
  ])
})
