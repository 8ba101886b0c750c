import type { Scenario } from '../play.ts'
import { MAIN, own } from './agents.ts'
import { look } from './tools.ts'
import { calls, say, task } from './words.ts'

const AGENTS = [
  MAIN,
  own('lead', { title: 'Lead', icon: '▲', spawns: ['helper'] }),
  own('helper'),
  own('scout', { icon: '◎', background: true }),
  own('idler'),
]

const SCRIPT = {
  main: [
    { ...calls(task('lead', 'lead it'), task('scout', 'look far'), task('scout', 'look near')), text: 'Go.' },
    calls(['task_status', {}], ['task_message', { task_id: 'TASK2', message: 'hurry up' }]),
    calls(['task_message', { task_id: 'TASK2', message: 'and then rest', mode: 'follow_up' }]),
    calls(['task_cancel', { task_id: 'TASK3' }], ['task_output', { task_id: 'TASK1' }]),
    calls(task('helper', 'fail'), task('idler', 'wait')),
    say('The lead is done, the scout still looks.'),
    say('The scout is back.'),
    say('It has rested.'),
    say('All is read.'),
  ],
  lead: [calls(task('helper', 'help'), task('helper', 'help too')), say('Both have helped.')],
  helper: [
    calls(['look', { at: 'a wall' }]),
    say('It is a wall.', { delayMs: 50 }),
    say('It is a door.', { delayMs: 80 }),
    say('It is a window.', { delayMs: 20 }),
    { error: { status: 401 } },
  ],
  scout: [
    say('Nothing far away.', { delayMs: 4_000, chunks: 2 }),
    say('Still nothing.', { delayMs: 500 }),
    say('I have rested.'),
    say('I have rested enough.'),
  ],
  idler: [say('I have waited.', { delayMs: 30_000 }), say('I have waited to the end.')],
}

/** Subagents: side by side, nested, queued, in the background, sent there, messaged, cancelled, failed, started by a person. */
export const tree: Scenario = {
  name: 'tree',
  async play(world) {
    const { clock, store } = world
    const config = { limits: { maxDepth: 2, maxConcurrent: 2, stallMs: 3_600_000 } }
    const offshoot = await world.open({ script: SCRIPT, agents: AGENTS, tools: [look], config })
    const chat = await offshoot.chat()
    const run = await chat.send('Explore the building.')
    world.follow('main', run)
    await world.until(() => store.count('runs', { status: 'queued' }) > 0)
    await world.look('queued', run.conversationId)
    await clock.advance(2_000)
    await world.until(() => store.count('runs', { agent: 'idler', status: 'running' }) === 1)
    await world.look('waiting-for-children', run.conversationId)
    const idler = store.find('runs', { where: { agent: 'idler' } })[0]!
    world.recording.json('backgrounded.json', await clock.until(offshoot.background(idler.id)))
    world.recording.json('result.json', await clock.until(run.result()))
    const errand = await chat.spawn('fetch a chair', {
      agent: 'idler',
      label: 'an errand',
      deliver: 'announce',
    })
    world.follow('errand', errand)
    world.recording.json('errand.json', await clock.until(errand.result()))
    return run.conversationId
  },
}
