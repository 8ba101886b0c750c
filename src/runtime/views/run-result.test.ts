import { expect, test } from 'vitest'
import type { RunId } from '../../core/ids.ts'
import { createMemoryStore } from '../../store/memory.ts'
import { readRunResult } from './run-result.ts'

const id = `run_${'0'.repeat(26)}` as RunId

test('of a run that was deleted with its conversation there is none', () => {
  expect(() => readRunResult(createMemoryStore(), id)).toThrow(
    expect.objectContaining({
      code: 'conflict',
      message: expect.stringContaining('was deleted in the meantime'),
    }),
  )
})
