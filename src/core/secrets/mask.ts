import { once } from '../once.ts'
import { spellings } from './secret-encodings.ts'
import type { SecretShape } from './shape.ts'
import { approvalShapes, secretShapes, WORD } from './secret-formats.ts'

/** Masks secrets in text: each character becomes `•`, so that offsets stay valid. */
export interface SecretMask {
  /** Masks formats and known values, in everything that leaves the program. */
  text(text: string): string
  /** The same for text that a person approves: a URL password must not hide shell commands. */
  approval(text: string): string
  /** Masks provider keys, and known values that are not plain words: for text that work continues with. */
  keys(text: string): string
  /** Masks a text that arrives in pieces. */
  stream(): MaskStream
}

/** Its output joined equals the masked text, however the input is cut. */
export interface MaskStream {
  /** Returns what is final: a possible start of a secret is held back until it is decided. */
  push(piece: string): string
  /** Returns the rest; the next piece starts another text. */
  end(): string
}

/** `values`: known secrets, such as keys in the environment. */
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

/** A password may be a plain word, which must stay intact in working text. */
function isNoWord(value: string): boolean {
  return value.length >= 16 || (/\d/.test(value) && /[a-z]/i.test(value))
}

/** The masker without known values. */
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
  /** The formats that may start at an anchor, those of known values first. */
  candidatesOf(anchor: string): readonly Candidate[]
  /** The anchors' prefixes, whether they must start a word, and the longest length. */
  readonly beginnings: () => ReadonlyMap<string, boolean>
  readonly longest: number
}

/** Compiled on first use: every start creates a masker, but few texts contain an anchor. */
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
  /** End of the masked part. */
  readonly end: number
  /** The text ends inside a secret: the rest may follow. */
  readonly more?: RegExp | undefined
}

/** Masks the text after `from`; the text before it is already masked and serves as context. */
function scan(scanner: Scanner, text: string, from: number, isWhole: boolean): Scanned {
  let masked = ''
  let end = from
  /** End of a secret: matching restarts behind it, as when the masked text is masked again. */
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
      // a longer anchor may have started earlier: `&access_token=` where `token` is open
      const stop = Math.min(found.index, holdFrom(scanner, text, end))
      return { masked: masked + text.slice(end, stop), end: stop }
    }
    if (judged === undefined) {
      at = found.index + 1
      continue
    }
    // its prefix may contain another secret: `https://ghp_…:x-oauth-basic@` has a key before its password
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

/** Position of an anchor. */
interface Spot {
  readonly text: string
  readonly at: number
  /** Whether the text is complete. */
  readonly isWhole: boolean
  /** Whether a secret ends directly before it. */
  readonly isClear: boolean
}

/** `open`: the decision needs more text. */
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

/** Most characters that a windowed format checks behind its end. */
const LOOKAHEAD = 64

function judgeValue(value: string, text: string, at: number, isWhole: boolean): Found | 'open' | undefined {
  if (text.startsWith(value, at)) return { start: at, end: at + value.length }
  const isCut = !isWhole && text.length - at < value.length
  return isCut && value.startsWith(text.slice(at)) ? 'open' : undefined
}

/** The end of an escape sequence, of a terminal or in JSON, is not part of the next word. */
const ESCAPE_END = /(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|[\u001b\u241b]\[[\d;]{0,12}[A-Za-z])$/
const CONTEXT_CHARS = 16

function stands(notAfter: RegExp, text: string, at: number): boolean {
  if (at === 0 || !notAfter.test(text[at - 1]!)) return false
  return !ESCAPE_END.test(text.slice(Math.max(0, at - CONTEXT_CHARS), at))
}

/** Start of the longest suffix that may begin an anchor. */
function holdFrom({ beginnings, longest }: Scanner, text: string, end: number): number {
  for (let at = Math.max(end, text.length - longest); at < text.length; at++) {
    const beginsWord = beginnings().get(text.slice(at))
    if (beginsWord === undefined) continue
    if (!beginsWord || at === end || !stands(WORD, text, at)) return at
  }
  return text.length
}

/** White space stays, so that lines stay lines. */
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
