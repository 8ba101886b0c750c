import { expect } from 'vitest'
import type { RunResult } from '../../src/runtime/views/run-result.ts'
import { actor, type Actor, type Move, type Part } from './actor.ts'
import { conversationProblems, expectEvents } from './conversation-problems.ts'
import { agent, handClock, harness, tool, type Harness, type HarnessOptions } from './runtime-harness.ts'

export const spawn = (name: string, more = {}) =>
  ['task', { prompt: `do ${name}`, subagent_type: name, run_in_background: true, ...more }] as const
export const foreground = (name: string, more = {}) => spawn(name, { run_in_background: false, ...more })
export const use = (name: string) => [name, {}] as const

/** Calls one of the tools with the n-th id that the agent was told. */
export const call =
  (name: string, n: number, more = {}, delayMs = 0): Part =>
  ({ ids }) => ({ delayMs, calls: [[name, { task_id: ids[n], ...more }]] })

export const slow = (text: string, delayMs = 60_000): Move => ({ text, delayMs })

export interface Staged extends Harness {
  readonly actor: Actor
}

/** A runtime whose agents play these parts; every name is an agent, and `general` may start others. */
export function stage(parts: Readonly<Record<string, readonly Part[]>>, more: HarnessOptions = {}): Staged {
  const clock = handClock()
  const cast = actor(clock, parts)
  const names = new Set(['main', 'general', ...Object.keys(parts)])
  const agents = [...names].map((name) => agent(name))
  const h = harness({ clock, model: cast.model, agents, tools: [tool('read')], ...more })
  return { ...h, actor: cast }
}

export function expectOrder(h: Staged, { conversationId }: Pick<RunResult, 'conversationId'>): void {
  h.flush()
  expectEvents(h.store, conversationId, h.told)
  expect(conversationProblems(h.store, conversationId)).toEqual([])
}
