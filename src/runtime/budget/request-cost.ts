import { assumedOutputTokens } from '../../core/limits.ts'
import type { RequestEstimate } from '../../loop/ports.ts'

/** Shortest useful answer: with less left, no request is made. Tokens. */
const LEAST_OUTPUT = 256
/** With less left, the request first waits for others to end. Tokens. */
const FAIR_OUTPUT = 4_096

/** At list price, in dollars. */
export interface RequestCost {
  readonly inputUsd: number
  readonly outputUsdPerToken: number
  /** Tokens of the answer. */
  readonly most: number
  readonly fair: number
  readonly least: number
}

/** Maximum cost of a request, without any cached input. */
export function requestCost({ input, maxOutput, price }: RequestEstimate): RequestCost {
  const rate = price?.long && input > price.long.overTokens ? price.long : price
  const perToken = (usdPerMillion = 0) => usdPerMillion / 1_000_000
  const most = maxOutput ?? assumedOutputTokens
  return {
    inputUsd: input * perToken(Math.max(rate?.input ?? 0, rate?.cacheWrite ?? 0)),
    outputUsdPerToken: perToken(rate?.output),
    most,
    fair: Math.min(most, FAIR_OUTPUT),
    least: Math.min(most, LEAST_OUTPUT),
  }
}

/** How long an answer may be, with so much money and so many tokens for the request. Less than 0: its input is too large. */
export function affordableOutput(
  { inputUsd, outputUsdPerToken, most }: RequestCost,
  input: number,
  usd: number,
  tokens: number,
): number {
  const money = usd - inputUsd + DUST_USD
  const paid = money < 0 ? -1 : outputUsdPerToken > 0 ? Math.floor(money / outputUsdPerToken) : Infinity
  return Math.min(most, paid, Math.floor(tokens - input))
}

/** Sums of dollars are not exact. */
const DUST_USD = 1e-9
