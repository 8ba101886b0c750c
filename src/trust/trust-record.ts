import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { z } from 'zod'
import { errorMessage, OffshootError } from '../core/errors.ts'
import { once } from '../core/once.ts'
import { withFileLock } from '../store/sqlite/file-lock.ts'
import type { Pin } from './pinned-restrictions.ts'

/** A person's grants, by the real path of the directory. */
export type TrustRecord = Readonly<Record<string, TrustedDirectory>>

export interface TrustedDirectory {
  /** ISO 8601. */
  readonly trustedAt: string
  readonly files: Readonly<Record<string, TrustedFile>>
}

export interface TrustedFile {
  readonly sha256: string
  /** Identities of requests. */
  readonly accepted: readonly string[]
  /** For a configuration: its restrictions. */
  readonly narrows?: Pick<Pin, 'rules' | 'values'> | undefined
}

const FILE_NAME = 'trust.json'
const LOCK_NAME = 'trust.lock'
const MAX_BYTES = 64 * 1024 * 1024

const schema = once(() =>
  z.strictObject({
    version: z.literal(1),
    directories: z.record(
      z.string(),
      z.strictObject({
        trustedAt: z.string(),
        files: z.record(z.string(), fileSchema()),
      }),
    ),
  }),
)

function fileSchema() {
  const rule = { tool: z.string(), pattern: z.string().optional(), action: z.enum(['ask', 'deny']) }
  return z.strictObject({
    sha256: z.string(),
    accepted: z.array(z.string()),
    narrows: z
      .strictObject({ rules: z.array(z.strictObject(rule)), values: z.record(z.string(), z.unknown()) })
      .optional(),
  })
}

/** A missing file is empty. @throws OffshootError `config` for one that cannot be read reliably. */
export function readRecord(home: string): TrustRecord {
  const path = join(home, FILE_NAME)
  try {
    const stats = statSync(path)
    if (!stats.isFile()) throw new Error('it is not a file')
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes; at most ${MAX_BYTES} are read`)
    return schema().parse(JSON.parse(readFileSync(path, 'utf8'))).directories
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    const why =
      error instanceof z.ZodError ? 'it is not a record of trusted directories' : errorMessage(error)
    throw new OffshootError('config', `${path} cannot be read: ${why}`, {
      hint: 'Remove the file: then no directory is trusted until you run offshoot trust again.',
      cause: error,
    })
  }
}

/** One process at a time reads and writes, so that simultaneous changes are not lost. The write is atomic. */
export function changeRecord(home: string, change: (record: TrustRecord) => TrustRecord): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  withFileLock(join(home, LOCK_NAME), () => writeRecord(home, change(readRecord(home))))
}

function writeRecord(home: string, directories: TrustRecord): void {
  const path = join(home, FILE_NAME)
  const next = `${path}.${randomUUID()}`
  try {
    writeFileSync(next, `${JSON.stringify({ version: 1, directories }, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
    })
    renameSync(next, path)
  } finally {
    rmSync(next, { force: true })
  }
}

/**
 * Whether the record is inside the directory that it covers: a directory that brings its own record would trust itself.
 * The user's home directory holds the record and belongs to the user.
 */
export function isOwnRecord(home: string, directory: string, userHome: string | null): boolean {
  const path = realOrNull(join(home, FILE_NAME))
  if (path === null || !isWithin(directory, path)) return false
  const ofUser = userHome === null ? null : realOrNull(userHome)
  return ofUser === null || !isWithin(directory, ofUser)
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
