/**
 * Ids are `prefix_` and 26 characters of Crockford base32: 10 for the time (milliseconds since the epoch), 16 random
 * (80 bits). They sort by time, increase strictly within one generator, and cannot be guessed.
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
export type QuestionId = Branded<'QuestionId'>
export type InboxItemId = Branded<'InboxItemId'>
export type ArtifactId = Branded<'ArtifactId'>
export type CommandId = Branded<'CommandId'>

export interface IdTypes {
  cnv: ConversationId
  brn: BranchId
  msg: MessageId
  prt: PartId
  run: RunId
  cal: CallId
  apr: ApprovalId
  que: QuestionId
  inb: InboxItemId
  art: ArtifactId
  cmd: CommandId
}

export type IdPrefix = keyof IdTypes

/** Creates the next id of a kind. One injected generator per process, so that tests get the same ids each time. */
export type NewId = <P extends IdPrefix>(prefix: P) => IdTypes[P]

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** All pairs of characters: the values of ten bits. */
const DOUBLES = [...ALPHABET].flatMap((first) => [...ALPHABET].map((second) => first + second))
const RANDOM_BYTES = 10
const FORTY_BITS = 2 ** 40
const ID_PATTERN = /^(cnv|brn|msg|prt|run|cal|apr|que|inb|art|cmd)_[0-9A-HJKMNP-TV-Z]{26}$/

/** `random(n)` returns n bytes from a cryptographic source (a seeded one in tests). */
export function createIds(now: () => number, random: (bytes: number) => Uint8Array): NewId {
  let lastMs = -1
  // the random part, as two numbers of 40 bits; `head` is all before the second one
  let high = 0
  let low = 0
  let head = ''
  const next = () => {
    if (++low < FORTY_BITS) return
    low = 0
    if (++high === FORTY_BITS) {
      high = 0
      lastMs++
    }
    head = encodeTime(lastMs) + encodeForty(high)
  }
  return (prefix) => {
    const ms = now()
    if (ms > lastMs) {
      lastMs = ms
      const bytes = random(RANDOM_BYTES)
      high = readForty(bytes, 0)
      low = readForty(bytes, 5)
      head = encodeTime(ms) + encodeForty(high)
    } else next() // two ids of the same millisecond keep their order
    return `${prefix}_${head}${encodeForty(low)}` as never
  }
}

/** Creation time of an id, milliseconds since the epoch. */
export function timeOfId(id: string): number {
  let ms = 0
  for (const digit of id.slice(-26, -16)) ms = ms * 32 + ALPHABET.indexOf(digit)
  return ms
}

/** The kind of an id; undefined if the text does not have the form of an id. */
export function idPrefix(text: string): IdPrefix | undefined {
  return ID_PATTERN.exec(text)?.[1] as IdPrefix | undefined
}

export function isId<P extends IdPrefix>(prefix: P, text: string): text is IdTypes[P] {
  return idPrefix(text) === prefix
}

function encodeTime(ms: number): string {
  return encodeTwenty(Math.floor(ms / FORTY_BITS)).slice(2) + encodeForty(ms % FORTY_BITS)
}

function readForty(bytes: Uint8Array, from: number): number {
  let value = 0
  for (let at = from; at < from + 5; at++) value = value * 256 + bytes[at]!
  return value
}

function encodeForty(value: number): string {
  return encodeTwenty(Math.floor(value / 2 ** 20)) + encodeTwenty(value % 2 ** 20)
}

function encodeTwenty(value: number): string {
  return DOUBLES[value >>> 10]! + DOUBLES[value & 1023]!
}
