import { z } from 'zod'
import type { Scenario } from '../play.ts'
import { MAIN, own } from './agents.ts'
import { calls, say, task } from './words.ts'

const counter = own('counter', {
  tools: [],
  inputSchema: z.object({ what: z.string() }),
  outputSchema: z.object({ count: z.int(), of: z.string() }),
  exposeAsTool: { name: 'count_things', description: 'Counts things.' },
})
const writer = own('writer', { summarize: (report) => `In short: ${report.slice(0, 30)}` })

const SCRIPT = {
  main: [
    calls(['count_things', { what: 'chairs' }]),
    calls(task('judge', 'judge the chairs', { output_schema: { type: 'object', required: ['verdict'] } })),
    calls(task('writer', 'write it down')),
    say('Seven chairs, and they are written down.'),
  ],
  counter: [say('There are some chairs.'), say('{"count": "seven"}'), say('{"count": 7, "of": "chairs"}')],
  judge: [say('```json\n{"verdict": "good"}\n```')],
  writer: [
    calls(['write', { file_path: 'chairs.txt', content: 'seven chairs\n' }]),
    calls(['todo', { todos: [{ content: 'count the tables', status: 'pending' }] }]),
    say('I created `chairs.txt`.\nI updated `tables.txt`.'),
  ],
}

/** Reports that have to be of a shape, that are shortened, and that claim more than the receipts hold. */
export const reports: Scenario = {
  name: 'reports',
  async play(world) {
    const agents = [MAIN, counter, own('judge'), writer]
    const offshoot = await world.open({ script: SCRIPT, agents, mode: 'accept-edits' })
    const run = await (await offshoot.chat()).send('Count the chairs.')
    world.follow('main', run)
    await world.until(() => world.store.get('runs', run.id)?.endedAt !== null) // it writes a file: time stands still
    world.recording.json('result.json', await run.result())
    world.recording.json(
      'runs.json',
      (await offshoot.runs.list({ all: true })).map((each) => ({ ...each })),
    )
    return run.conversationId
  },
}
