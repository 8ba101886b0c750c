/** A file or directory that could not be used: a sentence without its subject, as `it is not UTF-8 text`. */
export interface Unreadable {
  readonly path: string
  readonly problem: string
}

export interface AgentFiles {
  /** Every file below, in the order of their paths; an absent directory has none. Never rejects. */
  list(directory: string, extensions: readonly string[]): Promise<readonly (string | Unreadable)[]>
  /** The text, or why it cannot be read. Never rejects. */
  read(path: string): Promise<string | Unreadable>
}
