import { MASK_CHAR } from './mask.ts'

/**
 * Restores secrets in a text that a person edited while it was masked: each remaining mask gets its original text back
 * from `original`. A run of mask characters that hides nothing stays.
 */
export function restoreMasked(edited: string, original: string, mask: (text: string) => string): string {
  if (!edited.includes(MASK_CHAR)) return edited
  const left = hiddenIn(original, mask(original))
  return edited.replace(RUN, (run) => {
    const at = left.findIndex(({ length }) => length === run.length)
    if (at < 0) return run
    return left.splice(0, at + 1).at(-1)!
  })
}

const RUN = new RegExp(`${MASK_CHAR}+`, 'g')

/** The hidden text of each run of mask characters, in order. A mask is as long as its secret. */
function hiddenIn(original: string, masked: string): string[] {
  return [...masked.matchAll(RUN)].map(({ index, 0: run }) => original.slice(index, index + run.length))
}
