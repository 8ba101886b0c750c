import { reduceTimeline, type Client, type Timeline } from 'offshoot/client'
import { useEffect, useState } from 'react'
import { useClient } from '../state/client.ts'
import { oncePerFrame } from '../state/once-per-frame.ts'

type Followed = Client extends { events(...args: never): AsyncIterable<infer F> } ? F : never
type Event = Extract<Followed, { type: 'events' }>['events'][number]

export interface TimelineState {
  readonly timeline: Timeline
  /** The input of each run, by run id. */
  readonly inputs: ReadonlyMap<string, string>
  /** Set when the event stream has failed for good. */
  readonly error: unknown
}

const nothing: TimelineState = { timeline: new Map(), inputs: new Map(), error: null }

/** Builds the timeline of a conversation from its first event on, and updates it at most once per frame. */
export function useTimeline(conversationId: string): TimelineState {
  const client = useClient()
  const [state, setTold] = useState(nothing)
  useEffect(() => {
    const ending = new AbortController()
    let latest = nothing
    const frame = oncePerFrame(() => setTold(latest))
    const publish = (next: TimelineState) => {
      latest = next
      frame.notify()
    }
    const follow = async () => {
      try {
        for await (const followed of client.events(conversationId, { signal: ending.signal }))
          if (followed.type === 'events') publish(followed.events.reduce(withEvent, latest))
      } catch (error) {
        if (!ending.signal.aborted) publish({ ...latest, error })
      }
    }
    void follow()
    return () => {
      ending.abort()
      frame.stop()
    }
  }, [client, conversationId])
  return state
}

function withEvent(state: TimelineState, event: Event): TimelineState {
  const timeline = reduceTimeline(state.timeline, event)
  const input = event.type.startsWith('run.') && 'input' in event ? event.input : undefined
  if (typeof input !== 'string' || event.runId === null || state.inputs.has(event.runId))
    return timeline === state.timeline ? state : { ...state, timeline }
  return { ...state, timeline, inputs: new Map(state.inputs).set(event.runId, input) }
}
