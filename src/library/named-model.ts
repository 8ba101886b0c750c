import { OwnModels } from '../model/custom-models.ts'
import type { Composed } from '../runtime/host/compose.ts'
import { usableModel } from './library-session.ts'

/**
 * Resolves the named model, or the one that configuration and environment offer. @throws OffshootError `usage`, `key`,
 * `config`.
 */
export function namedModel(composed: Composed, id?: string | null): Promise<string> {
  return usableModel(composed, new OwnModels(), id ?? undefined)
}
