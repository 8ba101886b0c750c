import { isAbsolute, normalize } from 'node:path'
import type { FieldName } from '../agents/definition-fields.ts'
import type { AgentDefinition } from '../core/agent.ts'
import type { Config } from '../config/config-schema.ts'

/** The configuration without the project: the user's, and the defaults. */
export type Base = Pick<Config, 'limits'>

type Value<F extends FieldName> = NonNullable<AgentDefinition[F]>
type HoldsAlone = { readonly [F in FieldName]: (value: Value<F>, base: Base) => boolean }

const always = () => true
const never = () => false

/**
 * Whether a field of an agent added by a project applies without trust: it only restricts, or it is text for people and
 * models. Rules are included, because an agent's rules are a level below the user's and cannot lift anything.
 */
const holdsAlone: HoldsAlone = {
  title: always,
  icon: always,
  model: (model) => model === 'inherit' || model === 'small',
  effort: (effort) => effort === 'none' || effort === 'minimal' || effort === 'low',
  tools: always,
  disallowedTools: always,
  mode: always,
  temperature: always,
  topP: always,
  /** Answers cannot exceed the user's `models`: src/runtime/delegation/run-settings.ts. */
  maxOutputTokens: always,
  stopSequences: always,
  /** Caching for an hour costs more. */
  promptCache: (keep) => keep === '5m',
  providerOptions: never,
  permissions: always,
  maxTurns: (turns, { limits }) => turns <= limits.maxTurnsSubagent,
  /** A spawn without a named amount reserves a quarter of what is free. */
  maxCostUsd: (usd, { limits }) => limits.budgetUsd === null || usd <= limits.budgetUsd / 4,
  timeoutMs: (ms, { limits }) => limits.timeoutMs === null || ms <= limits.timeoutMs,
  background: always,
  /** It causes one more request to a model. */
  firstTurnReminder: (asked) => !asked,
  isolation: always,
  backend: (name) => name === 'native',
  spawns: (names) => names.length === 0,
  inputSchema: always,
  outputSchema: always,
  /** A preset runs locally; a custom instruction is one more request to a model. */
  summarize: (how) => typeof how === 'string' && !/\s/.test(how),
  exposeAsTool: never,
  contextFiles: (paths) => paths.every(isInside),
  skills: always,
  mcpServers: (names) => names.length === 0,
}

/** Checked by name only: links inside are decided when the file is read. */
function isInside(path: string): boolean {
  const plain = normalize(path)
  return !isAbsolute(plain) && !/^(~|file:)/i.test(plain) && plain !== '..' && !plain.startsWith('../')
}

/** The fields of an agent that need trust. */
export function fieldsThatAsk(agent: AgentDefinition, base: Base): FieldName[] {
  const names = Object.keys(holdsAlone) as FieldName[]
  return names.filter((name) => agent[name] !== undefined && !judge(name, agent[name], base))
}

function judge<F extends FieldName>(name: F, value: AgentDefinition[F], base: Base): boolean {
  return holdsAlone[name](value as Value<F>, base)
}
