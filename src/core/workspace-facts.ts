/** Notes for agents in a repository, such as its AGENTS.md. */
export interface ProjectNotes {
  readonly path: string
  /** With the files that they import. */
  readonly text: string
}

/** Facts about the workspace, collected by the caller. The system prompt bounds and labels them. */
export interface WorkspaceFacts {
  /** Name or path of the root directory, as the agent sees it. */
  readonly root: string
  /** null: no version control. `state` as text: `clean`, `3 files changed`. */
  readonly vcs: { readonly branch: string; readonly state: string } | null
  /** Names at the top level, directories with a `/` at the end. */
  readonly entries: readonly string[]
  /** The nearest AGENTS.md or its substitute, with imported files. */
  readonly notes?: ProjectNotes
  /** Paths of notes in subdirectories. */
  readonly nestedNotes?: readonly string[]
  /** Receipts of the conversation's latest runs, oldest first. */
  readonly receipts?: readonly string[]
}
