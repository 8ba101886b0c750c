import { describe, expect, test } from 'vitest'
import { agent, harness, tool, type HarnessOptions } from '../../../test/support/runtime-harness.ts'
import type { Author } from '../../core/message.ts'
import type { Layer } from '../../permissions/types.ts'
import type { StartedRun } from '../control/acquire-and-drive.ts'

const late = { text: 'late', delayMs: 600_000 }
const config: Layer = { name: 'user config', rules: [{ tool: 'bash', pattern: 'ls *', action: 'allow' }] }
const line: Layer = { name: 'command line', rules: [{ tool: 'bash', pattern: 'rm *', action: 'allow' }] }
const reader = agent('reader', { permissions: [{ tool: 'edit', action: 'deny' }] })
const plain = { layers: [config], sharedLayers: [config] }
const wide = { layers: [config, line], sharedLayers: [config] }
const HINT = 'a person does this, in their own terminal or on the page'

/** A main run, and below it a subagent of two kinds, all of which work. */
async function working(options: HarnessOptions) {
  const script = { main: [late], explore: [late], reader: [late] }
  const agents = [agent('main'), agent('explore'), reader]
  const h = harness({ script, agents, tools: [tool('look')], ...options })
  const main = await h.start('go')
  const { conversationId } = main
  const explore = await h.spawn('look', { conversationId })
  const bound = await h.spawn('read', { conversationId, agent: reader })
  await h.clock.settle()
  const steer = (to: StartedRun, author: Author) =>
    h.perform(conversationId, { verb: 'steer', target: to.branchId, args: { text: 'do it', author } })
  return { h, main, explore, bound, steer }
}

function as({ branchId }: StartedRun, name: string): Author {
  return { agent: name, branchId }
}

function refused(what: string) {
  const message = expect.stringContaining(`is not for an agent that may do less: it ${what}`) as string
  return { code: 'usage', message, hint: HINT }
}

describe('an agent of another conversation', () => {
  test('steers what may do no more than a run that it starts itself', async () => {
    const { main, explore, bound, steer } = await working(plain)
    for (const to of [main, explore, bound])
      expect(await steer(to, 'unknown')).toMatchObject({ branchId: to.branchId })
  })

  test('steers nothing that a person allowed more on the command line', async () => {
    const { main, explore, steer } = await working(wide)
    const more = refused('has more allowed: bash:rm * (command line)')
    for (const to of [main, explore]) await expect(steer(to, 'unknown')).rejects.toMatchObject(more)
    expect(await steer(main, 'person')).toMatchObject({ branchId: main.branchId })
  })

  test('neither sends to it, continues it, forks it nor starts something there', async () => {
    const { h, main } = await working(wide)
    const { conversationId, branchId } = main
    const author = 'unknown'
    const more = refused('has more allowed: bash:rm * (command line)')
    const [said] = h.store.find('messages', { where: { branchId, role: 'user' } })
    for (const command of [
      { verb: 'message', target: branchId, args: { text: 'do it', mode: 'follow_up', author } },
      { verb: 'continue', target: branchId, args: { text: 'do it', author } },
      { verb: 'continue', target: branchId, args: { author } },
      { verb: 'fork', target: said!.id, args: { text: 'do it', author } },
      { verb: 'spawn', target: conversationId, args: { agent: 'explore', task: 'do it', author } },
    ] as const)
      await expect(h.perform(conversationId, command), command.verb).rejects.toMatchObject(more)
    expect(h.store.find('inbox', {})).toEqual([])
    expect(h.store.find('branches', {})).toHaveLength(3)
  })

  test('steers nothing that holds an answer of a person for its conversation', async () => {
    const { h, main, steer } = await working(plain)
    const { conversationId } = main
    const rule = { id: 'rul_1', kind: 'grant', tool: 'bash', pattern: 'npm *', action: 'allow' } as const
    await h.store.tx(
      (tx) => tx.insert('rules', { ...rule, conversationId, branchId: null, directory: null, createdAt: 1 }),
      { durable: true },
    )
    const more = refused('has a permission that a person gave: bash:npm *')
    await expect(steer(main, 'unknown')).rejects.toMatchObject(more)
  })

  test('steers nothing with tools of a program', async () => {
    const { main, steer } = await working({ ...plain, tools: [tool('pay', { isOwn: true })] })
    await expect(steer(main, 'unknown')).rejects.toMatchObject(refused('has the tool pay'))
  })

  test('is bound by the rules of its branch there too', async () => {
    const { h, main } = await working(plain)
    const other = await h.start('something else')
    const own = await h.spawn('read', { conversationId: other.conversationId, agent: reader })
    await h.clock.settle()
    const steer = {
      verb: 'steer',
      target: main.branchId,
      args: { text: 'do it', author: as(own, 'reader') },
    } as const
    const more = refused('is not bound by agent reader')
    await expect(h.perform(main.conversationId, steer)).rejects.toMatchObject(more)
  })
})

describe('an agent of the same conversation', () => {
  test('steers what may do no more than it, whatever the command line allows both', async () => {
    const { main, explore, bound, steer } = await working(wide)
    expect(await steer(explore, as(main, 'main'))).toMatchObject({ branchId: explore.branchId })
    expect(await steer(bound, as(main, 'main'))).toMatchObject({ branchId: bound.branchId })
    expect(await steer(main, as(explore, 'explore'))).toMatchObject({ branchId: main.branchId })
  })

  test('steers nothing that is bound by less than it', async () => {
    const { main, explore, bound, steer } = await working(wide)
    const more = refused('is not bound by agent reader')
    for (const to of [main, explore]) await expect(steer(to, as(bound, 'reader'))).rejects.toMatchObject(more)
  })

  test('steers nothing to which a person has opened a directory', async () => {
    const { h, main } = await working(plain)
    const { conversationId } = main
    const opened = { tool: 'external_directory', pattern: '/srv/**' }
    const below = await h.spawn('work there', { conversationId })
    await h.clock.settle()
    const rule = { id: 'rul_2', kind: 'grant', action: 'allow', ...opened } as const
    const here = { conversationId, branchId: below.branchId, directory: null, createdAt: 1 }
    await h.store.tx((tx) => tx.insert('rules', { ...rule, ...here }), { durable: true })
    const next = harness({ ...plain, store: h.store, agents: [agent('main'), agent('explore'), reader] })
    const args = { text: 'do it', author: as(main, 'main') }
    await expect(
      next.perform(conversationId, { verb: 'steer', target: below.branchId, args }),
    ).rejects.toMatchObject(refused('has a permission that a person gave: external_directory:/srv/**'))
  })
})
