import type { Scenario } from '../play.ts'
import { MAIN, own } from './agents.ts'
import { look } from './tools.ts'
import { calls, say, SLOW, task } from './words.ts'

const SCRIPT = {
  main: [
    calls(task('scout', 'look', { history: 'fork' })),
    say('It is red.'),
    say('It is blue.'),
    say(`It is green, ${SLOW} and this takes its time.`, { chunks: 6 }),
    say('It is green.'),
    say('It is grey.', { delayMs: 5_000 }),
  ],
  scout: [{ ...calls(['look', { at: 'paint' }]), delayMs: 1_000 }, say('Paint.'), say('Paint, again.')],
}

/** Other ways from a message; branches that begin later; what is interrupted, steered, paused, continued and cancelled. */
export const forks: Scenario = {
  name: 'forks',
  async play(world) {
    const { clock, store } = world
    const config = { limits: { stallMs: 3_600_000 } }
    const offshoot = await world.open({ script: SCRIPT, agents: [MAIN, own('scout')], tools: [look], config })
    const run = await (await offshoot.chat()).send('Which colour is it?')
    world.follow('main', run)
    await world.until(() => store.count('runs', { agent: 'scout', status: 'running' }) === 1)
    world.recording.json('pausing.json', await clock.until(run.pause()))
    world.recording.json('paused.json', await clock.until(run.result()))
    await world.look('paused', run.conversationId)
    const on = await clock.until(run.continue())
    world.recording.json('result.json', await clock.until(on.result()))
    const messages = await offshoot.branches.messages(run.branchId)
    const asked = messages.find(({ role }) => role === 'user')!
    const other = await clock.until(offshoot.fork(asked.id, 'Which other colour is it?'))
    world.follow('other', other)
    world.recording.json('other.json', await clock.until(other.result()))
    const { branchId } = await clock.until(offshoot.branches.fork(messages.at(-1)!.id))
    const late = await clock.until(offshoot.continue(branchId, 'And a third one?'))
    await clock.advance(300)
    await world.look('streaming', run.conversationId)
    world.recording.json('steered.json', await clock.until(late.steer('quickly, please')))
    world.recording.json('interrupted.json', await clock.until(late.interrupt()))
    const third = await clock.until(late.continue())
    await clock.until(third.result())
    const last = await clock.until(offshoot.fork(asked.id, 'No colour at all?'))
    await clock.advance(100)
    world.recording.json('cancelled.json', await clock.until(last.cancel()))
    world.recording.json('cancelled-again.json', await clock.until(offshoot.cancel(last.id)))
    return run.conversationId
  },
}
