import { once } from '../once.ts'
import { spellings } from './secret-encodings.ts'
import type { SecretShape } from './shape.ts'
import { approvalShapes, secretShapes, WORD } from './secret-formats.ts'

/** Masks secrets in text: each character of one becomes `•`, so that offsets in the text stay what they are. */
export interface SecretMask {
  /** Shapes and known values; for what leaves the program. */
  text(text: string): string
  /** The same for what a person approves: no password in a URL hides what a shell would run. */
  approval(text: string): string
  /** Keys of providers, and known values that are no word alone: for what goes on to be worked with. */
  keys(text: string): string
  /** For a text that comes in pieces. */
  stream(): MaskStream
}

/** The pieces that it gives out are together the masked text, however the text is cut. */
export interface MaskStream {
  /** What can be told by now: the beginning of what may be a secret is held until that is decided. */
  push(piece: string): string
  /** The rest; the next piece begins another text. */
  end(): string
}

/** `values`: secrets that are known, such as the keys in the environment. */
export function createSecretMask(values: readonly string[] = []): SecretMask {
  const known = values.flatMap(spellings).map(valueShape)
  const all = once(() => createScanner([...known, ...secretShapes]))
  const asked = once(() => createScanner([...known, ...approvalShapes]))
  const sure = known.filter(({ value }) => isNoWord(value))
  const keys = once(() => createScanner([...sure, ...secretShapes.filter((shape) => shape.isKey)]))
  return {
    text: (text) => maskWhole(all(), text),
    approval: (text) => maskWhole(asked(), text),
    keys: (text) => maskWhole(keys(), text),
    stream: () => createStream(all()),
  }
}

/** A password may be a word; where text is worked with, that word has to stay what it is. */
function isNoWord(value: string): boolean {
  return value.length >= 16 || (/\d/.test(value) && /[a-z]/i.test(value))
}

/** What there is without known values. */
export const shapeMask: SecretMask = createSecretMask()

export const MASK_CHAR = '•'

const VALUE_ANCHOR = 8

function valueShape(value: string): SecretShape & { readonly value: string } {
  const never = /$^/y
  return {
    anchors: [value.slice(0, VALUE_ANCHOR)],
    value,
    full: never,
    alive: never,
    notAfter: never,
    isKey: true,
  }
}

type AnyShape = SecretShape & { readonly value?: string }

interface Candidate {
  readonly shape: AnyShape
  readonly length: number
}

interface Scanner {
  readonly anchor: RegExp
  /** The shapes that may begin where an anchor stands, those of known values first. */
  candidatesOf(anchor: string): readonly Candidate[]
  /** The beginnings of all anchors, whether they begin only with a word; and the length of the longest. */
  readonly beginnings: () => ReadonlyMap<string, boolean>
  readonly longest: number
}

/** Every start makes one and few texts hold an anchor: what belongs to one is made when it is found. */
function createScanner(all: readonly AnyShape[]): Scanner {
  const anchors = [...new Set(all.flatMap((shape) => shape.anchors))].sort((a, b) => b.length - a.length)
  const found = new Map<string, readonly Candidate[]>()
  return {
    anchor: new RegExp(anchors.map((text) => RegExp.escape(text)).join('|'), 'g'),
    candidatesOf(anchor) {
      const known = found.get(anchor) ?? candidatesOf(all, anchor)
      found.set(anchor, known)
      return known
    },
    beginnings: once(() => beginningsOf(all)),
    longest: Math.max(...anchors.map(({ length }) => length)) - 1,
  }
}

function candidatesOf(all: readonly AnyShape[], anchor: string): readonly Candidate[] {
  return all.flatMap((shape) =>
    shape.anchors.filter((each) => anchor.startsWith(each)).map((each) => ({ shape, length: each.length })),
  )
}

function beginningsOf(all: readonly AnyShape[]): ReadonlyMap<string, boolean> {
  const beginnings = new Map<string, boolean>()
  for (const { anchors, notAfter } of all) {
    const beginsWord = ['a', 'A', '0'].every((char) => notAfter.test(char))
    for (const each of anchors)
      for (let end = 1; end < each.length; end++) {
        const start = each.slice(0, end)
        beginnings.set(start, beginsWord && (beginnings.get(start) ?? true))
      }
  }
  return beginnings
}

function maskWhole(scanner: Scanner, text: string): string {
  return scan(scanner, text, 0, true).masked
}

interface Scanned {
  readonly masked: string
  /** How far the text is masked. */
  readonly end: number
  /** The text ends within a secret: more of it. */
  readonly more?: RegExp | undefined
}

