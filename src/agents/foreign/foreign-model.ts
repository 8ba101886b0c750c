import type { AgentDefinition } from '../../core/agent.ts'

/** Our id of a foreign file's model, if it is usable here. */
export type KnownModel = (name: string) => string | undefined

/** Uses a known model; otherwise the agent inherits its starter's model, and the original value is kept. */
export function foreignModel(
  agent: AgentDefinition,
  known: KnownModel,
): { readonly agent: AgentDefinition; readonly warning?: string } {
  const { model, ...rest } = agent
  if (model === undefined) return { agent }
  const wanted = plainName(model)
  if (INHERIT.has(wanted)) return { agent: { ...rest, model: 'inherit' } }
  if (SMALL.has(wanted)) return { agent: { ...rest, model: 'small' } }
  const id = candidates(model).map(known).find(Boolean)
  if (id !== undefined) return { agent: { ...rest, model: id } }
  return {
    agent: { ...rest, extra: { ...rest.extra, model } },
    warning: `the model ${model.slice(0, 64)} cannot be used here; the agent inherits its model`,
  }
}

const INHERIT = new Set(['inherit', 'default', 'auto'])
/** Names of cheap models without a provider. */
const SMALL = new Set(['small', 'fast', 'haiku'])

/** `anthropic/claude-x`, and names without a provider by their prefix. */
function candidates(model: string): string[] {
  const name = plainName(model)
  if (FAMILIES.has(name)) return [`anthropic/${name}`]
  if (name.includes('/')) return [name]
  const provider = PREFIXES.find(([prefix]) => prefix.test(name))?.[1]
  return provider ? [`${provider}/${name}`] : []
}

const FAMILIES = new Set(['sonnet', 'opus'])
const PREFIXES = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-|o\d|codex-)/, 'openai'],
  [/^gemini-/, 'google'],
] as const

/** `Claude Sonnet 4.5 (copilot)` -> `claude-sonnet-4.5` */
function plainName(model: string): string {
  return model
    .replace(/\s*\([^)]*\)\s*$/, '')
    .trim()
    .replace(/\s+/g, '-')
    .toLowerCase()
}
