import { describe, expect, test } from 'vitest'
import { slow, stage, type Staged } from '../../../test/support/stage.ts'

const workspace = {
  root: '/w',
  resolve: (path: string) => ({ absolute: `/w/${path}`, relative: path, outside: false, guarded: null }),
}

type Working = Awaited<ReturnType<Staged['start']>>

/** A main run that is asked for its answer. */
async function working() {
  const h = stage({ main: [slow('never', 90_000), { text: 'end' }] })
  const started = await h.start('go')
  await h.clock.settle()
  return { h, started, row: () => h.store.get('runs', started.runId)! }
}

const told = (h: Staged) => h.store.find('inbox', {}).map(({ text }) => text)

function send(
  h: Staged,
  { conversationId, branchId }: Working,
  order: { agent?: string; model?: string; maxTurns?: number },
) {
  const about = { conversationId, branchId, text: 'more', mode: 'follow_up', systemText: () => '' } as const
  return h.clock.until(h.runtime.sendMessage({ ...about, workspace, ...order }))
}

describe('a run that has not stopped', () => {
  test('takes no message that names another model or turns', async () => {
    const { h, started, row } = await working()
    const { branchId } = started
    await expect(send(h, started, { model: 'scripted:other' })).rejects.toMatchObject({
      code: 'conflict',
      message: `${branchId} is running and keeps its model ${row().model}: scripted:other would have no effect`,
      hint: 'leave out -m (model), or wait until that run has ended',
    })
    await expect(send(h, started, { model: 'scripted:other', maxTurns: 3 })).rejects.toMatchObject({
      message: `${branchId} is running and keeps its model ${row().model} and its turns: scripted:other and 3 turns would have no effect`,
      hint: 'leave out -m (model) and --max-turns (maxTurns), or wait until that run has ended',
    })
    expect(told(h)).toEqual([])
    await send(h, started, { model: row().model })
    expect(told(h)).toEqual(['more'])
    started.stop('cancel')
    await h.clock.until(started.result)
  })

  test('is not continued with other turns', async () => {
    const { h, started } = await working()
    const { conversationId, branchId } = started
    await expect(h.clock.until(h.continue(branchId, { text: 'more', maxTurns: 3 }))).rejects.toMatchObject({
      code: 'conflict',
      message: `${branchId} is running and keeps its turns: 3 turns would have no effect`,
    })
    const command = { verb: 'continue', target: branchId, args: { text: 'more', maxTurns: 3 } } as const
    await expect(h.clock.until(h.perform(conversationId, command))).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(told(h)).toEqual([])
    started.stop('cancel')
    await h.clock.until(started.result)
  })

  test('is not continued with other settings', async () => {
    const { h, started } = await working()
    const { conversationId, branchId } = started
    const settings = { temperature: 0.5 }
    const refused = {
      code: 'conflict',
      message: `${branchId} is running and keeps its settings: temperature would have no effect`,
      hint: 'leave out --set (settings), or wait until that run has ended',
    }
    await expect(h.clock.until(h.continue(branchId, { text: 'more', settings }))).rejects.toMatchObject(
      refused,
    )
    const command = { verb: 'continue', target: branchId, args: { text: 'more', settings } } as const
    await expect(h.clock.until(h.perform(conversationId, command))).rejects.toMatchObject(refused)
    expect(told(h)).toEqual([])
    started.stop('cancel')
    await h.clock.until(started.result)
  })
})

test('a paused run keeps its agent and its model, and takes more turns', async () => {
  const { h, started, row } = await working()
  started.stop('pause')
  await h.clock.until(started.result)
  await expect(send(h, started, { model: 'scripted:other' })).rejects.toMatchObject({
    code: 'conflict',
    hint: 'leave out -m (model), or continue it with the model, or cancel that run first',
  })
  await expect(send(h, started, { agent: 'general' })).rejects.toMatchObject({
    code: 'conflict',
    message: `${started.branchId} is paused and keeps its agent main: general would have no effect`,
    hint: 'leave out --agent (agent), or cancel that run first',
  })
  const { turns } = row()
  const sent = await send(h, started, { maxTurns: 3 })
  expect(row().limits.maxTurns).toBe(turns + 3)
  await h.clock.until(sent.started!.result)
})
