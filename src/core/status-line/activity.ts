/** What a run is doing now. */
export interface Activity {
  readonly kind: 'tool' | 'text' | 'reasoning'
  /** For a tool call: its title from the tool. */
  readonly title: string | null
  /** Milliseconds since the epoch; null: unknown. */
  readonly since: number | null
}

interface Call {
  readonly title: string
  readonly status: string
  readonly startedAt: number
}

/**
 * The current activity: the latest running call; otherwise the streaming answer, by its last part; otherwise the
 * unanswered request. An ended call is not an activity. `since`: when the answer started.
 */
export function activityOf(
  calls: readonly Call[],
  streaming: readonly { readonly type: string }[],
  since: number | null = null,
): Activity {
  const open = calls.filter(({ status }) => status === 'running')
  const last = open.at(-1)
  if (last) {
    const title = open.length > 1 ? `${last.title} (and ${open.length - 1} more)` : last.title
    return { kind: 'tool', title, since: last.startedAt }
  }
  const part = streaming.at(-1)
  return {
    kind: part === undefined || part.type === 'reasoning' ? 'reasoning' : 'text',
    title: null,
    since,
  }
}

export function activityWords({ kind, title }: Activity): string {
  if (title !== null) return title
  return kind === 'text' ? 'Writing' : 'Thinking'
}
