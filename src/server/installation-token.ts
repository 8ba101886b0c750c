import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, OffshootError } from '../core/errors.ts'

const SHAPE = /^[\w-]{43}$/

/**
 * The token of this installation, in `$OFFSHOOT_HOME/token`: created once, readable only by its user. @throws
 * OffshootError `store_readonly` if the directory is not writable, `config` for a file without a token.
 */
export function installationToken(home: string): string {
  const file = join(home, 'token')
  return readToken(file) ?? makeToken(home, file)
}

/** The existing token; undefined: none yet. @throws OffshootError `config` */
export function readToken(file: string): string | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
    // for a valid token only: the name may be a link to another file
    if (SHAPE.test(text) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new OffshootError('config', `the token cannot be read: ${errorMessage(error)}`, { cause: error })
  }
  if (SHAPE.test(text)) return text
  throw new OffshootError('config', `${file} contains no token`, {
    hint: 'delete it: the next start creates another, and every browser must sign in again',
  })
}

/** Atomic: if two servers start at the same time, both use the first token. */
function makeToken(home: string, file: string): string {
  const own = `${file}.${process.pid}`
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    writeFileSync(own, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
    try {
      linkSync(own, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      unlinkSync(own)
    }
  } catch (cause) {
    throw new OffshootError('store_readonly', `cannot write a token to ${home}: ${errorMessage(cause)}`, {
      cause,
      hint: 'set OFFSHOOT_HOME to another directory',
    })
  }
  return readToken(file)!
}

/** Compares tokens in constant time. */
export function isSame(given: string, expected: string): boolean {
  return isSameHash(hashOf(given), hashOf(expected))
}

export function isSameHash(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
