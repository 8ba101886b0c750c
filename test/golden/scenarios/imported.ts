import type { Scenario } from '../play.ts'
import { importConversation, parseExport } from '../inside.ts'
import { MAIN, own } from './agents.ts'
import { change } from './tools.ts'
import { calls, say, task } from './words.ts'

const SCRIPT = {
  main: [calls(task('worker', 'change it', { run_in_background: true }), ['change', { what: 'a.txt' }])],
  worker: [calls(['change', { what: 'b.txt' }])],
}
const LATER = { main: [say('It was left open.'), say('The worker too.')], worker: [say('Nobody let me.')] }

/** A conversation that is exported while it waits, deleted, imported twice under the same and under new ids, continued. */
export const imported: Scenario = {
  name: 'imported',
  async play(world) {
    const { clock, store, recording } = world
    const agents = [MAIN, own('worker')]
    const offshoot = await world.open({ script: SCRIPT, agents, tools: [change] })
    const run = await (await offshoot.chat()).send('Change it.')
    world.follow('main', run, { answers: true })
    await world.until(() => store.count('approvals', { answer: null }) === 2)
    const document = await offshoot.conversations.export(run.conversationId)
    recording.json('document.json', document)
    await clock.until(offshoot.conversations.delete(run.conversationId))
    await world.look('deleted', run.conversationId)
    const read = () => parseExport(JSON.stringify(document))
    const { newId } = world.ports(5).chance!
    const same = await importConversation(store, read(), newId)
    const other = await importConversation(store, read(), newId)
    await world.look('copy', other)
    const later = await world.open({ script: LATER, process: 2, agents, tools: [change] })
    const on = await clock.until(later.continue(same, 'What was it about?'))
    world.follow('on', on)
    recording.json('on.json', await clock.until(on.result()))
    return same
  },
}
