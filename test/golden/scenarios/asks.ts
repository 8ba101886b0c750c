import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from '../play.ts'
import type { World } from '../world.ts'
import { MAIN, own } from './agents.ts'
import { change } from './tools.ts'
import { calls, say, task } from './words.ts'

const AGENTS = [MAIN, own('worker'), own('critic', { tools: ['ask_user'] })]
const alter = (what: string) => ['change', { what }] as const

const SCRIPT = {
  main: [
    calls(alter('src/a.txt'), alter('src/b.txt')),
    calls(alter('src/c.txt')),
    calls(task('worker', 'change d')),
    calls(['ask_user', { question: 'Which colour?', options: ['red', 'blue'] }]),
    calls(task('critic', 'ask about the size')),
    say('All is changed.'),
  ],
  worker: [calls(alter('src/d.txt')), calls(alter('src/e.txt')), say('d is changed.')],
  critic: [calls(['ask_user', { question: 'Which size?' }]), say('Nobody knows the size.')],
}

const LATER = {
  main: [calls(alter('src/f.txt')), say('f is changed.'), calls(alter('g.txt')), say('Not g.')],
}
const DELEGATED = {
  main: [calls(task('planner', 'plan it')), say('It is planned.')],
  planner: [calls(task('worker', 'do it')), say('The worker did it.')],
  worker: [calls(alter('src/i.txt'), alter('test/i.txt')), say('One of two.')],
}
/** Lifts what the rules of the planner deny to whom it starts. */
const DELEGATIONS = [{ agent: 'worker', for: 'planner', tool: 'change', pattern: 'src/**' }]
const PLANNER = own('planner', { spawns: ['worker'], permissions: [{ tool: 'change', action: 'deny' }] })
const PLAN = { main: [calls(alter('src/h.txt')), say('Nothing is changed.')] }

/** Questions whether something may be done, and what is to be done; grants that last; rules that delegate; modes. */
export const asks: Scenario = {
  name: 'asks',
  async play(world) {
    const { clock } = world
    const config = { permissions: [{ tool: 'change', action: 'ask' as const }] }
    const offshoot = await world.open({ script: SCRIPT, agents: AGENTS, tools: [change], config })
    const run = await (await offshoot.chat()).send('Change it.')
    world.follow('main', run, { answers: true })
    const { approvals, questions } = offshoot
    await open(world, 'approvals', 1)
    await world.look('an-approval', run.conversationId)
    await clock.until(approvals.answer((await approvals.list())[0]!.id, 'once'))
    await open(world, 'approvals', 1)
    const no = { note: 'not that one', by: 'Ada' }
    await clock.until(approvals.answer((await approvals.list())[0]!.id, 'deny', no))
    await open(world, 'approvals', 1)
    await clock.until(approvals.answer((await approvals.list())[0]!.id, 'run', { pattern: 'src/c*' }))
    await open(world, 'approvals', 1)
    const [deep] = await approvals.list(run.conversationId)
    await clock.until(approvals.answer(deep!.id, 'always', { pattern: 'src/**' }))
    await open(world, 'questions', 1)
    await world.look('a-question', run.conversationId)
    await clock.until(questions.answer((await questions.list())[0]!.id, 'blue'))
    await open(world, 'questions', 1)
    await clock.advance(90_000_000) // nobody answers
    world.recording.json('result.json', await clock.until(run.result()))
    await goOn(world, run.conversationId)
    return run.conversationId
  },
}

/** In other processes: what was granted counts, a mode that is stricter too. */
async function goOn(world: World, conversationId: string): Promise<void> {
  const { clock } = world
  const more = { agents: AGENTS, tools: [change] }
  const granted = await world.open({ script: LATER, process: 2, ...more })
  const chat = await granted.chat({ conversationId })
  await clock.until((await chat.send('Change f.')).result())
  world.recording.json('denied.json', await clock.until((await chat.send('Change g.')).result()))
  const planned = await world.open({ script: PLAN, process: 3, mode: 'plan', ...more })
  const planning = await planned.chat({ conversationId })
  mkdirSync(join(world.user.root, 'config/offshoot'), { recursive: true })
  const user = { delegations: DELEGATIONS, limits: { maxDepth: 2 } }
  writeFileSync(join(world.user.root, 'config/offshoot/config.jsonc'), JSON.stringify(user))
  const agents = [...AGENTS, PLANNER]
  const delegated = await world.open({ script: DELEGATED, process: 4, mode: 'auto', agents, tools: [change] })
  rmSync(join(world.user.root, 'config'), { recursive: true }) // nobody else knows these agents
  const ordering = await delegated.chat({ conversationId })
  world.recording.json('delegated.json', await clock.until((await ordering.send('Change i.')).result()))
  world.recording.json('plan.json', await clock.until((await planning.send('Change h.')).result()))
}

function open(world: World, table: 'approvals' | 'questions', count: number): Promise<void> {
  return world.until(() => world.store.find(table, { where: { answeredAt: null } }).length === count)
}
