import { expect, test } from 'vitest'
import { agent, finish, harness, rawModel, said, tool } from '../../../../test/support/runtime-harness.ts'
import type { ModelRequest } from '../../../model/port.ts'

const outputSchema = {
  type: 'object',
  properties: { score: { type: 'integer' } },
  required: ['score'],
  additionalProperties: false,
}

async function schemasAsked(answers: readonly string[], tools: readonly string[]) {
  const requests: ModelRequest[] = []
  const model = rawModel((n, request) => {
    requests.push(request)
    return [...said(answers[n]!), finish()]
  })
  const scorer = agent('explore', { outputSchema, tools })
  const h = harness({ model, agents: [agent('main'), scorer], tools: [tool('read')] })
  const started = await h.spawn('rate', { agent: scorer, model: 'mine/model' })
  const result = await h.clock.until(started.result)
  return { result, asked: requests.map(({ answerSchema, callsFirst }) => ({ answerSchema, callsFirst })) }
}

test('an agent without tools is asked for its report in its schema', async () => {
  const { result, asked } = await schemasAsked(['{"score": 1}'], [])
  expect(result).toMatchObject({ status: 'completed', output: { score: 1 } })
  expect(asked).toEqual([{ answerSchema: outputSchema }])
})

test('one with tools may call them first, until its report has to be corrected', async () => {
  const { result, asked } = await schemasAsked(['good', '{"score": 1}'], ['read'])
  expect(result).toMatchObject({ status: 'completed', output: { score: 1 } })
  expect(asked).toEqual([{ answerSchema: outputSchema, callsFirst: true }, { answerSchema: outputSchema }])
})
