import type { Scenario } from '../play.ts'
import { MAIN, own } from './agents.ts'
import { long, look } from './tools.ts'
import { calls, say, task } from './words.ts'

const costs = (input: number) => ({ usage: { input, output: 1_000 } })
const LONG = 'What was found before, told at length. '.repeat(28)

const SCRIPT = {
  main: [
    { ...calls(['look', { at: 'one' }]), text: LONG, ...costs(50_000) },
    { ...calls(['look', { at: 'two' }]), text: LONG, ...costs(100_000) },
    { ...calls(['look', { at: 'three' }]), ...costs(180_000) },
    say('SUMMARY: one and two were looked at.', costs(2_000)),
    { ...calls(task('spender', 'spend it', { max_cost_usd: 0.2 })), ...costs(20_000) },
    say('As far as the money goes.', costs(20_000)),
    calls(['look', { at: 'four' }]),
    calls(['look', { at: 'five' }]),
    say('Four and five.', costs(1_000)),
    calls(['look', { at: 'six' }]),
    calls(['look', { at: 'six' }]),
    calls(['look', { at: 'six' }]),
    calls(['look', { at: 'six' }]),
    calls(task('sleeper', 'sleep'), task('spender', 'spend more', { max_tokens: 50_000 })),
    say('Nothing more.'),
    say('The first half, and', { finishReason: 'length', rawFinishReason: 'max_tokens' }),
    say(' a bit of', { finishReason: 'length', rawFinishReason: 'model_context_window_exceeded' }),
  ],
  spender: [
    { ...calls(['look', { at: 'gold' }]), ...costs(150_000) },
    { ...calls(['look', { at: 'silver' }]), ...costs(150_000) },
    say('It is all spent.', costs(1_000)),
    { ...calls(['look', { at: 'silver' }]), ...costs(50_000) },
    say('It is spent.', costs(1_000)),
  ],
  sleeper: [say('I have slept.', { delayMs: 30_000 })],
}

/** A window that is full, money that is spent, turns that are used up, a run that repeats itself, one that stalls, answers that are cut. */
export const limits: Scenario = {
  name: 'limits',
  async play(world) {
    const { clock } = world
    const config = { limits: { maxIdenticalCalls: 3, stallMs: 60_000 } }
    const agents = [MAIN, own('spender'), own('sleeper', { timeoutMs: 5_000 })]
    const offshoot = await world.open({
      script: SCRIPT,
      agents,
      tools: [look, long],
      config,
      as: 'anthropic/claude-haiku-4-5',
    })
    const chat = await offshoot.chat()
    const full = await chat.send('Look at everything.', { budgetUsd: 0.6 })
    world.follow('full', full)
    world.recording.json('full.json', await clock.until(full.result()))
    await world.look('out-of-money', full.conversationId)
    const more = await clock.until(full.continue('Go on.', { budgetUsd: 2, maxTurns: 1 }))
    world.follow('more', more)
    world.recording.json('more.json', await clock.until(more.result()))
    await world.look('out-of-turns', full.conversationId)
    const rest = await clock.until(more.continue(undefined, { budgetUsd: 5, maxTurns: 6 }))
    world.recording.json('rest.json', await clock.until(rest.result()))
    const again = await chat.send('Look at six.', { budgetUsd: 5 })
    world.recording.json('again.json', await clock.until(again.result()))
    await world.look('stalled', full.conversationId)
    const stopped = await chat.send('Something else.', { budgetUsd: 5 })
    world.recording.json('stopped.json', await clock.until(stopped.result()))
    const cut = await chat.send('Write it all.', { budgetUsd: 5 })
    world.recording.json('cut.json', await clock.until(cut.result()))
    await world.look('cut', full.conversationId)
    const further = await clock.until(cut.continue())
    world.recording.json('cut-again.json', await clock.until(further.result()))
    await world.look('cut-again', full.conversationId)
    return full.conversationId
  },
}
