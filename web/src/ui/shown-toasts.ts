export interface Toast {
  readonly text: string
  readonly tone: 'done' | 'failed' | 'plain'
  readonly action?: { readonly label: string; readonly onPress: () => void }
  /** Default: eight seconds. */
  readonly shownMs?: number
}

/** `id` counts up: the highest is the newest. */
export interface ShownToast extends Toast {
  readonly id: number
}

/**
 * What is shown once this one has come: two at most, and beside two failures one that is none. A failure gives way only
 * to newer failures, so that nothing that goes well hides it unread. Failures are last: a narrow screen shows the last.
 */
export function withToast(shown: readonly ShownToast[], toast: ShownToast): readonly ShownToast[] {
  const all = [...shown, toast]
  const failures = all.filter(({ tone }) => tone === 'failed').slice(-2)
  const others = all.filter(({ tone }) => tone !== 'failed').slice(failures.length > 0 ? -1 : -2)
  return [...others, ...failures]
}

/** The one to be read out: it is not always the last. */
export function newestOf(shown: readonly ShownToast[]): ShownToast | undefined {
  return shown.toSorted((a, b) => b.id - a.id)[0]
}
