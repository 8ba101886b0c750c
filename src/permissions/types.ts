import type { Action, Rule } from '../core/agent.ts'

/** A path after the workspace resolved it; the shape of tools/port.ts, declared by its consumer. */
export interface PermissionPath {
  readonly absolute: string
  readonly relative: string
  readonly outside: boolean
  readonly guarded: 'git' | 'config' | 'secret' | 'skill' | null
}

/** A file that exists. */
export interface FoundPath extends PermissionPath {
  /** A symbolic link; the path is where it leads. */
  readonly link: boolean
}

export type PermissionSubject =
  | { readonly kind: 'path'; readonly path: PermissionPath }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'host' | 'name'; readonly value: string }

export type PermissionEffects = 'none' | 'write' | 'execute' | 'network' | 'spawn'

/** A tool call as the rules see it. */
export interface PermissionCall {
  readonly tool: string
  /** Another tool whose rules count too: what starts an agent under a name of its own is a `task`. */
  readonly alsoTool?: string
  readonly toolset: string
  readonly effects: PermissionEffects
  readonly subjects: readonly PermissionSubject[]
  /** The only directories of people that the sandbox shows in which its commands run. Absent: no sandbox. */
  readonly confinedTo?: readonly string[] | undefined
  /** Resolves a path that stands in a shell command, from the directory in which that runs. */
  readonly resolvePath: (path: string) => PermissionPath
  /**
   * The files below a directory, for commands that read or change all of them; null: too many to look at. Absent: nothing
   * is known of them, and such commands ask.
   */
  readonly filesBelow?: (absolute: string) => readonly FoundPath[] | null
  /** What is at a path now. Absent: nothing is known. */
  readonly entryAt?: (absolute: string) => PathEntry
}

/** `none`: nothing is there; `other`: a file, or what cannot be looked at. */
export type PathEntry = 'directory' | 'other' | 'none'

/** An ordered list of rules from one source; inside it the last match wins. */
export interface Layer {
  /** In words, for the person and the model: `user config`, `mode plan`, `agent explore`. */
  readonly name: string
  readonly rules: readonly Rule[]
  /** What counts where no rule of the layer matches, by what a tool does. Modes are made of these. */
  readonly byEffect?: Partial<Readonly<Record<PermissionEffects, Action>>>
}

/** Between the layers of one level the strictest opinion wins. The first level of a chain is the root. */
export interface Level {
  readonly name: string
  readonly layers: readonly Layer[]
  /** Absolute; where its patterns of paths start: of an agent that works in a directory of its own. Absent: the workspace. */
  readonly directory?: string
  /**
   * What a person has delegated past this level (docs/permissions.md#delegations): it has no opinion on these calls.
   * The root level always has one.
   */
  readonly lifted?: readonly Grant[]
  /** Of an agent's definition: whose, and the names of the tools that it would have but for its own lists. */
  readonly agent?: { readonly name: string; readonly withheld: readonly string[] }
}

/** An answer that a person gave for good: turns an `ask` into `allow` where it matches, never a `deny`. */
export interface Grant {
  readonly tool: string
  readonly pattern?: string
}

export interface Decision {
  readonly action: Action
  /** One sentence: which layer and rule decided, or which default. */
  readonly why: string
  /** Of an `ask`: the pattern that "always" would grant; null where nothing may be granted for good. */
  readonly grant: Grant | null
  /** The rule that decided, and its layer; absent where none did: a default, or a guard. */
  readonly said?: { readonly layer: string; readonly rule: Rule }
}
