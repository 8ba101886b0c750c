import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import type { StartedProgram } from '../support/started-program.ts'
import type { Sent, ToldEvent } from './check.ts'
import { between, pick } from './random.ts'
import { BUDGET } from './story.ts'
import { MODEL, type World } from './world.ts'

const LOOK_MS = 50

/** A message under an Idempotency-Key. */
export interface Posted {
  readonly key: string
  readonly sent: Sent
  /** Of the first answer. */
  itemId?: string
}

export interface Served {
  /** What a conversation begins with, while there is none. */
  readonly opening: string
  readonly conversation: () => string | undefined
  readonly isQuiet: () => boolean
  /** Whether the main run has paused: by a signal, or because the money has run out. */
  readonly isPaused: () => boolean
  readonly random: () => number
  /** All that was posted, to the servers before too. */
  readonly posted: Posted[]
  readonly violation: (text: string) => void
}

/**
 * What a person at the page does: begins the conversation, reads its events, posts messages, some of them again, and ends
 * the program when all is quiet. Settles when the program has ended, in whatever way.
 */
export async function attendServer(world: World, program: StartedProgram, served: Served): Promise<void> {
  const ended = new AbortController()
  const over = program.ended.then(() => ended.abort())
  const { signal } = ended
  try {
    await program.untilStdout('\n')
    const url = /listening on (\S+)/.exec(program.stdout)![1]!
    const api = await apiOf(world, url, signal)
    const id = served.conversation() ?? (await begin(api, served.opening))
    const answer = await api(`/conversations/${id}/events?after=0`)
    const reads = readEvents(world, answer).catch(() => {}) // killed meanwhile, as below
    await postMessages(world, api, id, served)
    while (!served.isQuiet()) {
      if (served.isPaused()) await goOn(world, api, id)
      await setTimeout(LOOK_MS, undefined, { signal })
    }
    program.kill('SIGTERM')
    await reads
  } catch {
    // it was killed, or could not take the conversation: the next program goes on
    if (!signal.aborted) program.kill('SIGTERM')
  }
  await over
}

/** First again what the server before was told, as somebody does who has heard nothing; then something new. */
async function postMessages(world: World, api: Api, id: string, served: Served): Promise<void> {
  const { random, posted } = served
  const branch = mainBranch(world, id)
  const post = (each: Posted) => postOnce(world, api, branch, each, served.violation)
  for (const each of posted) if (random() < 0.7) await post(each)
  for (let left = between(random, 0, 3); left > 0; left--) {
    const text = `Post ${posted.length + 1} of ${between(random, 100_000, 999_999)}.`
    const each: Posted = { key: `key-${text.replaceAll(/\W/g, '')}`, sent: world.send(text, false) }
    posted.push(each)
    const times = pick(random, [1, 1, 2, 3])
    await Promise.all(Array.from({ length: times }, () => post(each)))
    await setTimeout(between(random, 0, 300))
  }
}

/** What a server that ends over it answers is nothing; later the effect of that key is not known, and it is refused. */
async function postOnce(
  world: World,
  api: Api,
  branch: string,
  each: Posted,
  violation: (text: string) => void,
): Promise<void> {
  const { text } = each.sent
  const answer = await api(`/branches/${branch}/messages`, { text, model: MODEL }, each.key)
  if (answer.status === 409) return
  const { itemId } = (await answer.json()) as { readonly itemId: string | null }
  if (itemId === null) return violation(`D1: "${text}" was answered with no id`)
  if (each.itemId !== undefined && each.itemId !== itemId)
    violation(`D1: "${text}" was answered with ${each.itemId} and ${itemId}`)
  if (each.itemId !== undefined) return
  each.itemId = itemId
  each.sent.toldAt = Date.now()
  world.acknowledged.push({ type: 'message', id: itemId, text })
}

/** What has paused goes on, with money enough; somebody else may be quicker. */
async function goOn(world: World, api: Api, id: string): Promise<void> {
  const key = `continue-${randomUUID()}`
  await api(`/branches/${mainBranch(world, id)}/continue`, { budgetUsd: BUDGET.enough }, key)
}

function mainBranch({ user }: World, id: string): string {
  const db = new DatabaseSync(user.database, { readOnly: true, timeout: 5_000 })
  try {
    const sql = `SELECT id FROM branches WHERE conversation_id = ? AND kind = 'main'`
    return String(db.prepare(sql).get(id)!['id'])
  } finally {
    db.close()
  }
}

/** @throws Error for an answer that is neither good nor 409 */
type Api = (path: string, body?: object, key?: string) => Promise<Response>

async function apiOf(world: World, url: string, signal: AbortSignal): Promise<Api> {
  const token = readFileSync(join(world.user.home, 'token'), 'utf8').trim()
  const common = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (path, body, key) => {
    const how = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const headers = key === undefined ? common : { ...common, 'idempotency-key': key }
    const answer = await fetch(`${url}/api${path}`, { ...how, headers, signal })
    if (!answer.ok && !(key !== undefined && answer.status === 409))
      throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
}

async function begin(api: Api, text: string): Promise<string> {
  const answer = await api('/conversations', { text, model: MODEL })
  return ((await answer.json()) as { readonly conversationId: string }).conversationId
}

/** Durable ones have an id; a frame that was cut by a kill was told to nobody. */
async function readEvents({ streamed }: World, { body }: Response): Promise<void> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of body!) {
    held += decoder.decode(chunk as Uint8Array, { stream: true })
    const frames = held.split('\n\n')
    held = frames.pop()!
    for (const frame of frames.filter((each) => each.startsWith('id: ')))
      streamed.push(JSON.parse(/^data: (.*)$/m.exec(frame)![1]!) as ToldEvent)
  }
}
