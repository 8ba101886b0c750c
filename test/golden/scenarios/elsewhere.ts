import type { Scenario } from '../play.ts'
import { MAIN, own } from './agents.ts'
import { change, look } from './tools.ts'
import { calls, say, task } from './words.ts'

const SCRIPT = {
  main: [
    calls(['change', { what: 'a.txt' }]),
    calls(task('scout', 'look'), ['look', { at: 'home' }]),
    say('The scout looks.', { delayMs: 20_000 }),
    say('It rains.', { delayMs: 20_000 }),
    say('All is well.'),
  ],
  scout: [say('Far away.', { delayMs: 3_600_000 })],
}

/** Two processes: what the second one asks for the first one does, which drives the conversation. */
export const elsewhere: Scenario = {
  name: 'elsewhere',
  async play(world) {
    const { clock, recording, store } = world
    const scout = own('scout', { background: true })
    const more = { agents: [MAIN, scout], tools: [change, look], isShared: true } as const
    const config = { limits: { stallMs: 36_000_000 } }
    const here = await world.open({ script: SCRIPT, ...more, config })
    const there = await world.open({ script: { main: [say('On it goes.')] }, process: 2, ...more })
    const run = await (await here.chat()).send('Look around.')
    world.follow('here', run, { answers: true })
    const same = await there.runs.get(run.id)
    world.follow('there', same)
    await clock.advance(500)
    await world.look('driven', run.conversationId)
    const [approval] = await there.approvals.list()
    const sent: Record<string, unknown> = {}
    sent['approve'] = await clock.until(there.approvals.answer(approval!.id, 'always'))
    await clock.advance(1_000)
    sent['steer'] = await clock.until(there.steer(run.id, 'does it rain?'))
    const [item] = await there.inbox.list(run.id)
    sent['edit'] = await clock.until(there.inbox.edit(run.id, item!.id, 'does it rain there?'))
    sent['steer again'] = await clock.until(there.steer(run.id, 'never mind'))
    const [, second] = await there.inbox.list(run.id)
    await world.look('inbox', run.conversationId)
    sent['withdraw'] = await clock.until(there.inbox.withdraw(run.id, second!.id))
    sent['steer once more'] = await clock.until(there.steer(run.id, 'or do'))
    sent['clear'] = await clock.until(there.inbox.clear(run.id))
    const child = store.find('runs', { where: { agent: 'scout' } })[0]!
    sent['cancel'] = await clock.until(there.cancel(child.id))
    sent['pause'] = await clock.until(there.pause(run.id))
    recording.json('answers.json', sent)
    recording.json('result.json', await clock.until(run.result()))
    recording.json('seen-there.json', await clock.until(same.result()))
    const on = await clock.until(there.continue(run.conversationId, 'go on'))
    recording.json('on.json', await clock.until(on.result()))
    return run.conversationId
  },
}
