import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from '../play.ts'
import type { Served } from '../served.ts'
import type { World } from '../world.ts'
import { calls, say, task } from './words.ts'

const GUIDE = `---
name: guide
title: Guide
icon: ☼
description: Shows the way.
tools: [ask_user]
---
You show the way.
`

const SCRIPT = {
  main: [
    { ...calls(['ask_user', { question: 'Where to?', options: ['north', 'south'] }]), text: 'One question.' },
    calls(['write', { file_path: 'way.txt', content: 'north\n' }]),
    calls(task('guide', 'show it', { run_in_background: true })),
    say('The guide shows the way.'),
    say('To the north, then.'),
    calls(['ask_user', { question: 'Again, where to?' }]),
    say('It was the south.'),
    calls(['ask_user', { question: 'And now?' }]),
    say('Now it is over.'),
    say('Read.'),
  ],
  guide: [calls(['ask_user', { question: 'How far?' }]), say('As far as you like.'), say('Not far.')],
}

interface Ids {
  readonly conversationId: string
  readonly branchId: string
  readonly runId: string
}

/** A conversation that a server drives: every verb over HTTP, and what a client that is there all the time is told. */
export const http: Scenario = {
  name: 'http',
  async play(world) {
    mkdirSync(join(world.directory, '.offshoot/agents'), { recursive: true })
    writeFileSync(join(world.directory, '.offshoot/agents/guide.md'), GUIDE)
    const model = world.user.script(SCRIPT)
    await using served = await world.serve()
    const send = async (...[method, path, body]: Parameters<Served['send']>) => {
      const answer = await served.send(method, path, body)
      await world.until(() => isAtRest(world))
      await world.clock.advance(50)
      return answer as unknown as Ids & { readonly itemId: string }
    }
    const title = 'A way'
    const { conversationId: id, branchId } = await send('POST', '/conversations', { title, mode: 'ask' })
    const live = await served.listen(id)
    const first = await send('POST', `/branches/${branchId}/messages`, { text: 'Find a way.', model })
    await talk(send, branchId)
    await served.look('waiting', id)
    await answer(world, send, 'north')
    await served.look('asked', id)
    await decide(world, send, { answer: 'deny', note: 'write nothing', by: 'Ada' })
    await send('POST', `/runs/${first.runId}/pause`)
    await answer(world, send, 'far')
    await change(world, send, { id, branchId, model })
    await send('PATCH', `/conversations/${id}`, { title: 'A way to the south' })
    world.recording.text('live.sse', await live.stop())
    await remove(world, served, send)
    await served.get('about.http', [`/agents?conversation=${id}`, '/health', '/no/such/thing', '/runs/run_1'])
    await served.get('openapi.http', ['/openapi.json'])
    return id
  },
}

type Send = (...given: Parameters<Served['send']>) => Promise<Ids & { readonly itemId: string }>

/** Messages that wait: each is changed in another way. */
async function talk(send: Send, branchId: string): Promise<void> {
  const path = `/branches/${branchId}/messages`
  const one = await send('POST', path, { text: 'is it far?', mode: 'follow_up' })
  await send('PATCH', `/inbox/${one.itemId}`, { text: 'is it far away?' })
  const two = await send('POST', path, { text: 'is it steep?' })
  await send('PATCH', `/inbox/${two.itemId}`, { mode: 'steer' })
  await send('DELETE', `/inbox/${two.itemId}`)
  await send('POST', `/branches/${branchId}/steer`, { text: 'never mind the hills' })
  await send('DELETE', `/branches/${branchId}/inbox`)
  await send('POST', path, { text: 'hello?', mode: 'follow_up' })
}

interface Where {
  readonly id: string
  readonly branchId: string
  readonly model: string
}

/** Other ways, and their end. */
async function change(world: World, send: Send, { id, branchId, model }: Where): Promise<void> {
  const messages = world.store.find('messages', {
    where: { branchId: branchId as never },
    orderBy: 'position',
  })
  const asked = messages.find(({ role }) => role === 'user')!
  const said = messages.findLast(({ role }) => role === 'assistant')!
  const edited = await send('POST', `/messages/${asked.id}/edit`, { text: 'Find another way.', model })
  await send('POST', `/runs/${edited.runId}/interrupt`)
  await send('POST', `/runs/${edited.runId}/continue`, { text: 'go on' })
  await send('POST', `/messages/${said.id}/fork`, {})
  const again = await send('POST', `/messages/${said.id}/regenerate`, { model })
  await send('POST', `/branches/${branchId}/spawn`, {
    task: 'another way',
    agent: 'guide',
    label: 'a way',
    model,
  })
  await send('POST', `/branches/${again.branchId}/cancel`)
  await send('POST', `/conversations/${id}/pause`)
  await send('POST', `/conversations/${id}/close`)
}

/** A second conversation, which is deleted while somebody listens. */
async function remove(world: World, served: Served, send: Send): Promise<void> {
  const { conversationId } = await send('POST', '/conversations', { title: 'To be deleted' })
  const live = await served.listen(conversationId)
  await send('DELETE', `/conversations/${conversationId}`)
  world.recording.text('deleted.sse', await live.ended)
  await served.get('deleted.http', [`/conversations/${conversationId}`, '/conversations'])
}

async function answer({ store }: World, send: Send, text: string): Promise<void> {
  const [question] = store.find('questions', { where: { answeredAt: null }, orderBy: 'id' })
  await send('POST', `/questions/${question!.id}`, { text })
}

async function decide({ store }: World, send: Send, body: object): Promise<void> {
  const [approval] = store.find('approvals', { where: { answeredAt: null }, orderBy: 'id' })
  await send('POST', `/approvals/${approval!.id}`, body)
}

/** What goes on waits for people. */
function isAtRest({ store }: World): boolean {
  return (['queued', 'running'] as const).every((status) => store.count('runs', { status }) === 0)
}
