import type { ReferenceFile } from '../../agents/workspace-prompt.ts'
import type { Grant } from '../../permissions/types.ts'

/** What a spawn takes from the disk, decided and read before the transaction that writes it. */
export interface PreparedSpawn {
  /** Absolute, without links; absent: that of the spawning agent. */
  readonly directory?: string
  /** Of a directory outside of the workspace that a person has allowed. */
  readonly opened: readonly Grant[]
  /** Absolute paths. */
  readonly contextFiles: readonly string[]
  readonly files: readonly ReferenceFile[]
}
