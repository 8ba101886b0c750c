import { z } from 'zod'
import { isId, type BranchId } from './ids.ts'
import { plainAuthors } from './message.ts'

/** `person`, `runtime`, `unknown` (an agent that is not known here, or nobody can tell), or another agent. */
export function createAuthorSchema() {
  const branchId = z.custom<BranchId>(
    (value) => typeof value === 'string' && isId('brn', value),
    'expected an id brn_…',
  )
  return z.union([z.enum(plainAuthors), z.object({ agent: z.string(), branchId })])
}
