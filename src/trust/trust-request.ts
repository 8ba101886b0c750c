import { createHash } from 'node:crypto'
import type { Rule } from '../core/agent.ts'

/** Something that a file of a directory asks for and that only a person can grant. */
export interface TrustRequest {
  /** From the root of the directory, with `/`. */
  readonly file: string
  /** Of the whole file, as it was read. */
  readonly sha256: string
  readonly kind: 'rule' | 'model' | 'limit' | 'price' | 'agent' | 'setting'
  /** Where it is in the file: `limits.budgetUsd`, `agents.critic.model`. */
  readonly key: string
  /** One line for a person. It holds words of the file: it is shown as text and never as markup. */
  readonly text: string
  /** Two requests with the same identity in the same file ask for the same thing. */
  readonly identity: string
}

/** A request, and whether a person has granted it before. */
export interface AskedRequest extends TrustRequest {
  readonly granted: boolean
  /** That the model of the request reads. */
  readonly script?: NamedScript | undefined
  /** Whether it grants so much that a person has to see it before the others. */
  readonly isBroad?: boolean
}

/** Those that grant most come first; else they stay in the order of the files. */
export function broadFirst(requests: readonly AskedRequest[]): readonly AskedRequest[] {
  return requests.toSorted((a, b) => Number(b.isBroad ?? false) - Number(a.isBroad ?? false))
}

/** `id`: the model as the file names it. `sha256`: of its content; null for one that is missing or cannot be read. */
export interface NamedScript {
  readonly id: string
  readonly sha256: string | null
}

/** Decides about each request; `trust.json` of the user, or a program that uses the library. */
export type IsGranted = (request: TrustRequest) => boolean

export interface Source {
  readonly file: string
  readonly sha256: string
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** JSON whose keys are sorted, so that the order in a file makes no difference. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

/** More of them are only compared as a whole, so that the identities of a long list stay short. */
const MAX_UNDER = 100

/**
 * An allow rule with the rules of its layer that narrow it: those that follow and ask or deny. An allow that loses one of
 * them allows more than it did.
 */
export function ruleIdentity(rule: Rule, after: readonly Rule[]): string {
  const narrowing = after.filter(({ action }) => action !== 'allow').map((each) => sha256(canonical(each)))
  const under = [...new Set(narrowing)].toSorted()
  return canonical({ allow: rule, under: under.length > MAX_UNDER ? sha256(under.join()) : under })
}

/** Whether a request asks for nothing beyond what was accepted under this identity. */
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

/** What a person is shown, in one word: a yes is for exactly this. */
export function digestOf(directory: string, requests: readonly TrustRequest[]): string {
  const shown = requests.map(({ file, sha256: hash, identity, text }) => [file, hash, identity, text])
  return sha256(JSON.stringify([directory, shown]))
}
