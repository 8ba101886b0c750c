/** Notes for agents as a repository has them, such as its AGENTS.md. */
export interface ProjectNotes {
  readonly path: string
  /** With the files that they import. */
  readonly text: string
}

/** What the caller found in the workspace, as plain data. The system prompt bounds and labels it. */
export interface WorkspaceFacts {
  /** As the agent is to see it: the name or path of the root directory. */
  readonly root: string
  /** null where there is no version control. `state` in words: `clean`, `3 files changed`. */
  readonly vcs: { readonly branch: string; readonly state: string } | null
  /** Names at the top level, directories with a `/` at the end. */
  readonly entries: readonly string[]
  /** The nearest AGENTS.md, or what stands in for it. */
  readonly notes?: ProjectNotes
  /** Paths of the notes of directories below. */
  readonly nestedNotes?: readonly string[]
  /** Receipts of the latest runs of the conversation, oldest first. */
  readonly receipts?: readonly string[]
}
