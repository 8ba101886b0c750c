import type { Action, Rule } from '../core/agent.ts'
import type { PathShape } from './path-shape.ts'
import type { PatternKind } from './match-pattern.ts'
import type { Grant, PermissionCall, PermissionEffects } from './types.ts'

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
  /** The subject after `.`, `..` and `//` were resolved: an allow must match this spelling too. */
  readonly resolved?: string
  /** Spellings for rules that name what a wrapper runs: `timeout 60 npm test` for the `npm test` in it. */
  readonly wrapped?: readonly WrappedText[]
  /** What the command may run in turn: a rule that asks or denies one of these turns an allow into an ask. */
  readonly suspects?: readonly string[]
  /** With UNKNOWN in it: a rule that stands in the way counts as soon as it may match. */
  readonly uncertain: string | null
  /** Of a path: the files that a glob or a walk reaches. A rule that may forbid one of them turns an allow into an ask. */
  readonly reach?: Reach
  /** What an allow for a pattern does not cover; an allow for everything does. */
  readonly cautions: readonly Caution[]
  /** Why nothing but an answer of a person allows it. */
  readonly guard: string | null
  /** The outcome where the root level has no opinion. */
  readonly fallback: Action
  readonly grant: Grant | null
}

/** Reads a command line: an item for every command in it and every file that it names. */
export type ReadCommand = (call: PermissionCall, command: string) => readonly Item[]

export interface WrappedText {
  readonly text: string
  /** An allow must spell out this much of the text: the wrapper's words and the name of the command. */
  readonly spelled: string
}

export interface Reach {
  /** Relative to the workspace, and absolute. */
  readonly paths: readonly PathShape[]
  /** The files that exist there, with all their names; null: not known. */
  readonly files: readonly { readonly relative: string; readonly absolute: string }[] | null
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
