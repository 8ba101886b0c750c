import { lexer, type Token } from 'marked'

/** A block of a text with its token. Unchanged blocks of a growing text keep their identity. */
export interface Block {
  readonly raw: string
  readonly token: Token
}

/**
 * Splits a text into blocks. With the previous text, parses only what can have changed: a new word costs its last
 * block, not the whole text. Later link definitions apply from the next full parse.
 */
export function toBlocks(text: string, before: readonly Block[] = []): readonly Block[] {
  const kept = stillTrue(text, before)
  const from = kept.reduce((length, block) => length + block.raw.length, 0)
  return [...kept, ...read(text.slice(from))]
}

function read(text: string): Block[] {
  return lexer(text, { gfm: true }).map((token) => ({ raw: token.raw, token }))
}

/** All except the last two: a blank line and the block before it may still join later text. */
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
