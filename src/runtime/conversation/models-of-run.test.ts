import { expect, test } from 'vitest'
import { modelRequest } from '../../../test/support/model-request.ts'
import { finish, rawModel, said } from '../../../test/support/runtime-harness.ts'
import type { BranchId } from '../../core/ids.ts'
import { noSetup, type Run } from '../../core/run.ts'
import type { ModelRequest } from '../../model/port.ts'
import { modelsOfRun } from './models-of-run.ts'

test('a summary does not end where an answer of the run does', async () => {
  const requests: ModelRequest[] = []
  const model = rawModel(
    (_, request) => {
      requests.push(request)
      return [...said('x'), finish()]
    },
    { maxOutput: 5_000 },
  )
  const row = {
    model: 'mine/model',
    branchId: 'brn_1' as BranchId,
    setup: { ...noSetup, effort: 'low' },
  } as Run
  const settings = { temperature: 0.1, maxOutputTokens: 20, stopSequences: ['END'] }
  const { turns, aside } = modelsOfRun(model, { row }, settings)
  expect([turns.info.maxOutput, aside.info.maxOutput]).toEqual([20, 5_000])
  await turns.stream(modelRequest())
  await aside.stream(modelRequest({ maxOutputTokens: 900 }))
  const common = { temperature: 0.1, effort: 'low', cacheKey: 'brn_1' }
  expect(requests).toMatchObject([
    { ...common, maxOutputTokens: 20, stopSequences: ['END'] },
    { ...common, maxOutputTokens: 900 },
  ])
  expect(requests[1]!.stopSequences).toBeUndefined()
})
