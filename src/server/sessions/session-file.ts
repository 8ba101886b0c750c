import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorMessage, OffshootError } from '../../core/errors.ts'
import { bounds } from '../../core/limits.ts'

/** Stored data of a session, without its token. */
export interface StoredSession {
  readonly id: string
  /** Hash of the token, keyed with the installation's token and the server's port. */
  readonly hash: string
  readonly port: number
  readonly createdAt: number
  readonly expiresAt: number
  readonly usedAt: number
  /** The browser's own name. */
  readonly browser: string
}

const time = z.int().min(0)
/** A session with a longer lifetime than possible is invalid: somebody changed the file. */
const stored = z
  .strictObject({
    id: z.string().regex(/^ses_[0-9a-f]{12}$/),
    hash: z.string().regex(/^[\w-]{43}$/),
    port: z.int().min(1).max(65_535),
    createdAt: time,
    expiresAt: time,
    usedAt: time,
    browser: z.string().max(200),
  })
  .refine(({ createdAt, expiresAt }) => expiresAt <= createdAt + bounds.sessionMs)
const schema = z.lazy(() => z.strictObject({ sessions: z.array(stored) }))

/** @throws OffshootError `config` if any part of the file is unreadable. */
export function readSessions(home: string): readonly StoredSession[] {
  const file = sessionFile(home)
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8'))).sessions
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new OffshootError('config', `${file} cannot be read as a list of sessions`, {
      cause,
      hint: 'delete it: every browser must sign in again',
    })
  }
}

/** Atomic, and readable only by its user. @throws OffshootError `store_readonly` */
export function writeSessions(home: string, sessions: readonly StoredSession[]): void {
  const file = sessionFile(home)
  const own = `${file}.${process.pid}`
  try {
    rmSync(own, { force: true }) // left by an exited process: its permissions are unknown
    writeFileSync(own, `${JSON.stringify({ sessions })}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(own, file)
  } catch (cause) {
    rmSync(own, { force: true })
    throw new OffshootError('store_readonly', `${file} cannot be written: ${errorMessage(cause)}`, { cause })
  }
}

function sessionFile(home: string): string {
  return join(home, 'sessions.json')
}
