/** An estimate: providers report the exact figures, and a tokenizer would cost 20 to 30 MB (docs/dependencies.md). */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / 4)
}
