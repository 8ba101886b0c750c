/** What the caller found in the workspace, as plain data. The system prompt bounds and labels it. */
export interface WorkspaceFacts {
  /** Name or path of the root directory, as the agent sees it. */
  readonly root: string
  /** null: no version control. `state` as text: `clean`, `3 files changed`. */
  readonly vcs: { readonly branch: string; readonly state: string } | null
  /** Names at the top level, directories with a `/` at the end. */
  readonly entries: readonly string[]
  /** The nearest AGENTS.md, or what stands in for it, with the files that it imports. */
  readonly notes?: { readonly path: string; readonly text: string }
  /** Paths of the notes of directories below. */
  readonly nestedNotes?: readonly string[]
  /** Receipts of the conversation's latest runs, oldest first. */
  readonly receipts?: readonly string[]
}
