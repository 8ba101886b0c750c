import { defaultLimits } from '../core/limits.ts'

/** The defaults. They need no schema: most starts have no configuration. */
export const defaults = {
  baseUrls: {},
  delegation: 'auto' as const,
  limits: { ...defaultLimits },
  subagents: { backend: 'native' as const, isolation: 'none' as const },
  discovery: 'auto' as const,
  permissions: [],
  delegations: [],
  agents: {},
  models: {},
  prices: {},
  search: { keys: {} },
  sandbox: { mode: 'off' as const, network: [], ports: [] },
  recovery: 'continue' as const,
  store: { warnBytes: 2 * 1024 ** 3 },
  announce: 'full' as const,
}
