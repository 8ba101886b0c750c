import type { Action, Rule } from '../core/agent.ts'
import type { PathShape } from './path-shape.ts'
import type { PatternKind } from './match-pattern.ts'
import type { Grant, PermissionCall, PermissionEffects } from './types.ts'

/** A part of a call that rules decide separately: a simple command, a path, a host or a name. */
export interface Item {
  /** Values of `rule.tool` that apply: the tool, its toolset, `*`. */
  readonly tools: readonly string[]
  /** null: modes do not apply. */
  readonly effects: PermissionEffects | null
  /** Shown to people: `bash npm test`. */
  readonly title: string
  readonly kind: PatternKind
  /** Spellings of the subject that every rule can match. */
  readonly texts: readonly string[]
  /** Further spellings that only `ask` and `deny` rules match, such as the command name without its directory. */
  readonly aliases: readonly string[]
  /** The subject with `.`, `..` and `//` resolved: an allow must match this spelling too. */
  readonly resolved?: string
  /** Spellings for rules about a wrapped command: `timeout 60 npm test` for its `npm test`. */
  readonly wrapped?: readonly WrappedText[]
  /** Commands that this one may run: an ask or deny rule for any of them turns an allow into an ask. */
  readonly suspects?: readonly string[]
  /** The subject with UNKNOWN in it: a restricting rule applies as soon as it may match. */
  readonly uncertain: string | null
  /**
   * For a path: the files that a glob or a directory walk reaches. A rule that may deny one of them turns an allow into
   * an ask.
   */
  readonly reach?: Reach
  /** What an allow with a pattern does not cover; an allow for everything does. */
  readonly cautions: readonly Caution[]
  /** The reason why only a person may allow it. */
  readonly guard: string | null
  /** The outcome if the root level has no opinion. */
  readonly fallback: Action
  readonly grant: Grant | null
  /** An answer that lasts is about this part of a call alone, whatever else of the call asks. */
  readonly widens?: true
}

/** Parses a command line: an item for each command in it and each file it names. */
export type ReadCommand = (call: PermissionCall, command: string) => readonly Item[]

export interface WrappedText {
  readonly text: string
  /** An allow must contain this much of the text: the wrapper's words and the command's name. */
  readonly spelled: string
}

export interface Reach {
  /** Relative to the workspace, and absolute. */
  readonly paths: readonly PathShape[]
  /** The existing files there, with all their names; null: unknown. */
  readonly files: readonly { readonly relative: string; readonly absolute: string }[] | null
}

export interface Caution {
  /** Completes "asks because it ...". */
  readonly reason: string
  /** A pattern that contains this word covers it. */
  readonly word?: string
  /** A rule of the same level that allows this write covers the caution. */
  readonly write?: Item
}

export interface Opinion {
  readonly action: Action
  readonly layer: string
  readonly rule: Rule
  /** The rule allows every subject of the tool. */
  readonly whole: boolean
  /** The rule matches only possibly, because part of the command is unknown. */
  readonly doubt: boolean
}

const RANK: Readonly<Record<Action, number>> = { deny: 0, ask: 1, allow: 2 }

export function strictest(a: Action, b: Action): Action {
  return RANK[a] <= RANK[b] ? a : b
}
