import type { Scenario } from '../play.ts'
import { z } from 'zod'
import { tool, type Store } from '../../../src/index.ts'
import { borrowed } from '../world.ts'
import { MAIN, own } from './agents.ts'
import { look } from './tools.ts'
import { calls, say, SLOW, task } from './words.ts'

const FIRST = {
  main: [
    calls(task('worker', 'work'), task('talker', 'talk', { run_in_background: true }), [
      'look',
      { at: 'one' },
    ]),
    calls(['send', { to: 'Ada' }], ['look', { at: 'two' }]),
  ],
  worker: [say('It is done.')],
  talker: [say(`This is told slowly, ${SLOW} piece by piece, ${SLOW} to the end.`, { chunks: 12 })],
}
const SECOND = {
  main: [say('I do not know whether Ada got it.'), say('The talker has talked.')],
  talker: [say('This is told to the end.', { delayMs: 300 })],
}
const THIRD = { main: [say('On it goes.')] }

/** It has no end in the first process, and none of what it does is known. */
const send = tool({
  name: 'send',
  description: 'Sends something.',
  inputSchema: z.object({ to: z.string() }),
  effects: 'execute',
  execute: () => new Promise<string>(() => {}),
})

/** A process that dies in the middle, one that takes up what it left, one that only takes it over. */
export const crash: Scenario = {
  name: 'crash',
  async play(world) {
    const { clock } = world
    const agents = [MAIN, own('worker'), own('talker')]
    const config = { permissions: [{ tool: 'send', action: 'allow' as const }] }
    const more = { agents, tools: [look, send], config, isShared: true } as const
    const { store, die, bury } = mortal(world.store)
    const first = await world.open({ script: FIRST, store, ...more })
    const run = await (await first.chat()).send('Send it to Ada.')
    await clock.advance(1_000)
    await world.look('driven', run.conversationId)
    die()
    world.living.delete(1)
    await world.look('left', run.conversationId)
    const second = await world.open({ script: SECOND, process: 2, ...more })
    const taken = await clock.until(second.recover())
    world.recording.json('taken.json', taken)
    for (const [at, each] of taken.entries()) world.follow(`taken-${at}`, each, { after: 0 })
    for (const each of taken) await clock.until(each.result())
    await clock.advance(2_000)
    await clock.until(second.close())
    const third = await world.open({ script: THIRD, process: 3, ...more })
    world.recording.json('nothing-left.json', await clock.until(third.recover({ policy: 'pause' })))
    bury()
    return run.conversationId
  },
}

interface Mortal {
  readonly store: Store
  /** From here on nothing that is written is stored, and nobody hears of it. */
  die(): void
  /** What still waits for a write gives up, so that the test can end. */
  bury(): void
}

/** A store through which a process reads and writes until it dies. */
function mortal(store: Store): Mortal {
  const grave = Promise.withResolvers<never>()
  grave.promise.catch(() => {})
  let isDead = false
  const lent = borrowed(store)
  const tx: Store['tx'] = (write, options) => (isDead ? grave.promise : lent.tx(write, options))
  return {
    store: { ...lent, tx },
    die: () => void (isDead = true),
    bury: () => grave.reject(new Error('the process is dead')),
  }
}
