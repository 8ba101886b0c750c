import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorMessage, OffshootError } from '../core/errors.ts'

const SHAPE = /^[\w-]{43}$/

/**
 * The token of this installation, in `$OFFSHOOT_HOME/token`: made once, for the eyes of its user alone. @throws
 * OffshootError `store_readonly` where the directory takes no file, `config` for a file that holds no token.
 */
export function installationToken(home: string): string {
  const file = join(home, 'token')
  return readToken(file) ?? makeToken(home, file)
}

/** The token that is there; undefined: none was made yet. @throws OffshootError `config` */
export function readToken(file: string): string | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
    // of a token alone: the name may lead to somebody's other file
    if (SHAPE.test(text) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new OffshootError('config', `the token cannot be read: ${errorMessage(error)}`, { cause: error })
  }
  if (SHAPE.test(text)) return text
  throw new OffshootError('config', `${file} holds no token`, {
    hint: 'delete it: the next start makes another, and every page has to sign in again',
  })
}

/** As a whole or not at all: of two servers that start at the same time both have the one that came first. */
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
    throw new OffshootError('store_readonly', `no token can be kept in ${home}: ${errorMessage(cause)}`, {
      cause,
      hint: 'OFFSHOOT_HOME names another directory',
    })
  }
  return readToken(file)!
}

/** Whether two tokens are the same. It takes the same time wherever they differ. */
export function isSame(given: string, expected: string): boolean {
  return isSameHash(hashOf(given), hashOf(expected))
}

export function isSameHash(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
