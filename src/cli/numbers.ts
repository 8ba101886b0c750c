import { InvalidArgumentError } from 'commander'

/** A whole number of at least 1, for an option. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new InvalidArgumentError('a whole number from 1 is expected.')
}
