import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

/** Goes on when the file `NAME.go` is there. */
const WAIT = '#!/bin/sh\nwhile [ ! -e "$1.go" ]; do sleep 0.02; done\necho "waited $1"\n'
const CONFIG = { permissions: [{ tool: 'bash', pattern: 'sh wait.sh *', action: 'allow' }] }
const bash = (command: string) => ({ tool: 'bash', input: { command } })

const FIRST = { match: '^Go\\.$', toolCalls: [bash('sh wait.sh first')] }

let user: TestUser

beforeEach(async () => {
  user = new TestUser({ 'wait.sh': WAIT, 'offshoot.jsonc': JSON.stringify(CONFIG) })
  await user.trust()
})

afterEach(() => user.remove())

/** Stands still, as after Ctrl-Z or in a laptop that sleeps, for longer than its lease. */
async function suspend(program: StartedProgram): Promise<void> {
  for (;;) {
    program.kill('SIGSTOP')
    while (!/\) T /.test(readFileSync(`/proc/${program.pid}/stat`, 'utf8')))
      await new Promise((resolve) => setImmediate(resolve))
    if (ageLease()) return
    program.kill('SIGCONT')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** false: the program stands still within a transaction. */
function ageLease(): boolean {
  const db = new DatabaseSync(user.database, { timeout: 0 })
  try {
    db.exec('UPDATE leases SET renewed_at = renewed_at - 15000')
    return true
  } catch {
    return false
  } finally {
    db.close()
  }
}

it('a run whose conversation another process takes is followed there to its end', async () => {
  const model = user.script({
    main: [
      FIRST,
      { match: 'unknown', toolCalls: [bash('sh wait.sh second')] },
      { match: 'waited second', text: 'Done elsewhere.' },
    ],
  })
  const run = user.start(['run', 'Go.', '-m', model, '--output-format', 'json'])
  await run.untilStderr('$ sh wait.sh first')
  await suspend(run)
  const recover = user.start(['recover'])
  await expect.poll(() => user.rows('select status from tool_calls')).toHaveLength(2)
  run.kill('SIGCONT')
  await run.untilStderr(`process ${recover.pid} has taken over cnv_`)
  user.write('second.go', '')
  const { code, stdout } = await run.ended
  expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
    code: 0,
    status: 'completed',
    text: 'Done elsewhere.',
  })
  expect((await recover.ended).code).toBe(0)
  expect(user.processes()).toEqual([])
})

it('a run that another process has taken and ended meanwhile ends with its answer', async () => {
  const model = user.script({
    main: [FIRST, { match: 'unknown', text: 'Done meanwhile.' }],
  })
  const run = user.start(['run', 'Go.', '-m', model])
  await run.untilStderr('$ sh wait.sh first')
  await suspend(run)
  expect((await user.run(['recover'])).code).toBe(0)
  run.kill('SIGCONT')
  expect(await run.ended).toMatchObject({ code: 0, stdout: 'Done meanwhile.\n' })
})

it('Ctrl-C in the terminal that follows pauses the run where it is driven', async () => {
  const model = user.script({
    main: [FIRST, { match: 'unknown', toolCalls: [bash('sh wait.sh second')] }],
  })
  const run = user.start(['run', 'Go.', '-m', model])
  await run.untilStderr('$ sh wait.sh first')
  await suspend(run)
  const recover = user.start(['recover'])
  await expect.poll(() => user.rows('select status from tool_calls')).toHaveLength(2)
  run.kill('SIGCONT')
  await run.untilStderr('has taken over cnv_')
  run.kill('SIGINT')
  const { code, stderr } = await run.ended
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('paused (user)') })
  expect(user.rows('select status, reason from runs')).toEqual([{ status: 'paused', reason: 'user' }])
  await recover.ended
})
