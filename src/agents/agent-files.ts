/** A file or directory that could not be used: a sentence without its subject, as `it is not UTF-8 text`. */
export interface Unreadable {
  readonly path: string
  readonly problem: string
}

export interface AgentFiles {
  /**
   * Every file of a directory, in the order of their paths, with those of the directories in it where `deep`. An absent
   * directory has none. Outside of `within` none is read, wherever links lead. Never rejects.
   */
  list(
    directory: string,
    extensions: readonly string[],
    deep: boolean,
    within?: string,
  ): Promise<readonly (string | Unreadable)[]>
  /** Whether something of that name is there. Never rejects. */
  has(path: string): Promise<boolean>
  /** The text, or why it cannot be read. Outside of `within` nothing is read; `list` has looked at what it lists. Never rejects. */
  read(path: string, within?: string): Promise<string | Unreadable>
}
