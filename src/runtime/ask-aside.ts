import type { ContextMessage } from '../core/build-context.ts'
import { textOf } from '../core/message.ts'
import { addCost, addUsage } from '../core/usage.ts'
import { throughGate } from '../loop/at-gate.ts'
import { InputEstimate } from '../loop/input-estimate.ts'
import { AnswerReader } from '../loop/read-answer.ts'
import type { Model, ModelRequest } from '../model/port.ts'
import { costOf } from '../model/pricing.ts'
import type { LiveRun } from './live-run.ts'
import type { Scope } from './scope.ts'

/**
 * The text of one request that is made beside the turns of a run: through the gate, within the budget, tried once. It
 * counts as the run's. Rejects with why there is no text.
 */
export async function askAside(
  { deps, tree }: Scope,
  run: LiveRun,
  model: Model,
  messages: readonly ContextMessage[],
  maxOutput: number,
  signal: AbortSignal,
): Promise<string> {
  const { info } = model
  const most = Math.min(maxOutput, info.maxOutput ?? maxOutput)
  const input = new InputEstimate([]).byChars(messages)
  const leave = tree.budget.ask(run.row, { input, maxOutput: most, price: info.price })
  if ('why' in leave) throw new Error(leave.note)
  if ('until' in leave) throw new Error('requests under way hold what is left of the budget')
  const reader = new AnswerReader(deps.newId('msg'), deps.newId, false, () => {})
  const request: ModelRequest = {
    messages,
    tools: [],
    toolChoice: 'none',
    maxOutputTokens: leave.maxOutputTokens ?? most,
    agent: run.agent.name,
    depth: run.row.depth,
    signal,
  }
  try {
    return await throughGate(deps.gates.of(info), deps.clock, signal, () => readText(model, request, reader))
  } finally {
    leave.release()
    count(tree, run, model, reader)
  }
}

function count(tree: Scope['tree'], run: LiveRun, { info }: Model, { usage }: AnswerReader): void {
  const costUsd = addCost(0, costOf(usage, info.price))
  tree.budget.spend(run.row, { usage, costUsd })
  const { row } = run
  run.row = { ...row, usage: addUsage(row.usage, usage), costUsd: addCost(row.costUsd, costUsd) }
}

async function readText(model: Model, request: ModelRequest, reader: AnswerReader): Promise<string> {
  const { signal } = request
  const pieces = (await model.stream(request)).getReader()
  const onAbort = () => void pieces.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    while (reader.finish === undefined) {
      const { done, value } = await pieces.read()
      if (done) throw new Error(`the answer of ${model.info.id} was cut before its end`)
      reader.take(value)
    }
    return textOf(reader.parts)
  } finally {
    signal.removeEventListener('abort', onAbort)
    void pieces.cancel().catch(() => {})
  }
}
