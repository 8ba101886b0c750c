/**
 * Programs with too many options to list the harmless ones. Options that run other code, write elsewhere or read other
 * configuration ask; `...` at the end of a name covers every name with that prefix. Words after `--` belong to the
 * program that the tool runs.
 */
export interface ToolEntry {
  readonly options?: string
  /** For these options, the plain name of something built in is harmless: `--format json`. */
  readonly named?: string
  /** Long names have one dash, so letters do not cluster. */
  readonly single?: boolean
  /** Subcommands, as first words. */
  readonly commands?: string
  /** The rest of the line after one of these subcommands runs as a program. */
  readonly runs?: string
  /** `NAME=value` words change what runs. */
  readonly assigns?: boolean
  /** Its operands are a command that it starts. */
  readonly starts?: boolean
  /** It searches all files below its operands, or below the current directory. */
  readonly searches?: 'hidden' | 'plain'
}
