import { durationWords, type Client } from 'offshoot/client'

export type Config = Awaited<ReturnType<Client['getConfig']>>

export interface Setting {
  /** The path in a configuration file, with dots. */
  readonly key: string
  readonly value: unknown
  /** `default`, or the name of its source; undefined: unknown. */
  readonly origin: string | undefined
}

export interface ConfigRule {
  readonly tool: string
  readonly pattern: string | undefined
  readonly action: 'allow' | 'ask' | 'deny'
  readonly origin: string
}

/** Everything except rules, in the order of the configuration. */
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

/** A delegation as text. */
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

/** Labels of the limits. */
export const limitNames: Readonly<Record<string, string>> = {
  maxConcurrent: 'Parallel subagents in a conversation',
  globalConcurrent: 'Parallel subagents in all conversations',
  maxDepth: 'Delegation depth; 1: subagents start none',
  maxSpawns: 'Subagents per conversation',
  maxQueue: 'Runs waiting for a slot',
  budgetUsd: 'Cost per conversation',
  maxTokens: 'Tokens per conversation',
  maxTurns: 'Turns per main run',
  maxTurnsSubagent: 'Turns per subagent without a limit of its own',
  maxIdenticalCalls: 'Identical calls in a row with identical results',
  maxReportTokens: 'Tokens per report in its parent’s context',
  stallMs: 'Time without events before a run pauses',
  approvalMs: 'Time before a question expires',
  timeoutMs: 'Time per run',
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
