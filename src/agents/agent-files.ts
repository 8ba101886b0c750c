/** An unusable file or directory: a sentence without its subject, such as `it is not UTF-8 text`. */
export interface Unreadable {
  readonly path: string
  readonly problem: string
}

export interface AgentFiles {
  /**
   * Every file of a directory, sorted by path; with `deep`, also those in subdirectories. Empty for a missing
   * directory. Never rejects.
   */
  list(
    directory: string,
    extensions: readonly string[],
    deep: boolean,
  ): Promise<readonly (string | Unreadable)[]>
  /** Whether a file or directory of that name exists. Never rejects. */
  has(path: string): Promise<boolean>
  /** The text, or why it cannot be read. Never rejects. */
  read(path: string): Promise<string | Unreadable>
}
