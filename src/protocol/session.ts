import { z } from 'zod'
import { count, ms } from './fields.ts'

/** A signed-in browser. Times are milliseconds since the epoch. */
export const session = z
  .object({
    id: z.string(),
    /** Port of the server that accepts it. */
    port: count,
    createdAt: ms,
    expiresAt: ms,
    usedAt: ms,
    /** The browser's own name. */
    browser: z.string(),
    /** Whether it is the caller's session. */
    isCurrent: z.boolean(),
  })
  .readonly()
export type SessionRow = z.infer<typeof session>

/** The token is sent once; the server keeps its hash. */
export const sessionOpened = z
  .object({ id: z.string(), token: z.string(), createdAt: ms, expiresAt: ms })
  .readonly()
export type SessionOpened = z.infer<typeof sessionOpened>

export const sessionEnded = z.object({ id: z.string() }).readonly()
export const sessionsEnded = z.object({ ended: count }).readonly()
