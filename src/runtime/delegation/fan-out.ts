import type { AgentDefinition } from '../../core/agent.ts'
import type { CallId } from '../../core/ids.ts'
import type { ToolCallPart } from '../../core/message.ts'
import type { Permit, PermitRequest } from '../../loop/ports.ts'
import type { Decision } from '../../permissions/types.ts'
import { parseInput } from '../../tools/parse-input.ts'
import { dollars } from '../budget/money-text.ts'
import { count } from '../budget/token-count.ts'
import type { Wanted } from '../budget/spawn-caps.ts'
import type { LiveRun } from '../run/live-run.ts'
import type { Deps } from '../context/deps.ts'
import type { ScopePart } from '../context/scope.ts'
import { modelOf, type ModelPorts } from './spawn-child.ts'
import { exposedTo, type DelegationPorts } from './startable-agents.ts'
import { isTaskName, type TaskInput } from '../task/task-input.ts'
import { isToolName } from '../authority/exposed-agents.ts'

/** With `delegation: ask`, a person decides before subagents start, whatever the rules say. */
const ASK: Decision = { action: 'ask', why: 'delegation is "ask"', grant: null }

type EstimateScope = ScopePart<DelegationPorts & ModelPorts & Pick<Deps, 'resolveModel'>, 'budget'>
export type FanOutScope = EstimateScope & { readonly deps: Pick<Deps, 'approvals'> }

/** Additions for the approval of all subagents of one answer. */
export interface FanOut {
  readonly decision: Decision
  /** Their number, their maximum cost, and what remains. */
  readonly detail: string
}

/**
 * Decides a call that starts a subagent if `delegation` is `ask`: the first call of an answer asks for all, the others
 * wait for that answer. `decide` decides the one call, with the additional detail.
 */
export async function decideFanOut(
  scope: FanOutScope,
  run: LiveRun,
  request: PermitRequest,
  decide: (fanOut?: FanOut) => Promise<Permit>,
): Promise<Permit> {
  const isAsked = (id: CallId) => scope.deps.approvals.asked(id) !== undefined
  const calls = run.journal?.calls() ?? [request.part]
  const key = calls[0]!.callId
  for (let led = run.fanOuts.get(key); led; led = run.fanOuts.get(key)) {
    const leave = await led
    if (leave) return leave.allowed ? await decide() : leave
    if (run.fanOuts.get(key) === led) run.fanOuts.delete(key)
  }
  const { promise, resolve } = Promise.withResolvers<Permit | undefined>()
  run.fanOuts.set(key, promise)
  try {
    const leave = await decide({ decision: ASK, detail: await estimate(scope, run, request, calls) })
    // a denial by its own rules says nothing about the others
    const isOfAll = leave.allowed || leave.code !== 'denied' || isAsked(request.part.callId)
    resolve(isOfAll ? leave : undefined)
    return leave
  } catch (error) {
    resolve(undefined)
    throw error
  }
}

async function estimate(
  { deps, tree }: EstimateScope,
  run: LiveRun,
  request: PermitRequest,
  calls: readonly ToolCallPart[],
): Promise<string> {
  const planned = calls.flatMap((part) => plannedOf(deps, run, request, part))
  const { usd, tokens, freeUsd, freeTokens } = tree.budget.forecast(
    run.row.id,
    planned.map(({ wanted }) => wanted),
  )
  const names = planned.map(({ agent, text }) => `- ${agent.name}: ${text}`)
  const models = [...new Set(planned.map(({ agent, model }) => modelOf(deps, agent, run.row.model, model)))]
  const money = usd === null ? 'money without a limit' : dollars(usd)
  const left = freeUsd === null ? '' : `${dollars(freeUsd)} and `
  return [
    `${planned.length} ${planned.length === 1 ? 'subagent' : 'subagents'}, at most ${money} and ${count(tokens)} tokens together; this leaves ${left}${count(freeTokens)} tokens`,
    ...names,
    ...(await Promise.all(models.map((id) => priceText(deps, id)))).flat(),
  ].join('\n')
}

interface Planned {
  readonly agent: AgentDefinition
  readonly text: string
  readonly model: string | undefined
  readonly wanted: Wanted
}

/** Empty for other tools, for continued subagents, and for calls that fail anyway. */
function plannedOf(
  deps: DelegationPorts,
  run: LiveRun,
  { tool }: PermitRequest,
  part: ToolCallPart,
): readonly Planned[] {
  const typed = [...exposedTo(deps, run.agent, run.row.depth)].find(([name]) => isToolName(part.tool, name))
  if (typed) return [{ agent: typed[1], text: typed[0], model: undefined, wanted: wantedOf(typed[1]) }]
  if (!isTaskName(part.tool)) return []
  try {
    const input = parseInput(tool, part.invalid ?? part.input) as TaskInput
    const agent = deps.agents.get(input.subagent_type)
    if (!agent || input.continue !== undefined) return []
    const text = (input.description ?? input.prompt).slice(0, 200)
    return [{ agent, text, model: input.model, wanted: wantedOf(agent, input) }]
  } catch {
    return []
  }
}

function wantedOf(
  { maxCostUsd }: AgentDefinition,
  input?: Pick<TaskInput, 'max_cost_usd' | 'max_tokens'>,
): Wanted {
  return { asked: { usd: input?.max_cost_usd, tokens: input?.max_tokens }, defined: maxCostUsd }
}

/** A remark if a model is free, or its price unknown. */
async function priceText(deps: Pick<Deps, 'resolveModel'>, id: string): Promise<string[]> {
  const model = await deps.resolveModel(id).catch(() => undefined)
  if (!model) return []
  const { price } = model.info
  if (price === null) return [`the price of ${id} is unknown: it counts at the highest list price`]
  return price.input === 0 && price.output === 0 ? [`${id} costs nothing`] : []
}
