import type { Usage } from '../../core/usage.ts'

/** Tokens that count against a cap: input, cached or not, and output. */
export function tokensOf({ input, output }: Usage): number {
  return input + output
}

export function tokensReached(used: number, cap: number | null, whose = ''): string | undefined {
  return cap === null || used < cap ? undefined : `${count(used)} of ${whose}${count(cap)} tokens are used`
}

export function count(tokens: number): string {
  return Math.floor(tokens).toLocaleString('en-US')
}
