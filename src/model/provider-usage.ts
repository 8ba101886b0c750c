import { bounds } from '../core/limits.ts'
import type { Usage } from '../core/usage.ts'
import type { ModelUsage } from './port.ts'

/** The usage of one request in our terms; missing or invalid figures count as 0. */
export function toUsage(usage: ModelUsage): Usage {
  const { total, noCache, cacheRead, cacheWrite } = usage.inputTokens
  const read = count(cacheRead)
  const write = count(cacheWrite)
  const { text, reasoning, total: output } = usage.outputTokens
  return {
    input: total === undefined ? count(count(noCache) + read + write) : count(total),
    output: output === undefined ? count(count(text) + count(reasoning)) : count(output),
    cacheRead: read,
    cacheWrite: write,
    reasoning: count(reasoning),
  }
}

function count(tokens: number | undefined): number {
  return Number.isSafeInteger(tokens) && tokens! <= bounds.requestTokens ? Math.max(0, tokens!) : 0
}
