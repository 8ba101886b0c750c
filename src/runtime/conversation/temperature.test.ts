import { expect, test } from 'vitest'
import { agent, harness } from '../../../test/support/runtime-harness.ts'

test('the temperature of an agent reaches every request of its runs, and of no other', async () => {
  const agents = [agent('main'), agent('explore', { temperature: 0 }), agent('general')]
  const ask = { tool: 'task', input: { prompt: 'look', subagent_type: 'explore' } }
  const h = harness({
    agents,
    script: { main: [{ toolCalls: [ask] }, { text: 'done' }], explore: [{ text: 'seen' }] },
  })
  expect(await h.run('go')).toMatchObject({ status: 'completed' })
  const asked = h.scripted.requests.map(({ agent: name, options }) => [name, options.temperature])
  expect(asked).toEqual([
    ['main', undefined],
    ['explore', 0],
    ['main', undefined],
  ])
})
