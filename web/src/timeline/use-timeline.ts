import { reduceTimeline, type Client, type Timeline } from 'offshoot/client'
import { useEffect, useState } from 'react'
import { useClient } from '../state/client.ts'
import { oncePerFrame } from '../state/frame-store.ts'

type Followed = Client extends { events(...args: never): AsyncIterable<infer F> } ? F : never
type Event = Extract<Followed, { type: 'events' }>['events'][number]

export interface Told {
  readonly timeline: Timeline
  /** What each run was asked, by its id. */
  readonly inputs: ReadonlyMap<string, string>
  /** Nothing more comes. */
  readonly error: unknown
}

const nothing: Told = { timeline: new Map(), inputs: new Map(), error: null }

/** What all runs of a conversation did when, from its first event on; kept up to date, once a frame at most. */
export function useTimeline(conversationId: string): Told {
  const client = useClient()
  const [told, setTold] = useState(nothing)
  useEffect(() => {
    const ending = new AbortController()
    let latest = nothing
    const frame = oncePerFrame(() => setTold(latest))
    const tell = (next: Told) => {
      latest = next
      frame.tell()
    }
    const follow = async () => {
      try {
        for await (const followed of client.events(conversationId, { signal: ending.signal }))
          if (followed.type === 'events') tell(followed.events.reduce(withEvent, latest))
      } catch (error) {
        if (!ending.signal.aborted) tell({ ...latest, error })
      }
    }
    void follow()
    return () => {
      ending.abort()
      frame.stop()
    }
  }, [client, conversationId])
  return told
}

function withEvent(told: Told, event: Event): Told {
  const timeline = reduceTimeline(told.timeline, event)
  const input = event.type.startsWith('run.') && 'input' in event ? event.input : undefined
  if (typeof input !== 'string' || event.runId === null || told.inputs.has(event.runId))
    return timeline === told.timeline ? told : { ...told, timeline }
  return { ...told, timeline, inputs: new Map(told.inputs).set(event.runId, input) }
}
