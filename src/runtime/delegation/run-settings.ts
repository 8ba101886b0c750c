import type { AgentDefinition } from '../../core/agent.ts'
import { idleSetting } from '../../core/idle-setting.ts'
import { mergeSettings, type ModelSettings } from '../../core/model-settings.ts'
import { noSetup, type RunSetup } from '../../core/run.ts'
import { ToolError } from '../../tools/port.ts'
import { least } from '../budget/budget-share.ts'
import type { Deps } from '../context/deps.ts'
import type { LiveRun } from '../run/live-run.ts'
import { recoded } from './recoded.ts'

/** Sources of model settings. */
interface Said {
  readonly agent: AgentDefinition
  /** `provider/model`. */
  readonly model: string
  /** From whoever starts or continues the run: a person, or a program acting for one. */
  readonly named?: ModelSettings | undefined
  /** Stored with the run so far. */
  readonly before?: ModelSettings | undefined
}

/**
 * The model settings that a run stores: named ones, else its own, else its agent's. An agent cannot make answers longer
 * than `models` in the configuration allows. @throws ToolError `settings` if a named one would have no effect.
 */
export function keptSettings(deps: Pick<Deps, 'config'>, said: Said): Pick<RunSetup, 'settings'> {
  const { agent, model, named = {}, before } = said
  const own = before ?? ofAgent(deps, agent, model)
  const idle = idleSetting(named, model)
  if (idle) throw new ToolError('settings', idle.why, 'leave it out, or choose another model')
  const settings = mergeSettings(own, named)
  return Object.keys(settings).length > 0 ? { settings } : {}
}

function ofAgent(deps: Pick<Deps, 'config'>, agent: AgentDefinition, model: string): ModelSettings {
  const { temperature, topP, stopSequences, promptCache, providerOptions } = agent
  const longest =
    agent.maxOutputTokens && least(agent.maxOutputTokens, deps.config.models[model]?.maxOutputTokens)
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(longest ? { maxOutputTokens: longest } : {}),
    ...(stopSequences ? { stopSequences } : {}),
    ...(promptCache ? { promptCache } : {}),
    ...(providerOptions ? { providerOptions } : {}),
  }
}

/**
 * Named settings override what the run has stored. Stored settings cannot make another model's answers longer than the
 * configuration allows. @throws OffshootError `usage` for settings without an effect.
 */
export function setupAfter(
  deps: Pick<Deps, 'config'>,
  { row, agent }: Pick<LiveRun, 'row' | 'agent'>,
  {
    settings: named,
    model: other,
  }: { readonly settings?: ModelSettings | undefined; readonly model?: string | undefined },
): RunSetup | null {
  const { setup = null } = row
  const model = other ?? row.model
  const kept = setup?.settings
  const before = kept && other ? cappedSettings(deps, kept, other) : kept
  if (!named) return setup && { ...setup, ...(before ? { settings: before } : {}) }
  return {
    ...(setup ?? noSetup),
    ...recoded('usage', () => keptSettings(deps, { agent, model, named, before })),
  }
}

/** The stored settings of a run, with its answer length limited by the configuration. */
function cappedSettings({ config }: Pick<Deps, 'config'>, kept: ModelSettings, model: string): ModelSettings {
  const { maxOutputTokens } = kept
  const most = config.models[model]?.maxOutputTokens ?? Infinity
  return maxOutputTokens === undefined ? kept : { ...kept, maxOutputTokens: Math.min(maxOutputTokens, most) }
}

/** The model settings of a run: its stored ones override those of the configuration. */
export function settingsInForce(
  deps: Pick<Deps, 'config'>,
  {
    row,
    agent,
  }: {
    readonly row: { readonly model: string; readonly setup?: RunSetup | null }
    readonly agent: AgentDefinition
  },
): ModelSettings {
  // a run of an older program has none stored
  const kept = row.setup?.settings ?? ofAgent(deps, agent, row.model)
  return mergeSettings(deps.config.models[row.model] ?? {}, kept)
}
