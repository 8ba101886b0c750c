import type { ScriptAnswer as Entry } from '../../../src/testing.ts'

type Call = readonly [tool: string, input: object]

/** What a request costs: said, so that nothing is estimated by the length of a path. */
const usage = { input: 100, output: 10, cacheRead: 20, reasoning: 2 }

/** The pieces that come after this one take a second of their own. */
export const SLOW = '(slowly)'

export function say(text: string, more: Partial<Entry> = {}): Entry {
  return { text, usage, ...more }
}

export function calls(...list: readonly Call[]): Entry {
  return { toolCalls: list.map(([tool, input]) => ({ tool, input: input as never })), usage }
}

/** A call that starts a subagent. `TASK1` in a later input stands for the first task_id that the agent was told. */
export function task(agent: string, prompt: string, more: object = {}): Call {
  return ['task', { subagent_type: agent, prompt, description: `${agent} works`, ...more }]
}
