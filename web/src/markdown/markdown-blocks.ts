import { lexer, type Token } from 'marked'

/** A block of a text, with the token that it was read as. The same block of a longer text is the same object. */
export interface Block {
  readonly raw: string
  readonly token: Token
}

/**
 * The blocks of a text. Given what the text was before, only what can have changed is read again: a text that grows by
 * a word costs its last block and not its length. Definitions of links that come later count from the next full reading.
 */
export function toBlocks(text: string, before: readonly Block[] = []): readonly Block[] {
  const kept = stillTrue(text, before)
  const from = kept.reduce((length, block) => length + block.raw.length, 0)
  return [...kept, ...read(text.slice(from))]
}

function read(text: string): Block[] {
  return lexer(text, { gfm: true }).map((token) => ({ raw: token.raw, token }))
}

/** All but the last two: a blank line and the block before it may still become one with what follows. */
function stillTrue(text: string, before: readonly Block[]): readonly Block[] {
  const kept: Block[] = []
  let at = 0
  for (const block of before.slice(0, -2)) {
    if (!text.startsWith(block.raw, at)) break
    kept.push(block)
    at += block.raw.length
  }
  return kept
}
