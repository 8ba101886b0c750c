import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { StartedProgram } from '../support/started-program.ts'
import type { ToldEvent } from './check.ts'
import { MODEL, type World } from './world.ts'

const LOOK_MS = 50

export interface Served {
  /** What a conversation begins with, while there is none. */
  readonly opening: string
  readonly conversation: () => string | undefined
  readonly isQuiet: () => boolean
}

/**
 * What a person at the page does: begins the conversation, reads its events, and ends the program when all is quiet.
 * Settles when the program has ended, in whatever way.
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
    while (!served.isQuiet()) await setTimeout(LOOK_MS, undefined, { signal })
    program.kill('SIGTERM')
    await reads
  } catch {
    // it was killed, or could not take the conversation: the next program goes on
    if (!signal.aborted) program.kill('SIGTERM')
  }
  await over
}

type Api = (path: string, body?: object) => Promise<Response>

async function apiOf(world: World, url: string, signal: AbortSignal): Promise<Api> {
  const token = readFileSync(join(world.user.home, 'token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (path, body) => {
    const how = body ? { method: 'POST', body: JSON.stringify(body) } : {}
    const answer = await fetch(`${url}/api${path}`, { ...how, headers, signal })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
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
