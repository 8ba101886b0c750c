import { sleep } from '../../src/core/clock.ts'
import type { AnyTool, ToolContext } from '../../src/tools/port.ts'
import { tool } from '../support/runtime-harness.ts'
import type { SimProcess } from './process.ts'
import { storedOf, type World } from './world.ts'

/**
 * What agents of a world can do beside delegating. `look` reads; `put` may be done twice; `append` and `sign` may not, and
 * `sign` asks a person first; `poison` ends the process that tries it.
 */
export function toolsOf(world: World, process: SimProcess): AnyTool[] {
  const random = world.random(`tools of ${process.name}`)
  const wait = (signal?: AbortSignal) => sleep(process.clock, random.between(0, world.plan.paceMs), signal)
  const effect =
    (name: string) =>
    async (_: unknown, { run, signal, receipt }: ToolContext) => {
      const calledAt = world.timeline.now
      checkIntent(world, process, name, run.callId)
      await wait(signal)
      if (process.isGone) return await new Promise<never>(() => {})
      world.effects.push({
        callId: run.callId,
        tool: name,
        process: process.name,
        calledAt,
        at: world.timeline.now,
      })
      world.note(process.name, () => `effect of ${name} ${run.callId}`)
      if (name === 'put') receipt?.(CHANGED)
      await wait() // does not hear that it is to stop
      return `${name} done`
    }
  // what is asked about is of a kind, which can be allowed for good
  const subject = ({ n }: { readonly n?: unknown }) => [
    { kind: 'name', value: `form-${Number(n) % KINDS}` } as const,
  ]
  const signing = world.plan.features.has('grants') ? { subject } : {}
  return [
    tool('look', { execute: async (_, { signal }) => (await wait(signal), 'seen') }),
    tool('put', { effects: 'write', idempotent: true, execute: effect('put') }),
    tool('append', { effects: 'write', idempotent: false, execute: effect('append') }),
    tool('sign', { ...signing, effects: 'execute', idempotent: false, execute: effect('sign') }),
    tool('poison', {
      effects: 'write',
      idempotent: true,
      execute: async () => {
        world.count('poison')
        process.die('of poison')
        return await new Promise<never>(() => {})
      },
    }),
  ]
}

const KINDS = 2

const CHANGED = { type: 'changed', path: '/w/put', before: null, after: '0', added: 1, removed: 0 } as const

/** Invariant R1: an intent comes before its effect. A stopped process may have written it before it was stopped. */
function checkIntent(world: World, process: SimProcess, name: string, callId: string): void {
  if (process.isGone) return
  const row = storedOf(world).get('tool_calls', callId)
  const wasStopped = process.stoppedAt !== undefined
  const isMeant = row?.status === 'running' || (row && wasStopped && row.startedAt <= process.stoppedAt!)
  if (!isMeant)
    world.watch.report('R1', `${process.name} begins ${name} ${callId}, whose row is ${row?.status}`)
}
