/**
 * Programs with too many options to list the harmless ones: what runs other code, writes elsewhere or reads other
 * configuration asks; `...` at the end of a name stands for every name that begins so. Words after `--` belong to what
 * the tool runs.
 */
export interface ToolEntry {
  readonly options?: string
  /** Of these options the plain names that the tool brings along are harmless: `--format json`. */
  readonly named?: string
  /** Long names have one dash: letters do not stand in clusters. */
  readonly single?: boolean
  /** Commands of the tool, as first words. */
  readonly commands?: string
  /** The rest of the line after one of these commands runs as a program. */
  readonly runs?: string
  /** `NAME=value` words change what runs. */
  readonly assigns?: boolean
  /** Its operands are a command that it starts. */
  readonly starts?: boolean
  /** It searches all files below its operands, or below the directory that it runs in. */
  readonly searches?: 'hidden' | 'plain'
}
