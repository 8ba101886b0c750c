import type { Action, Rule } from '../core/agent.ts'
import type { PatternKind } from './pattern.ts'
import type { Grant, PermissionEffects } from './types.ts'

/** One thing that a call does and that rules decide by itself: a simple command, a path, a host, a name. */
export interface Item {
  /** What `rule.tool` may be to apply: the tool, its toolset, `*`. */
  readonly tools: readonly string[]
  /** null: modes have no say. */
  readonly effects: PermissionEffects | null
  /** For the person: `bash npm test`. */
  readonly title: string
  readonly kind: PatternKind
  /** The subject's spellings that any rule may match. */
  readonly texts: readonly string[]
  /** Further spellings that only `ask` and `deny` match: the name without its directory and the like. */
  readonly aliases: readonly string[]
  /** With UNKNOWN in it: a rule that stands in the way counts as soon as it may match. */
  readonly uncertain: string | null
  /** What an allow for a pattern does not cover; an allow for everything does. */
  readonly cautions: readonly Caution[]
  /** Why nothing but an answer of a person allows it. */
  readonly guard: string | null
  /** The outcome where the root level has no opinion. */
  readonly fallback: Action
  readonly grant: Grant | null
}

export interface Caution {
  /** Completes "asks because it ...". */
  readonly reason: string
  /** A pattern that spells this word out covers it. */
  readonly word?: string
  /** A rule of the level that allows this write covers it. */
  readonly write?: Item
}

export interface Opinion {
  readonly action: Action
  readonly layer: string
  readonly rule: Rule
  /** An allow for every subject of the tool. */
  readonly whole: boolean
  /** The rule only may match, since part of the command is not known. */
  readonly doubt: boolean
}

const RANK: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 }

export function strictest(a: Action, b: Action): Action {
  return RANK[a] <= RANK[b] ? a : b
}
