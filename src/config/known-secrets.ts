import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecretMask, type SecretMask } from '../core/secrets/mask.ts'
import { dataHome, type Env } from './homes.ts'

/** The mask of a process: secrets of its environment, configuration and data directory. */
export function secretMask(env: Env, configured: readonly (string | undefined)[] = []): SecretMask {
  return createSecretMask(knownValues(env, configured))
}

/** Secrets that this process knows. A value of fewer than 8 characters would mask ordinary text. */
function knownValues(env: Env, configured: readonly (string | undefined)[] = []): string[] {
  const named = Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
  const values = [...named, ...configured, installationToken(env)].map((value) => value?.trim() ?? '')
  return [...new Set(values)].filter(isSecretValue).sort((a, b) => b.length - a.length)
}

const WORDS = 'KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIAL|APIKEY|PAT'
const NAME = new RegExp(`(?:^|_)(?:${WORDS})S?(?:_|$)|(?:KEY|TOKEN|SECRET|PASSWORD)S?$`, 'i')

function isSecretName(name: string): boolean {
  return NAME.test(name)
}

const MIN_CHARS = 8
/** A longer value is a document; keys in it have formats of their own. */
const MAX_CHARS = 8 * 1024
/** Settings that locate a secret, or say whether there is one. */
const PLACE = /^(?:[~.]{0,2}\/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*:\/\/[^@]*$|(?:true|false|enabled|disabled)$)/i

function isSecretValue(value: string): boolean {
  return value.length >= MIN_CHARS && value.length <= MAX_CHARS && !PLACE.test(value)
}

function installationToken(env: Env): string | undefined {
  try {
    return readFileSync(join(dataHome(env), 'token'), 'utf8')
  } catch {
    return undefined // no server has run, or the directory is not readable
  }
}
