import type { ReferenceFile } from '../../agents/workspace-prompt.ts'
import type { Grant } from '../../permissions/types.ts'

/** Files and directories for a spawn, permitted and read before the transaction that writes it. */
export interface PreparedSpawn {
  /** Absolute, without links; absent: the directory of the spawning agent. */
  readonly directory?: string
  /** Grants for a directory outside the workspace that a person allowed. */
  readonly opened: readonly Grant[]
  /** Absolute paths. */
  readonly contextFiles: readonly string[]
  readonly files: readonly ReferenceFile[]
}
