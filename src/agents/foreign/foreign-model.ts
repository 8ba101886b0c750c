import type { AgentDefinition } from '../../core/agent.ts'

/** Our id of a model that another program's file names, where it can be used here. */
export type KnownModel = (name: string) => string | undefined

/** With a model that is known here; otherwise it has that of who starts it, and what stood there is kept. */
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
    warning: `the model ${model.slice(0, 64)} cannot be used here, so it is inherited`,
  }
}

const INHERIT = new Set(['inherit', 'default', 'auto'])
/** The names for a cheap model that need no provider. */
const SMALL = new Set(['small', 'fast', 'haiku'])

/** `anthropic/claude-x`, and for names without a provider those that their beginning says. */
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
