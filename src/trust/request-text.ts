import type { Rule } from '../core/agent.ts'

/** A value as text for a person. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function requestedRuleText({ tool, pattern }: Rule): string {
  if (pattern !== undefined) return `${tool === '*' ? 'every tool' : tool} with ${pattern}`
  return tool === '*' ? 'every call of every tool' : `every call of ${tool}`
}

export function countText(count: number): string {
  return count === 1 ? '1 request' : `${count} requests`
}

const MAX_TEXT = 200
const MAX_TAIL = 110

/**
 * The text of a request. A long one is cut in the middle with the missing length, so that no request hides the others.
 * `tail`: what a person must see, whatever the file contains before it.
 */
export function requestText(head: string, tail = ''): string {
  const end = shortened(tail, MAX_TAIL)
  return shortened(head, MAX_TEXT - end.length) + end
}

/** Start and end, with the missing length between them. */
export function shortened(text: string, max = MAX_TEXT): string {
  if (text.length <= max) return text
  const note = `… ${text.length} characters in all …`
  const kept = Math.max(0, max - note.length)
  const end = Math.floor(kept / 3)
  return `${text.slice(0, kept - end)}${note}${text.slice(text.length - end)}`.toWellFormed()
}

/** Longer lists are also counted by kind. */
const MANY = 10

/** `: 12 rules, 1 model` for a long list; empty for a short one. */
export function kindsText(requests: readonly { readonly kind: string }[]): string {
  if (requests.length <= MANY) return ''
  const kinds = [...Map.groupBy(requests, ({ kind }) => kind)]
  return `: ${kinds.map(([kind, { length }]) => `${length} ${kind}${length === 1 ? '' : 's'}`).join(', ')}`
}
