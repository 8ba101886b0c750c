import { isAbsolute, normalize } from 'node:path'
import type { FieldName } from '../agents/definition-fields.ts'
import type { AgentDefinition } from '../core/agent.ts'
import type { Config } from '../config/config-schema.ts'

/** What is in force without the project: the user's configuration and the defaults. */
export type Base = Pick<Config, 'limits'>

type Value<F extends FieldName> = NonNullable<AgentDefinition[F]>
type HoldsAlone = { readonly [F in FieldName]: (value: Value<F>, base: Base) => boolean }

const always = () => true
const never = () => false

/**
 * Whether a field of an agent that a project adds is in force without trust: it only narrows, or it is words for people
 * and models. Rules are among these: those of an agent are a level below the user's and can lift nothing there.
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
  /** It makes no answer longer than the user's `models` allow: src/runtime/delegation/run-settings.ts. */
  maxOutputTokens: always,
  stopSequences: always,
  /** To write for an hour costs more. */
  promptCache: (keep) => keep === '5m',
  providerOptions: never,
  permissions: always,
  maxTurns: (turns, { limits }) => turns <= limits.maxTurnsSubagent,
  /** A spawn that names no amount reserves a quarter of what is free. */
  maxCostUsd: (usd, { limits }) => limits.budgetUsd === null || usd <= limits.budgetUsd / 4,
  timeoutMs: (ms, { limits }) => limits.timeoutMs === null || ms <= limits.timeoutMs,
  background: always,
  /** It is one more request to a model. */
  firstTurnReminder: (asked) => !asked,
  isolation: always,
  backend: (name) => name === 'native',
  spawns: (names) => names.length === 0,
  inputSchema: always,
  outputSchema: always,
  /** A preset is done here; a line of its own is one more request to a model. */
  summarize: (how) => typeof how === 'string' && !/\s/.test(how),
  exposeAsTool: never,
  contextFiles: (paths) => paths.every(isInside),
  skills: always,
  mcpServers: (names) => names.length === 0,
}

/** By its name alone: what a link inside leads to is decided when the file is read. */
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
