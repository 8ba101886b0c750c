import type { Config } from '../config/config-schema.ts'
import { namesNoMoreHosts, namesNoMorePorts } from '../config/sandbox-schema.ts'
import { isNoLaxer, type SandboxSetting } from '../config/sandbox-setting.ts'
import type { Limits } from '../core/limits.ts'
import { canonical } from './trust-request.ts'

/** Whether a project's value applies without trust. `base`: the value without the project. */
type HoldsAlone = (value: unknown, base: unknown) => boolean

const always: HoldsAlone = () => true
export const same: HoldsAlone = (value, base) => canonical(value) === canonical(base)
/** null: no limit. */
export const atMost: HoldsAlone = (value, base) =>
  base === null || (typeof value === 'number' && typeof base === 'number' && value <= base)
const DELEGATION = ['off', 'ask', 'auto']
const noLooser: HoldsAlone = (value, base) =>
  DELEGATION.indexOf(String(value)) <= DELEGATION.indexOf(String(base))

const LIMIT_JUDGES: Readonly<Record<keyof Limits, HoldsAlone>> = {
  maxConcurrent: atMost,
  maxDepth: atMost,
  maxSpawns: atMost,
  budgetUsd: atMost,
  maxTurns: atMost,
  maxTurnsSubagent: atMost,
  maxQueue: atMost,
  globalConcurrent: atMost,
  maxTokens: atMost,
  maxIdenticalCalls: atMost,
  maxReportTokens: atMost,
  stallMs: atMost,
  approvalMs: atMost,
  timeoutMs: atMost,
}

const SANDBOX_JUDGES: Readonly<Record<keyof Config['sandbox'], HoldsAlone>> = {
  mode: (value, base) => isNoLaxer(value, base as SandboxSetting),
  network: (value, base) => namesNoMoreHosts(value, base as readonly string[]),
  ports: (value, base) => namesNoMorePorts(value, base as readonly number[]),
}

/** `rules` and `agents` are judged by content; in an object, each key separately. */
type Judge = HoldsAlone | 'each key' | 'rules' | 'agents' | Readonly<Record<string, HoldsAlone>>

/** Every configuration key. One judged by `same` needs trust for any change. */
export const JUDGES: Readonly<Record<keyof Config, Judge>> = {
  $schema: always,
  announce: always,
  discovery: always,
  store: always,
  model: same,
  smallModel: same,
  models: 'each key',
  delegation: noLooser,
  recovery: (value, base) => value === 'pause' || same(value, base),
  sandbox: SANDBOX_JUDGES,
  limits: LIMIT_JUDGES,
  prices: 'each key',
  subagents: 'each key',
  permissions: 'rules',
  agents: 'agents',
  // never read from the file of a project: src/config/read-source.ts
  baseUrls: same,
  search: same,
  delegations: same,
}
