import type { Scenario } from '../play.ts'
import { broken, change, long, look } from './tools.ts'
import { calls, say } from './words.ts'

/** Turns of a main agent: text in pieces, tools that work, fail, are unknown, misread or denied, a long output, a retry. */
export const turns: Scenario = {
  name: 'turns',
  async play(world) {
    const { clock } = world
    const script = {
      main: [
        { ...calls(['look', { at: 'a house' }], ['broken', {}]), text: 'I look around.', chunks: 3 },
        calls(['look', { at: 7 }], ['nothing', {}], ['change', { what: 'a.txt' }]),
        calls(['long', {}]),
        { error: { status: 503 } },
        { error: { status: 429, retryAfter: 2 } },
        say('A house **stands** there, <b>and</b> it is `red`.', { chunks: 4, delayMs: 40 }),
        { error: { status: 400 } },
      ],
    }
    const offshoot = await world.open({ script, tools: [look, broken, change, long] })
    const chat = await offshoot.chat()
    const first = await chat.send('What is there?')
    world.follow('first', first)
    await world.until(() => world.store.count('runs', { status: 'waiting' }) === 1)
    await world.look('retrying', first.conversationId)
    world.recording.json('first-result.json', await clock.until(first.result()))
    const second = await chat.send('And behind it?', { maxTurns: 3 })
    world.follow('second', second)
    world.recording.json('second-result.json', await clock.until(second.result()))
    return first.conversationId
  },
}
