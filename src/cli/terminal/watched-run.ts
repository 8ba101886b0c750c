import type { Approvals } from '../../runtime/asking/approvals.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import type { Questions } from '../../runtime/asking/questions.ts'
import type { Runtime } from '../../runtime/host/runtime.ts'
import type { Subscriber } from '../../runtime/log/bus.ts'
import type { FirstEvents } from '../../runtime/log/first-events.ts'
import type { Follow } from '../../runtime/log/follow.ts'
import type { OffshootEvent } from '../../core/events.ts'

/** What a run is shown with while it lasts, whichever process drives it. */
export interface Watched extends Pick<
  Composed,
  'store' | 'workspace' | 'agents' | 'mode' | 'loaded' | 'guard' | 'secrets' | 'keptSandbox' | 'confinementOf'
> {
  /** Shows what comes after a position, each durable event once and in order; the returned function ends it. */
  readonly follow: (position: Follow, show: Subscriber) => () => void
  /** Which events of the conversation belong to what is shown; absent: all. */
  readonly isOurs?: (event: OffshootEvent) => boolean
  /** Which of them belong to the run of the command; absent: all. This process drives the others for other terminals. */
  readonly isOwn?: (event: OffshootEvent) => boolean
  /** What was asked before it is shown, and still waits for an answer; absent: nothing was. */
  readonly askedBefore?: () => readonly OffshootEvent[]
  /** Ends the attendance that began before the run was driven (`attendEarly`). */
  readonly leave?: (() => void) | undefined
  readonly runtime: Pick<Runtime, 'subscribe'> & {
    readonly approvals: Pick<Approvals, 'attend' | 'answer'>
    readonly questions: Pick<Questions, 'answer'>
  }
}

/** A run that this process drives. `first` has subscribed before the run was driven, so that no live event is lost. */
export function watchedLocally<C extends Omit<Watched, 'follow'>>(
  composed: C,
  first: FirstEvents,
): C & Watched {
  return {
    ...composed,
    follow(position, show) {
      const end = composed.runtime.subscribe(position.conversationId, (batch) => {
        const events = position.accepted(batch)
        if (events.length > 0) show(events)
        if (position.isBehind) showStored(position, show)
      })
      position.keep(first.take())
      showStored(position, show)
      return end
    },
  }
}

export function showStored(position: Follow, show: Subscriber): void {
  for (const events of position.pages()) show(events)
}
