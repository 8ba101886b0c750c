import { createHash } from 'node:crypto'
import type { Rule } from '../core/agent.ts'

/** A request of a file in a directory that only a person can grant. */
export interface TrustRequest {
  /** Path relative to the directory, with `/`. */
  readonly file: string
  /** Hash of the whole file as it was read. */
  readonly sha256: string
  readonly kind: 'rule' | 'model' | 'limit' | 'price' | 'agent' | 'setting'
  /** Place in the file: `limits.budgetUsd`, `agents.critic.model`. */
  readonly key: string
  /** One line for a person. It contains words of the file: show it as text, never as markup. */
  readonly text: string
  /** Two requests with the same identity in the same file ask for the same thing. */
  readonly identity: string
}

/** A request, and whether a person has granted it. */
export interface AskedRequest extends TrustRequest {
  readonly granted: boolean
  /** The script of the requested model. */
  readonly script?: NamedScript | undefined
  /** Whether it grants so much that a person must see it first. */
  readonly isBroad?: boolean
}

/** The widest requests first; otherwise in the order of the files. */
export function broadFirst(requests: readonly AskedRequest[]): readonly AskedRequest[] {
  return requests.toSorted((a, b) => Number(b.isBroad ?? false) - Number(a.isBroad ?? false))
}

/** `id`: the model as the file names it. `sha256`: hash of its content; null: missing or unreadable. */
export interface NamedScript {
  readonly id: string
  readonly sha256: string | null
}

/** Decides each request: the user's `trust.json`, or a program that uses the library. */
export type IsGranted = (request: TrustRequest) => boolean

export interface Source {
  readonly file: string
  readonly sha256: string
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** JSON with sorted keys, so that their order makes no difference. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

/** Longer lists are compared by a single hash, to keep identities short. */
const MAX_UNDER = 100

/**
 * An allow rule together with the following ask and deny rules of its layer: without one of those it would allow more.
 */
export function ruleIdentity(rule: Rule, after: readonly Rule[]): string {
  const narrowing = after.filter(({ action }) => action !== 'allow').map((each) => sha256(canonical(each)))
  const under = [...new Set(narrowing)].toSorted()
  return canonical({ allow: rule, under: under.length > MAX_UNDER ? sha256(under.join()) : under })
}

/** Whether a request asks for nothing beyond what was granted under this identity. */
export function isCovered(
  accepted: string,
  { identity, kind }: Pick<TrustRequest, 'identity' | 'kind'>,
): boolean {
  if (accepted === identity) return true
  if (kind !== 'rule') return false
  const [before, now] = [readRule(accepted), readRule(identity)]
  if (before === undefined || now === undefined || before.rule !== now.rule) return false
  return before.under.every((each) => now.under.includes(each))
}

function readRule(
  identity: string,
): { readonly rule: string; readonly under: readonly string[] } | undefined {
  try {
    const { allow, under } = JSON.parse(identity) as { allow?: unknown; under?: unknown }
    if (allow === undefined || !Array.isArray(under)) return undefined
    return { rule: canonical(allow), under: under as string[] }
  } catch {
    return undefined
  }
}

/** A digest of what a person is shown: a grant applies to exactly this. */
export function digestOf(directory: string, requests: readonly TrustRequest[]): string {
  const shown = requests.map(({ file, sha256: hash, identity, text }) => [file, hash, identity, text])
  return sha256(JSON.stringify([directory, shown]))
}
