import { durationWords, type Client } from 'offshoot/client'

export type Config = Awaited<ReturnType<Client['getConfig']>>

export interface Setting {
  /** The path in a configuration file, with dots. */
  readonly key: string
  readonly value: unknown
  /** `default`, or the name of the source that says it; undefined: it is not told. */
  readonly origin: string | undefined
}

export interface ConfigRule {
  readonly tool: string
  readonly pattern: string | undefined
  readonly action: 'allow' | 'ask' | 'deny'
  readonly origin: string
}

/** Everything but the rules, in the order of the configuration. */
export function settingsOf({ values, origins }: Config): readonly Setting[] {
  return Object.entries(values).flatMap(([key, value]) =>
    RULES.has(key) ? [] : [{ key, value, origin: origins[key] }],
  )
}

const RULES: ReadonlySet<string> = new Set(['permissions', 'delegations'])

/** Rules of every source, the weakest source first. */
export function rulesOf({ values: { permissions } }: Config): readonly ConfigRule[] {
  if (!Array.isArray(permissions)) return []
  return permissions.filter(isObject).flatMap(({ tool, pattern, action, source }) => {
    if (action !== 'allow' && action !== 'ask' && action !== 'deny') return []
    return [
      {
        tool: textOf(tool),
        pattern: pattern === undefined ? undefined : textOf(pattern),
        action,
        origin: textOf(source),
      },
    ]
  })
}

/** What an agent may do although the one that starts it may not, in words. */
export function delegationsOf({ values: { delegations } }: Config): readonly string[] {
  if (!Array.isArray(delegations)) return []
  return delegations.filter(isObject).map(({ agent, for: starter, tool, pattern }) => {
    return `${textOf(agent)} for ${textOf(starter)}: ${textOf(tool)}${pattern === undefined ? '' : ` ${textOf(pattern)}`}`
  })
}

export function valueWords({ key, value }: Setting): string {
  if (value === null || value === undefined)
    return key.startsWith('limits.') || key === 'store.warnBytes' ? 'no cap' : 'not set'
  if (typeof value === 'number')
    return key.endsWith('Ms')
      ? durationWords(value)
      : key.endsWith('Usd')
        ? `$${value.toFixed(2)}`
        : value.toLocaleString()
  if (isObject(value) && Object.keys(value).length === 0) return 'not set'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What each limit is of. */
export const limitNames: Readonly<Record<string, string>> = {
  maxConcurrent: 'Subagents that run at the same time in a conversation',
  globalConcurrent: 'Subagents that run at the same time in all conversations',
  maxDepth: 'Depth of delegation; 1: a subagent starts none',
  maxSpawns: 'Subagents of a conversation',
  maxQueue: 'Runs that may wait for a slot',
  budgetUsd: 'Money of a conversation',
  maxTokens: 'Tokens of a conversation',
  maxTurns: 'Turns of a main run',
  maxTurnsSubagent: 'Turns of a subagent whose definition names none',
  maxIdenticalCalls: 'Equal calls with equal results in a row',
  maxReportTokens: 'Tokens of a report in the context of its parent',
  stallMs: 'Time without any event, then a run is paused',
  approvalMs: 'Time that a question to you waits',
  timeoutMs: 'Time of a run',
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
