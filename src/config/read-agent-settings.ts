import type { AgentDefinition } from '../core/agent.ts'
import { withToolName } from '../agents/agent-name.ts'
import { PROMPTS, readFields, type FieldNote } from '../agents/read-fields.ts'
import { flat } from '../agents/restricting-keys.ts'
import type { Stranger } from '../core/rules/unknown-tool.ts'

/** Settings of an agent in a configuration: any field of a definition. */
export type AgentSettings = Partial<
  Omit<AgentDefinition, 'name' | 'basePrompt' | 'source' | 'extra' | 'checkOutput' | 'narrowed'>
>

export interface ReadAgents {
  readonly agents: Readonly<Record<string, AgentSettings>>
  readonly wrong: FieldNote | null
  /** Ignored fields and unknown keys, with their paths. */
  readonly warnings: readonly FieldNote[]
  readonly strangers: readonly (Omit<Stranger, 'where'> & { readonly path: readonly PropertyKey[] })[]
}

/**
 * Parses `agents` of a configuration like the fields of agent files. The schema rejects entries that are not objects.
 */
export function readAgentSettings(agents: unknown): ReadAgents {
  const entries = isObject(agents) ? Object.entries(agents) : []
  const read = entries.map(([name, value]) => ({ name, ...readOne(name, value) }))
  return {
    agents: Object.fromEntries(read.map(({ name, settings }) => [name, settings])),
    wrong: read.find(({ wrong }) => wrong)?.wrong ?? null,
    warnings: read.flatMap(({ warnings }) => warnings),
    strangers: read.flatMap(({ strangers }) => strangers),
  }
}

type One = Omit<ReadAgents, 'agents'> & { readonly settings: AgentSettings }

function readOne(name: string, value: unknown): One {
  if (!isObject(value)) return { settings: value as AgentSettings, wrong: null, warnings: [], strangers: [] }
  const here = ['agents', name]
  const entries = Object.entries(value)
  const texts = entries.filter(([key]) => key === 'description' || PROMPTS.has(flat(key)))
  const { fields, wrong, ignored, unknown, strangers } = readFields(
    entries.filter((entry) => !texts.includes(entry)),
  )
  const notes = [
    ...ignored.map(({ path, problem }) => ({
      path: [...here, ...path],
      problem: `it is ignored: ${problem}`,
    })),
    ...unknown.map(({ key, near }) => ({
      path: [...here, key],
      problem: `unknown key is ignored${near ? `; did you mean ${near}?` : ''}`,
    })),
  ]
  const first = wrong ?? groupProblem(entries) ?? textProblem(texts) ?? nameProblem(name)
  return {
    settings: { ...textsOf(texts), ...withToolName(fields, name) },
    wrong: first && { ...first, path: [...here, ...first.path] },
    warnings: notes,
    strangers: strangers.map(({ path, ...each }) => ({ ...each, path: [...here, ...path] })),
  }
}

/** Groups of limits or restrictions that belong at the top level of a configuration, not in an agent. */
const GROUPS: Readonly<Record<string, string>> = {
  limits: 'write each limit in the agent itself, such as "maxTurns"',
  delegations: 'it belongs at the top level of the configuration',
}

function groupProblem(entries: readonly (readonly [string, unknown])[]): FieldNote | null {
  const found = entries.map(([key]) => key).find((key) => Object.hasOwn(GROUPS, flat(key)))
  return found === undefined ? null : { path: [found], problem: `unknown key; ${GROUPS[flat(found)]}` }
}

function textProblem(texts: readonly (readonly [string, unknown])[]): FieldNote | null {
  const bad = texts.find(([, value]) => typeof value !== 'string' || value.trim() === '')
  if (bad) return { path: [bad[0]], problem: 'expected a string' }
  const [first, other] = texts.filter(([key]) => key !== 'description')
  if (!other || first![1] === other[1]) return null
  return {
    path: [other[0]],
    problem: `"${first![0]}" and "${other[0]}" set the same thing but differ; keep one of them`,
  }
}

function textsOf(texts: readonly (readonly [string, unknown])[]): AgentSettings {
  return Object.fromEntries(
    texts.map(([key, value]) => [key === 'description' ? key : 'prompt', String(value).trim()]),
  )
}

function nameProblem(name: string): FieldNote | null {
  const isName = name !== '' && name.length <= 128 && !/[:\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)
  return isName ? null : { path: [], problem: 'it is not the name of an agent' }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
