import { MASK_CHAR } from './mask.ts'

/**
 * A text that a person has edited where it was shown masked: each mask that is still there stands for what it hides in
 * `original`, and what the person wrote counts as it is. A run of mask characters that hides nothing stays.
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

/** What each run of mask characters hides, in the order of the text. A mask is as long as what it hides. */
function hiddenIn(original: string, masked: string): string[] {
  return [...masked.matchAll(RUN)].map(({ index, 0: run }) => original.slice(index, index + run.length))
}
