import type { FieldName } from '../agents/definition-fields.ts'
import type { AgentDefinition } from '../core/agent.ts'
import { fieldsThatAsk, type Base } from './harmless-agent-fields.ts'
import { canonical, sha256, type AskedRequest, type IsGranted, type Source } from './trust-request.ts'
import { scriptIdentity, scriptOf, scriptText } from './model-scripts.ts'
import { requestText, valueText } from './request-text.ts'

/** Context for judging a project's agent. */
export interface AgentJudge {
  readonly base: Base
  /** Names with a meaning outside the project, normalised, and that meaning: `the built-in agent main`. */
  readonly taken: ReadonlyMap<string, string>
  readonly isGranted: IsGranted
  /** The directory of the project. */
  readonly root: string
}

export interface AgentVerdict {
  /** The effective part; null: nothing. */
  readonly agent: AgentDefinition | null
  readonly requests: readonly AskedRequest[]
}

/** An agent that replaces another one is granted as a whole; for a new agent, each field that needs it. */
export function judgeAgent(agent: AgentDefinition, source: Source, judge: AgentJudge): AgentVerdict {
  const replaced = judge.taken.get(foldedName(agent.name))
  return replaced === undefined ? newAgent(agent, source, judge) : replacing(agent, replaced, source, judge)
}

/** Names that look alike to people and models are equal here, except across alphabets. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(NOT_SEEN, '')
}

/** Word separators, and invisible characters. */
const NOT_SEEN = /[\s_\-\u2800\p{Default_Ignorable_Code_Point}]/gu

function replacing(
  agent: AgentDefinition,
  replaced: string,
  source: Source,
  { isGranted, root }: AgentJudge,
): AgentVerdict {
  const { source: _, ...definition } = agent
  const hash = sha256(canonical(definition))
  const script = scriptOf(agent.model, root)
  const asked = fieldsOf(agent).map((name) => `, with ${fieldText(agent, name)}`)
  const text = requestText(
    `replaces ${replaced} with the agent ${agent.name}${asked.join('')}`,
    `, with ${agent.prompt.length} characters of instructions${scriptText(script)}`,
  )
  const identity = canonical({ replaces: agent.name, hash, ...scriptIdentity(script) })
  const about = { kind: 'agent', key: `agent ${agent.name}`, text, identity, script, isBroad: true } as const
  const request = { ...source, ...about }
  const granted = isGranted(request)
  return { agent: granted ? agent : null, requests: [{ ...request, granted }] }
}

/** Fields of a definition that a person must see; the prompt is in its file. */
const SHOWN: readonly FieldName[] = [
  'model',
  'effort',
  'tools',
  'disallowedTools',
  'permissions',
  'maxTurns',
  'maxCostUsd',
  'timeoutMs',
  'isolation',
  'backend',
  'spawns',
  'exposeAsTool',
  'contextFiles',
  'mcpServers',
]

function fieldsOf(agent: AgentDefinition): FieldName[] {
  return SHOWN.filter((name) => agent[name] !== undefined)
}

function newAgent(
  agent: AgentDefinition,
  source: Source,
  { base, isGranted, root }: AgentJudge,
): AgentVerdict {
  const requests = fieldsThatAsk(agent, base).map((field) => {
    const key = `agent ${agent.name}: ${field}`
    const script = field === 'model' ? scriptOf(agent.model, root) : undefined
    const text = requestText(`gives the agent ${agent.name} ${fieldText(agent, field)}`, scriptText(script))
    const kind = field === 'model' ? ('model' as const) : ('agent' as const)
    const identity = canonical({ agent: agent.name, field, value: agent[field], ...scriptIdentity(script) })
    const request = { ...source, kind, key, text, identity, script, isBroad: script !== undefined }
    return { field, request: { ...request, granted: isGranted(request) } }
  })
  const held = requests.filter(({ request }) => !request.granted).map(({ field }) => field)
  return { agent: withoutFields(agent, held), requests: requests.map(({ request }) => request) }
}

function fieldText(agent: AgentDefinition, field: FieldName): string {
  return `${field} ${valueText(agent[field])}`
}

function withoutFields(agent: AgentDefinition, held: readonly FieldName[]): AgentDefinition {
  const entries = Object.entries(agent).filter(([name]) => !held.includes(name as FieldName))
  return Object.fromEntries(entries) as unknown as AgentDefinition
}
