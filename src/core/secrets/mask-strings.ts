import { idPrefix } from '../ids.ts'

/**
 * Masks every string of a value, including keys; returns the same object if nothing changes. Values below a key of
 * `kept` stay, and text for an approval is masked with `approval`.
 */
export function maskStrings<T>(value: T, mask: Mask, { kept = NONE, approval = mask }: MaskOptions = {}): T {
  return masked(value, mask, { kept, approval }) as T
}

type Mask = (text: string) => string
const NONE: ReadonlySet<string> = new Set()

interface MaskOptions {
  readonly kept?: ReadonlySet<string>
  readonly approval?: Mask
}

type Fields = Readonly<Record<string, unknown>>

function masked(value: unknown, mask: Mask, options: Required<MaskOptions>): unknown {
  if (typeof value === 'string') return mask(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return maskedList(value, mask, options)
  const fields = value as Fields
  const own = isApproval(fields) ? options.approval : mask
  const entries = Object.entries(fields)
  const after = entries.map(([key, each]) => {
    const isKept = options.kept.has(key) || isOpaque(fields, key)
    return [mask(key), isKept ? each : masked(each, own, options)]
  })
  const isSame = after.every(([key, each], i) => key === entries[i]![0] && each === entries[i]![1])
  return isSame ? value : Object.fromEntries(after)
}

function maskedList(
  list: readonly unknown[],
  mask: Mask,
  options: Required<MaskOptions>,
): readonly unknown[] {
  const copy = list.map((each) => masked(each, mask, options))
  return copy.some((each, i) => each !== list[i]) ? copy : list
}

/** An approval row, or the event that asks. */
function isApproval({ id, type }: Fields): boolean {
  return type === 'approval.requested' || (typeof id === 'string' && idPrefix(id) === 'apr')
}

const PARTS: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool-call'])

/** Base64 files and provider signatures: not text, and useless once changed. */
function isOpaque(fields: Fields, key: string): boolean {
  if (key === 'data') return typeof fields['mediaType'] === 'string'
  return key === 'metadata' && PARTS.has(fields['type'])
}
