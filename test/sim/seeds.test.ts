import { expect, test } from 'vitest'
import { figuresText, runSeeds } from './run-seeds.ts'

const SEEDS = 10_000

test(`${SEEDS} worlds with crashes, errors and stopped processes keep every promise`, async () => {
  const figures = await runSeeds(1, SEEDS)
  process.stdout.write(`\n${figuresText(figures)}\n\n`)
  expect(figures.violations).toEqual([])
}, 1_500_000)
