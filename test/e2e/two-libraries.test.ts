import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createOffshoot, openSqliteStore, tool, type Offshoot } from '../../src/index.ts'
import { scriptedModel, type ScriptInput } from '../../src/testing.ts'
import { temporaryFolder, userEnvironment } from '../support/fresh-copy.ts'
import { StartedProgram } from '../support/started-program.ts'

const ROOT = join(import.meta.dirname, '../..')

let place: string
beforeAll(() => {
  place = temporaryFolder('two-libraries')
  mkdirSync(join(place, 'work'))
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

function open(store: string, text: string): Promise<Offshoot> {
  const model = scriptedModel({ agents: { main: [{ text, delayMs: 60_000 }, { text }] } })
  return createOffshoot({ directory: join(place, 'work'), store, model, env: { HOME: place } })
}

describe('two Offshoots on one file in one process', () => {
  it('one drives a conversation, the other reads it, and its verbs reach it', async () => {
    const file = join(place, 'one.db')
    await using first = await open(file, 'first')
    await using second = await open(file, 'second')
    const run = await (await first.chat()).send('go')
    const elsewhere = await second.chat({ conversationId: run.conversationId })
    await expect(elsewhere.send('and this')).rejects.toMatchObject({ code: 'conflict' })
    const seen = await second.runs.get(run.id)
    expect(seen).toMatchObject({ status: 'running', agent: 'main' })
    const events = Array.fromAsync(seen.events())
    expect(await second.steer(run.id, 'be short')).toMatchObject({ runId: run.id })
    expect(await seen.cancel()).toMatchObject({ outcome: 'cancelled' })
    expect(await run.result()).toMatchObject({ status: 'cancelled' })
    expect(await seen.result()).toMatchObject({ status: 'cancelled' })
    expect((await events).at(-1)).toMatchObject({ type: 'run.cancelled' })
    // now nobody drives it, and the second one may
    const next = await elsewhere.send('again')
    await next.interrupt()
    expect(await next.result()).toMatchObject({ status: 'paused' })
  })

  it('each takes up only what nobody drives', async () => {
    const file = join(place, 'two.db')
    await using first = await open(file, 'first')
    await using second = await open(file, 'second')
    const run = await (await first.chat()).send('go')
    expect(await second.recover()).toEqual([])
    expect((await second.runs.list()).map(({ id }) => id)).toEqual([run.id])
    await first.close()
    expect(await run.result()).toMatchObject({ status: 'paused', reason: 'restart' })
    const again = await second.continue(run.id)
    await again.cancel()
    expect(await again.result()).toMatchObject({ status: 'cancelled' })
  })
})

describe('a program that uses the library', () => {
  const env = () => ({ ...userEnvironment(join(place, 'home')), HOME: place })
  const program = (name: string, code: string) => {
    const file = join(place, name)
    const url = (path: string) => JSON.stringify(new URL(path, `file://${ROOT}/`).href)
    const head = `import { createOffshoot, tool } from ${url('src/index.ts')}\nimport { scriptedModel } from ${url('src/testing.ts')}\nimport { z } from ${url('node_modules/zod/index.js')}\n`
    writeFileSync(file, head + code)
    return new StartedProgram([process.execPath, file], { cwd: join(place, 'work'), env: env() })
  }
  const model = (entry: object) => `scriptedModel({ agents: { main: [${JSON.stringify(entry)}] } })`

  it('ends by itself when its runs have, without a call of close', async () => {
    const started = performance.now()
    const { code, stdout, stderr } = await program(
      'forgets.mjs',
      `const offshoot = await createOffshoot({ store: 'forgets.db', model: ${model({ text: 'done' })} })
const run = await (await offshoot.chat()).send('go')
console.log((await run.result()).text)
for await (const event of run.events()) if (event.type === 'run.started') break
run.events({ answers: true }).next()
console.log(process.listenerCount('SIGINT'), process.listenerCount('SIGTERM'), process.listenerCount('unhandledRejection'))`,
    ).ended
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'done\n0 0 0\n', stderr: '' })
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('a run that nobody awaits neither ends the program early nor keeps it', async () => {
    const { code, stdout, stderr } = await program(
      'ignores.mjs',
      `const offshoot = await createOffshoot({ store: 'ignores.db', model: ${model({ error: { status: 400 } })} })
await (await offshoot.chat()).send('go')
process.on('exit', () => console.log('ended'))`,
    ).ended
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'ended\n', stderr: '' })
  })

  it('what a killed one left another takes up, while a living one keeps its own', async () => {
    const file = join(place, 'work', 'left.db')
    const killed = program(
      'killed.mjs',
      `const die = tool({ name: 'die', description: 'dies', inputSchema: z.object({}), effects: 'none', execute: () => process.kill(process.pid, 'SIGKILL') })
const offshoot = await createOffshoot({ store: 'left.db', tools: [die], model: ${model({ toolCalls: [{ tool: 'die', input: {} }] })} })
await (await (await offshoot.chat()).send('go')).result()`,
    )
    expect((await killed.ended).signal).toBe('SIGKILL')
    await using offshoot = await open(file, 'taken up')
    const [left] = await offshoot.runs.list()
    expect(left).toMatchObject({ status: 'running' })
    await expect(left!.result()).rejects.toMatchObject({ code: 'conflict' })
    const recovered = await offshoot.recover({ policy: 'pause' })
    expect(recovered.map(({ id }) => id)).toEqual([left!.id])
    expect(await recovered[0]!.result()).toMatchObject({ status: 'paused', reason: 'restart' })
  })
  it('what it takes up is paused when it closes, and a question that waits keeps waiting', async () => {
    const ask = { name: 'ask', description: 'asks', inputSchema: z.object({}), execute: () => 'done' }
    const script = (entry: object) => ({ agents: { main: [entry, { text: 'end' }] } }) as ScriptInput
    const asks = script({ toolCalls: [{ tool: 'ask', input: {} }] })
    for (const [name, entry, status, dies] of [
      ['waits.db', asks, 'waiting', 'approval.requested'],
      ['works.db', script({ text: 'late', delayMs: 60_000 }), 'paused', 'run.started'],
    ] as const) {
      const started = program(
        `${name}.mjs`,
        `const ask = tool({ name: 'ask', description: 'asks', inputSchema: z.object({}), execute: () => 'done' })
const offshoot = await createOffshoot({ store: ${JSON.stringify(name)}, tools: [ask], model: scriptedModel(${JSON.stringify(entry)}) })
const run = await (await offshoot.chat()).send('go')
for await (const event of run.events({ answers: true })) if (event.type === '${dies}') process.kill(process.pid, 'SIGKILL')`,
      )
      expect((await started.ended).signal).toBe('SIGKILL')
      const store = await openSqliteStore({ file: join(place, 'work', name), now: Date.now })
      const options = {
        directory: join(place, 'work'),
        store,
        model: scriptedModel(entry),
        tools: [tool(ask)],
      }
      const offshoot = await createOffshoot({ ...options, env: { HOME: place } })
      const [run] = await offshoot.recover()
      const settled = status === 'waiting' ? 'waiting' : 'running'
      await expect.poll(async () => (await offshoot.runs.get(run!.id)).status).toBe(settled)
      await offshoot.close()
      expect(store.get('runs', run!.id)).toMatchObject({ status })
      expect(store.find('approvals', {}).map(({ answer }) => answer)).toEqual(
        status === 'waiting' ? [null] : [],
      )
      expect(store.find('leases', {})).toMatchObject([{ renewedAt: 0 }])
      await store.close()
    }
  })
})
