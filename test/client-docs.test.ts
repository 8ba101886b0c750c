import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { openConversationView, type ConversationView } from '../src/client/conversation-view.ts'
import { shownMessages } from '../src/client/reduce-messages.ts'
import { ServedUser } from './support/served-user.ts'
import { StartedProgram } from './support/started-program.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = readFileSync(join(ROOT, 'docs/client.md'), 'utf8')

let served: ServedUser
beforeAll(async () => void (served = await ServedUser.start()))
afterAll(() => served.remove())

const task = { tool: 'task', input: { subagent_type: 'explore', prompt: 'Look.' } }
const script = {
  main: [{ toolCalls: [task] }, { text: 'There are two.' }],
  explore: [{ text: 'Found.', delayMs: 200 }],
}

it('shows a program that does what stands beside it', async () => {
  const [, code = ''] = /^```ts\n([^]*?)^```/m.exec(PAGE)!
  const model = served.user.script(script)
  const here = code
    .replace(`'offshoot/client'`, `'${join(ROOT, 'src/client/index.ts')}'`)
    .replace('http://127.0.0.1:4680', served.server.url)
    .replace(`text: 'Map the parser.'`, `text: 'Map the parser.', model: '${model}'`)
  const file = join(served.user.root, 'snippet.mts')
  writeFileSync(file, here)
  const env = { ...served.user.env, OFFSHOOT_TOKEN: served.token }
  const {
    code: exit,
    stdout,
    stderr,
  } = await new StartedProgram([process.execPath, file], { cwd: served.user.directory, env }).ended
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(stdout).toContain('explore Running')
  expect(stdout).toContain(`text: 'There are two.'`)
})

it('keeps a conversation up to date over the wire', async () => {
  const { conversationId, branchId } = await served.begin(script)
  const client = createClient({ baseUrl: served.server.url, token: served.token })
  const view = openConversationView(client, conversationId)
  await view.loadBranch(branchId)
  await until(view, ({ state }) => state!.runs[state!.latestRuns[branchId as never]!]?.status === 'completed')
  const messages = shownMessages(view.state!.branches[branchId as never]!)
  expect(messages.at(-1)?.parts).toMatchObject([{ type: 'text', text: 'There are two.' }])
  const { runs, totals, toasts } = view.state!
  expect([Object.values(runs).length, totals.runs, toasts.length]).toEqual([2, 2, 1])
  await client.deleteConversation({ id: conversationId })
  await until(view, ({ connection }) => connection.status === 'ended')
})

function until(view: ConversationView, fits: (view: ConversationView) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => void (fits(view) && resolve())
    view.subscribe(look)
    look()
  })
}
