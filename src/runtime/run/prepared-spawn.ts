import type { ReferenceFile } from '../../agents/workspace-prompt.ts'
import type { Grant } from '../../permissions/types.ts'

/** Disk input of a spawn, permitted and read before the transaction that writes it. */
export interface PreparedSpawn {
  /** Absolute, without links; absent: that of the spawning agent. */
  readonly directory?: string
  /** For a directory outside the workspace that a person allowed. */
  readonly opened: readonly Grant[]
  /** Absolute paths. */
  readonly contextFiles: readonly string[]
  readonly files: readonly ReferenceFile[]
}
