import type { Action, Rule } from '../core/agent.ts'

/** A path after the workspace resolved it; the shape of tools/port.ts, declared by its consumer. */
export interface PermissionPath {
  readonly absolute: string
  readonly relative: string
  readonly outside: boolean
  readonly guarded: 'git' | 'config' | 'secret' | null
}

export type PermissionSubject =
  | { readonly kind: 'path'; readonly path: PermissionPath }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'host' | 'name'; readonly value: string }

export type PermissionEffects = 'none' | 'write' | 'execute' | 'network' | 'spawn'

/** A tool call as the rules see it. */
export interface PermissionCall {
  readonly tool: string
  readonly toolset: string
  readonly effects: PermissionEffects
  readonly subjects: readonly PermissionSubject[]
  /** Resolves a path that stands in a shell command, from the workspace root. */
  readonly resolvePath: (path: string) => PermissionPath
}

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
}