/** Masks what is behind `from`; what is before it was masked, and is looked at for what may stand before a secret. */
function scan(scanner: Scanner, text: string, from: number, isWhole: boolean): Scanned {
  let masked = ''
  let end = from
  /** Where a secret has ended: what follows begins anew, as it does when the masked text is masked again. */
  let clear = -1
  for (let at = from; ;) {
    const found = nextAnchor(scanner, text, at)
    if (!found) break
    const judged = judge(scanner.candidatesOf(found[0]), {
      text,
      at: found.index,
      isWhole,
      isClear: found.index === clear,
    })
    if (judged === 'open') {
      // a longer anchor may have begun before: `&access_token=` where `token` is open
      const stop = Math.min(found.index, holdFrom(scanner, text, end))
      return { masked: masked + text.slice(end, stop), end: stop }
    }
    if (judged === undefined) {
      at = found.index + 1
      continue
    }
    // what leads to it may hold another one: `https://ghp_…:x-oauth-basic@` has a key before its password
    const before = scan(scanner, text.slice(0, judged.start), found.index, true).masked
    masked += text.slice(end, found.index) + before + covered(text.slice(judged.start, judged.end))
    at = end = clear = judged.end
    if (end === text.length && !isWhole && judged.more) return { masked, end, more: judged.more }
  }
  const stop = isWhole ? text.length : holdFrom(scanner, text, end)
  if (end === 0 && stop === text.length) return { masked: text, end: stop }
  return { masked: masked + text.slice(end, stop), end: stop }
}

function nextAnchor({ anchor }: Scanner, text: string, at: number): RegExpExecArray | null {
  anchor.lastIndex = at
  return anchor.exec(text)
}

interface Found {
  readonly start: number
  readonly end: number
  readonly more?: RegExp | undefined
}

/** Where an anchor stands. */
interface Spot {
  readonly text: string
  readonly at: number
  /** Whether no more of the text comes. */
  readonly isWhole: boolean
  /** Whether a secret ends right before it. */
  readonly isClear: boolean
}

/** `open`: more of the text decides. */
function judge(candidates: readonly Candidate[], spot: Spot): Found | 'open' | undefined {
  for (const candidate of candidates) {
    const found = judgeOne(candidate, spot)
    if (found) return found
  }
  return undefined
}

function judgeOne(
  { shape, length }: Candidate,
  { text, at, isWhole, isClear }: Spot,
): Found | 'open' | undefined {
  if (shape.value !== undefined) return judgeValue(shape.value, text, at, isWhole)
  if (!isClear && stands(shape.notAfter, text, at)) return undefined
  const { full, alive, more, window } = shape
  const start = at + length
  const isOpen = () => {
    alive.lastIndex = start
    return !isWhole && alive.test(text)
  }
  if (shape.grows && isOpen()) return 'open'
  const from = window === undefined ? text : text.slice(0, at + window)
  full.lastIndex = start
  const match = full.exec(from)
  if (!match) return isOpen() ? 'open' : undefined
  const end = start + match[0].length
  if (window !== undefined && !isWhole && from === text && text.length - end < LOOKAHEAD) return 'open'
  return { start: start + match[1]!.length, end, more }
}

/** What a shape with a window looks at behind its end, at most. */
const LOOKAHEAD = 64

function judgeValue(value: string, text: string, at: number, isWhole: boolean): Found | 'open' | undefined {
  if (text.startsWith(value, at)) return { start: at, end: at + value.length }
  const isCut = !isWhole && text.length - at < value.length
  return isCut && value.startsWith(text.slice(at)) ? 'open' : undefined
}

/** The end of an escape sequence, of a terminal or in JSON, is no part of the word behind it. */
const ESCAPE_END = /(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|[\u001b\u241b]\[[\d;]{0,12}[A-Za-z])$/
const CONTEXT_CHARS = 16

function stands(notAfter: RegExp, text: string, at: number): boolean {
  if (at === 0 || !notAfter.test(text[at - 1]!)) return false
  return !ESCAPE_END.test(text.slice(Math.max(0, at - CONTEXT_CHARS), at))
}

/** Where the longest end of the text begins that may be the beginning of an anchor. */
function holdFrom({ beginnings, longest }: Scanner, text: string, end: number): number {
  for (let at = Math.max(end, text.length - longest); at < text.length; at++) {
    const beginsWord = beginnings().get(text.slice(at))
    if (beginsWord === undefined) continue
    if (!beginsWord || at === end || !stands(WORD, text, at)) return at
  }
  return text.length
}

/** White space stays: lines stay lines. */
function covered(secret: string): string {
  return /\s/.test(secret) ? secret.replace(/\S/g, MASK_CHAR) : MASK_CHAR.repeat(secret.length)
}

function createStream(scanner: Scanner): MaskStream {
  let context = ''
  let held = ''
  let more: RegExp | undefined
  const push = (piece: string, isWhole: boolean): string => {
    const swallowed = more ? lengthOf(more, piece) : 0
    if (swallowed < piece.length) more = undefined
    const rest = piece.slice(swallowed)
    const before = swallowed > 0 ? MASK_CHAR : context
    const text = before + held + rest
    const scanned = scan(scanner, text, before.length, isWhole)
    if (rest !== '') more = scanned.more
    held = text.slice(scanned.end)
    context = (before + scanned.masked).slice(-CONTEXT_CHARS)
    return MASK_CHAR.repeat(swallowed) + scanned.masked
  }
  return {
    push: (piece) => (piece === '' ? '' : push(piece, false)),
    end() {
      const rest = push('', true)
      context = held = ''
      more = undefined
      return rest
    },
  }
}

function lengthOf(chars: RegExp, text: string): number {
  chars.lastIndex = 0
  return chars.exec(text)?.[0].length ?? 0
}
