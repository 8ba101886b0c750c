export interface Toast {
  readonly text: string
  readonly tone: 'done' | 'failed' | 'plain'
  readonly action?: { readonly label: string; readonly onPress: () => void }
  /** Default: 8 seconds. */
  readonly shownMs?: number
}

/** `id` counts up: the highest is the newest. */
export interface ShownToast extends Toast {
  readonly id: number
}

/**
 * The toasts after one is added: at most two, or two failures and one other. Only newer failures replace a failure, so
 * that no success hides it unread. Failures come last, because a narrow screen shows only the last toast.
 */
export function withToast(shown: readonly ShownToast[], toast: ShownToast): readonly ShownToast[] {
  const all = [...shown, toast]
  const failures = all.filter(({ tone }) => tone === 'failed').slice(-2)
  const others = all.filter(({ tone }) => tone !== 'failed').slice(failures.length > 0 ? -1 : -2)
  return [...others, ...failures]
}

/** The toast to announce to screen readers, which is not always the last. */
export function newestOf(shown: readonly ShownToast[]): ShownToast | undefined {
  return shown.toSorted((a, b) => b.id - a.id)[0]
}
