import type { Action, Rule } from '../core/agent.ts'

/** A path after the workspace resolved it; the shape of tools/port.ts, declared by its consumer. */
export interface PermissionPath {
  readonly absolute: string
  readonly relative: string
  readonly outside: boolean
  readonly guarded: 'git' | 'config' | 'secret' | 'skill' | null
  /** A link of /proc leads there from this process; from a command it may lead elsewhere. */
  readonly ownView?: true
}

/** A file that exists. */
export interface FoundPath extends PermissionPath {
  /** A symbolic link; the path is its target. */
  readonly link: boolean
  /** Where the link itself is. */
  readonly at?: string
}

export type PermissionSubject =
  | { readonly kind: 'path'; readonly path: PermissionPath }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'host' | 'name' | Widens; readonly value: string }

/** What a command asks for beyond its sandbox: a host and port, or a directory. Rules name it like a tool. */
export type Widens = 'sandbox_network' | 'sandbox_write'

export type PermissionEffects = 'none' | 'write' | 'execute' | 'network' | 'spawn'

/** A tool call as the rules see it. */
export interface PermissionCall {
  readonly tool: string
  /** Another tool whose rules also apply: a typed agent's tool is also a `task`. */
  readonly alsoTool?: string
  readonly toolset: string
  readonly effects: PermissionEffects
  readonly subjects: readonly PermissionSubject[]
  /** The only directories of people that the sandbox of its commands shows. Absent: no sandbox. */
  readonly confinedTo?: readonly string[] | undefined
  /** Resolves a path in a shell command, relative to the directory in which the command runs. */
  readonly resolvePath: (path: string) => PermissionPath
  /**
   * The files below a directory, for commands that read or change all of them; null: too many to list. Absent: unknown,
   * and such commands ask. `levels`: how many names below the directory a path has at most.
   */
  readonly filesBelow?: (absolute: string, levels?: number) => readonly FoundPath[] | null
  /** What is at a path now. Absent: unknown. */
  readonly entryAt?: (absolute: string) => PathEntry
}

/** `none`: nothing exists there; `other`: a file, or something unreadable. */
export type PathEntry = 'directory' | 'other' | 'none'

/** An ordered list of rules from one source; the last match wins. */
export interface Layer {
  /** Shown to people and models: `user config`, `mode plan`, `agent explore`. */
  readonly name: string
  readonly rules: readonly Rule[]
  /** The action if no rule of the layer matches, by the tool's effects. Modes use these. */
  readonly byEffect?: Partial<Readonly<Record<PermissionEffects, Action>>>
}

/** The strictest opinion of a level's layers wins. The first level of a chain is the root. */
export interface Level {
  readonly name: string
  readonly layers: readonly Layer[]
  /** Absolute. Path patterns start here, for an agent with its own directory. Absent: the workspace. */
  readonly directory?: string
  /**
   * Calls that a person delegated past this level (docs/permissions.md#delegations): it has no opinion on them. The
   * root level always has one.
   */
  readonly lifted?: readonly Grant[]
  /** The agent that this level belongs to, and the tools that its own lists remove. */
  readonly agent?: { readonly name: string; readonly withheld: readonly string[] }
}

/** A person's permanent answer: turns a matching `ask` into `allow`, never a `deny`. */
export interface Grant {
  readonly tool: string
  readonly pattern?: string
}

export interface Decision {
  readonly action: Action
  /** One sentence: the layer and rule, or the default, that decided. */
  readonly why: string
  /** For an `ask`: the pattern that "always" would grant; null if nothing may be granted permanently. */
  readonly grant: Grant | null
  /** The rule that decided, and its layer; absent if a default or a guard decided. */
  readonly said?: { readonly layer: string; readonly rule: Rule }
}
