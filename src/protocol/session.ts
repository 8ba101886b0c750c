import { z } from 'zod'
import { count, ms } from './fields.ts'

/** A browser that is signed in. Times are milliseconds since the epoch. */
export const session = z
  .object({
    id: z.string(),
    /** Of the server that takes it. */
    port: count,
    createdAt: ms,
    expiresAt: ms,
    usedAt: ms,
    /** What the browser calls itself. */
    browser: z.string(),
    /** Whether it is that of the caller. */
    isCurrent: z.boolean(),
  })
  .readonly()
export type SessionRow = z.infer<typeof session>

/** The token is told once; the server keeps its hash. */
export const sessionOpened = z
  .object({ id: z.string(), token: z.string(), createdAt: ms, expiresAt: ms })
  .readonly()
export type SessionOpened = z.infer<typeof sessionOpened>

export const sessionEnded = z.object({ id: z.string() }).readonly()
export const sessionsEnded = z.object({ ended: count }).readonly()
