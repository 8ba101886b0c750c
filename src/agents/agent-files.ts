/** An unusable file or directory: a sentence without its subject, such as `it is not UTF-8 text`. */
export interface Unreadable {
  readonly path: string
  readonly problem: string
}

export interface AgentFiles {
  /**
   * Every file of a directory, sorted by path; with `deep`, also those in subdirectories. Empty for a missing
   * directory. Reads no file outside `within`, wherever links lead. Never rejects.
   */
  list(
    directory: string,
    extensions: readonly string[],
    deep: boolean,
    within?: string,
  ): Promise<readonly (string | Unreadable)[]>
  /** Whether a file or directory of that name exists. Never rejects. */
  has(path: string): Promise<boolean>
  /** The text, or why it cannot be read. Outside of `within` nothing is read; `list` has looked at what it lists. Never rejects. */
  read(path: string, within?: string): Promise<string | Unreadable>
}
