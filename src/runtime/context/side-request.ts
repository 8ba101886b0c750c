import type { ContextMessage } from '../../core/build-context.ts'
import { textOf } from '../../core/message.ts'
import type { Run } from '../../core/run.ts'
import { addCost, addUsage } from '../../core/usage.ts'
import { bestEffort } from '../../core/rejections.ts'
import { unlessAborted } from '../../loop/unless-aborted.ts'
import { throughGate } from '../../loop/wait-at-gate.ts'
import { InputEstimate } from '../../loop/input-estimate.ts'
import { unusableEnd } from '../../loop/answer-outcome.ts'
import { AnswerReader } from '../../loop/read-answer.ts'
import type { Model, ModelRequest } from '../../model/port.ts'
import { costOf } from '../../model/cost-of-usage.ts'
import { least } from '../budget/budget-share.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Deps } from './deps.ts'
import type { RunTree, ScopePart } from './scope.ts'

export type AsidePorts = Pick<Deps, 'clock' | 'gates' | 'newId'>

/**
 * The text of one request outside a run's turns: through the gate, within the budget, without retries. It counts in the
 * run's figures, and waits while others hold the budget that it needs. Rejects if there is no usable text, as for a
 * refused, filtered or cut answer.
 */
export async function askAside(
  scope: ScopePart<AsidePorts, 'budget'>,
  run: LiveRun,
  model: Model,
  { messages, maxOutput, signal }: Aside,
): Promise<string> {
  const { deps, tree } = scope
  const { info } = model
  const most = least(maxOutput, info.maxOutput)
  const leave = await reserve(scope, run, model, { messages, maxOutput: most, signal })
  const reader = new AnswerReader({
    messageId: deps.newId('msg'),
    newId: deps.newId,
    takesCalls: false,
    emit: () => {},
  })
  const maxOutputTokens = leave.maxOutputTokens ?? most
  const request: ModelRequest = {
    messages,
    tools: [],
    toolChoice: 'none',
    ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
    agent: run.agent.name,
    depth: run.row.depth,
    signal,
  }
  try {
    return await throughGate(deps.gates.of(info), deps.clock, signal, () => readText(model, request, reader))
  } finally {
    leave.release()
    const { usage } = reader
    count(tree, run, { usage, costUsd: addCost(0, costOf(usage, info.price)) }, signal)
  }
}

export interface Aside {
  readonly messages: readonly ContextMessage[]
  /** Tokens; default: the model's maximum. */
  readonly maxOutput?: number
  readonly signal: AbortSignal
}

/** Its maximum cost, as for any other request. @throws if it does not fit. */
async function reserve(
  { deps: { clock }, tree: { budget } }: ScopePart<Pick<AsidePorts, 'clock'>, 'budget'>,
  { row }: LiveRun,
  { info: { price } }: Model,
  { messages, maxOutput, signal }: Pick<Aside, 'messages' | 'signal'> & { readonly maxOutput: number | null },
) {
  const input = new InputEstimate([]).byChars(messages)
  for (;;) {
    const leave = budget.ask(row, { input, maxOutput, price }, true)
    if ('release' in leave) return leave
    if ('why' in leave) throw new Error(leave.note)
    await unlessAborted(leave.until, signal, clock, 0)
  }
}

function count(
  { budget }: Pick<RunTree, 'budget'>,
  run: LiveRun,
  { usage, costUsd }: Pick<Run, 'usage' | 'costUsd'>,
  { aborted }: AbortSignal,
): void {
  budget.spend(run.row, { usage, costUsd })
  if (aborted) return // a cost that arrives after the wait was given up counts only in the conversation: the run may have ended
  const { row } = run
  run.held.count({ usage: addUsage(row.usage, usage), costUsd: addCost(row.costUsd, costUsd) })
}

async function readText(model: Model, request: ModelRequest, reader: AnswerReader): Promise<string> {
  const { signal } = request
  const pieces = (await model.stream(request)).getReader()
  const onAbort = () => void bestEffort(pieces.cancel(signal.reason))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    while (reader.end === undefined) {
      const { done, value } = await pieces.read()
      if (done) throw new Error(`the answer of ${model.info.id} was cut before its end`)
      reader.push(value)
    }
    const why = unusableEnd({ end: reader.end }, { model })
    if (why !== undefined) throw new Error(why)
    return textOf(reader.parts)
  } finally {
    signal.removeEventListener('abort', onAbort)
    void bestEffort(pieces.cancel())
  }
}
