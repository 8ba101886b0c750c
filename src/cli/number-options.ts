import { InvalidArgumentError } from 'commander'

/** A sum of money from 0, for an option. */
export function parseDollars(text: string): number {
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && Number.isFinite(Number(text))) return Number(text)
  throw new InvalidArgumentError('Expected US dollars, such as 5 or 0.25.')
}

/** A whole number of at least 1, for an option. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new InvalidArgumentError('Expected a whole number, 1 or more.')
}
