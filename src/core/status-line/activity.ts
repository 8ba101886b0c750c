/** What a run does at this moment. */
export interface Activity {
  readonly kind: 'tool' | 'text' | 'reasoning'
  /** Of a tool call, as its tool says it. */
  readonly title: string | null
  /** Milliseconds since the epoch; null: it is not known. */
  readonly since: number | null
}

interface Call {
  readonly title: string
  readonly status: string
  readonly startedAt: number
}

/**
 * The call that runs, the latest first; otherwise the answer that is being streamed, by its last part; otherwise the
 * request that has no answer yet. A call that has ended is not what a run does now. `since`: when that answer began.
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
