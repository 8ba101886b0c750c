// The guard process: started by start-guard.ts, at most one per owner. When the pipe from its owner closes, it ends
// every process that the owner started, removes the temporary directories that it held, and exits. It starts with the first command of a run, so it imports little.
import { rmSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createRoster, type Roster } from './guard-roster.ts'
import { createHunt, endAll, type Hunt, type HuntLimits } from './terminate-processes.ts'
import { systemClock } from './system-clock.ts'

/** A process that was starting when the owner died may appear a moment later. */
const SETTLE_MS = 200
/** How long the kernel may hold a killed process. All waits together stay below the 10 s of invariant R6. */
const KILL_MS = 5_000
const LATE_KILL_MS = 500

const [name = '', value = '', grace = ''] = process.argv.slice(2)
// Only the end of the pipe may end it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {})
const roster = createRoster({ name, value })
const end = await readGuardMessages(process.stdin, roster)
await sweep(roster, { graceMs: Number(grace), killMs: KILL_MS })
if (end === 'died') {
  await setTimeout(SETTLE_MS)
  await sweep(roster, { graceMs: 0, killMs: LATE_KILL_MS })
}
for (const directory of roster.directories()) rmSync(directory, { recursive: true, force: true })

async function readGuardMessages(input: NodeJS.ReadStream, { push }: Roster): Promise<'closed' | 'died'> {
  let end: 'closed' | 'died' = 'died'
  let rest = ''
  try {
    for await (const chunk of input.setEncoding('latin1') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (push(line) === 'closing') end = 'closed'
    }
  } catch {
    // a broken pipe means the same as a closed one
  }
  return end
}

async function sweep(roster: Roster, limits: HuntLimits): Promise<void> {
  const hunts = roster.targets().map(createHunt)
  await endAll(together(hunts), systemClock, limits)
}

function together(hunts: readonly Hunt[]): Hunt {
  return {
    signal: (signal) => hunts.forEach((each) => each.signal(signal)),
    alive: () => hunts.flatMap((each) => each.alive()),
  }
}
