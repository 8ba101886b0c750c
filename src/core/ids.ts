/**
 * Ids are `prefix_` and 26 characters of Crockford base32: 10 of time (milliseconds since the epoch), 16 random
 * (80 bits). They sort by time, they are strictly increasing within one generator, and they cannot be guessed.
 */

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type ConversationId = Branded<'ConversationId'>
export type BranchId = Branded<'BranchId'>
export type MessageId = Branded<'MessageId'>
export type PartId = Branded<'PartId'>
export type RunId = Branded<'RunId'>
export type CallId = Branded<'CallId'>
export type ApprovalId = Branded<'ApprovalId'>
export type InboxItemId = Branded<'InboxItemId'>
export type ArtifactId = Branded<'ArtifactId'>

export interface IdTypes {
  cnv: ConversationId
  brn: BranchId
  msg: MessageId
  prt: PartId
  run: RunId
  cal: CallId
  apr: ApprovalId
  inb: InboxItemId
  art: ArtifactId
}

export type IdPrefix = keyof IdTypes

/** Makes the next id of a kind. One generator per process, injected, so that tests get the same ids each time. */
export type NewId = <P extends IdPrefix>(prefix: P) => IdTypes[P]

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_BYTES = 10
const ID_PATTERN = /^(cnv|brn|msg|prt|run|cal|apr|inb|art)_[0-9A-HJKMNP-TV-Z]{26}$/

/** `random(n)` returns n bytes from a cryptographic source (a seeded one in tests). */
export function createIds(now: () => number, random: (bytes: number) => Uint8Array): NewId {
  let lastMs = -1
  let tail = new Uint8Array(RANDOM_BYTES)
  return (prefix) => {
    const ms = now()
    if (ms > lastMs) {
      lastMs = ms
      tail = Uint8Array.from(random(RANDOM_BYTES))
    } else {
      tail = increment(tail)
      if (tail.every((byte) => byte === 0)) lastMs++
    }
    return `${prefix}_${encodeTime(lastMs)}${encodeBytes(tail)}` as never
  }
}

/** The kind of an id, or undefined when the text has not the shape of one. */
export function idPrefix(text: string): IdPrefix | undefined {
  return ID_PATTERN.exec(text)?.[1] as IdPrefix | undefined
}

export function isId<P extends IdPrefix>(prefix: P, text: string): text is IdTypes[P] {
  return idPrefix(text) === prefix
}

function encodeTime(ms: number): string {
  let text = ''
  for (let rest = ms; text.length < 10; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text
  return text
}

function encodeBytes(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31]
    value &= (1 << bits) - 1
  }
  return text
}

/** The next value of the random tail: two ids of one millisecond keep their order. */
function increment(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = Uint8Array.from(bytes)
  for (let i = next.length - 1; i >= 0; i--) {
    next[i] = (next[i]! + 1) & 255
    if (next[i] !== 0) break
  }
  return next
}
