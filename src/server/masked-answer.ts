import { isUtf8 } from 'node:buffer'
import { maskStrings } from '../core/secrets/mask-strings.ts'
import type { SecretMask } from '../core/secrets/mask.ts'
import { restoreMasked } from '../core/secrets/restore-masked.ts'
import type { KeyedAnswer } from './idempotency.ts'

/** Fields that clients send back unchanged. */
const KEPT: ReadonlySet<string> = new Set(['directory', 'digest'])

/** Masks an outgoing response: stored data may contain secrets. */
export function maskAnswer(
  { status, body }: KeyedAnswer,
  { text, approval }: Pick<SecretMask, 'text' | 'approval'>,
): KeyedAnswer {
  return { status, body: maskStrings(body, text, { kept: KEPT, approval }) }
}

/** Masks an artifact that is text; bytes that are not UTF-8 stay unchanged. */
export function maskBytes(bytes: Uint8Array, { text: mask }: Pick<SecretMask, 'text'>): Uint8Array {
  if (!isUtf8(bytes)) return bytes
  const before = Buffer.from(bytes).toString('utf8')
  const after = mask(before)
  return after === before ? bytes : Buffer.from(after)
}

/** Restores masked text that a person edited: masks must not overwrite the stored text. */
export function editedText(
  { secrets }: { readonly secrets: Pick<SecretMask, 'text'> },
  text: string,
  stored: string,
): string {
  return restoreMasked(text, stored, secrets.text)
}

/** The same for the pattern that an approval offers. */
export function editedPattern(
  { secrets }: { readonly secrets: Pick<SecretMask, 'approval'> },
  pattern: string,
  offered: string,
): string {
  return restoreMasked(pattern, offered, secrets.approval)
}
