import { terminalLine } from '../../core/terminal-text.ts'
import type { Grant } from '../../permissions/types.ts'

/** `bash:npm test *`, as in a configuration. */
export function ruleText({
  tool,
  pattern,
}: {
  readonly tool: string
  readonly pattern?: string | null | undefined
}): string {
  return terminalLine(typeof pattern === 'string' ? `${tool}:${pattern}` : tool)
}

/** What the user has delegated to an agent; nothing where that is nothing. */
export function delegationText(delegations: readonly Grant[]): string[] {
  return delegations.length === 0 ? [] : [`delegated by you: ${delegations.map(ruleText).join(', ')}`]
}
