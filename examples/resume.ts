// A program is killed in the middle of a run; the next one takes the run up where it stood. Called without arguments it
// is that next one, and starts the first itself.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOffshoot, tool } from 'offshoot'
import { scriptedModel } from 'offshoot/testing'
import { z } from 'zod'

const [store] = process.argv.slice(2)
await (store ? workAndDie(store) : takeUp())

function measure(execute: () => string) {
  const about = {
    name: 'measure',
    description: 'Measures.',
    inputSchema: z.object({}),
    effects: 'none',
  } as const
  return tool({ ...about, execute })
}

async function workAndDie(store: string): Promise<void> {
  const call = { toolCalls: [{ tool: 'measure', input: {} }] }
  const model = scriptedModel({ agents: { main: [call, call] } })
  let calls = 0
  const die = measure(() => {
    if (++calls === 2) process.kill(process.pid, 'SIGKILL') // no time for any last words
    return '41'
  })
  const offshoot = await createOffshoot({ store, model, tools: [die] })
  await (await (await offshoot.chat()).send('Measure it.')).result()
}

async function takeUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'offshoot-resume-'))
  const file = join(folder, 'runs.db')
  const { signal } = spawnSync(process.execPath, [import.meta.filename, file], { stdio: 'inherit' })
  console.log(`the first process ended with ${signal}`)

  const model = scriptedModel({ agents: { main: [{ text: 'It measures 42.' }] } })
  {
    await using offshoot = await createOffshoot({ store: file, model, tools: [measure(() => '42')] })
    for (const run of await offshoot.recover()) {
      const { status, text } = await run.result()
      console.log(`taken up: ${status}: ${text}`)
      for (const { role } of await offshoot.branches.messages(run.branchId)) console.log(`  ${role}`)
    }
  }
  rmSync(folder, { recursive: true })
}
