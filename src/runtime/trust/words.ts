import type { Rule } from '../../core/agent.ts'

/** What a value is for a person. It is not shortened: a person agrees to what they have seen. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function ruleText({ tool, pattern }: Rule): string {
  if (pattern !== undefined) return `${tool === '*' ? 'every tool' : tool} with ${pattern}`
  return tool === '*' ? 'every call of every tool' : `every call of ${tool}`
}

export function countText(count: number): string {
  return count === 1 ? '1 thing' : `${count} things`
}
