import { useEffect, useSyncExternalStore } from 'react'
import { Button, IconButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { newestOf, withToast, type ShownToast, type Toast } from './shown-toasts.ts'

/** Failures stay until they are closed. */
const SHOWN_MS = 8000
const ICONS: Readonly<Record<Toast['tone'], IconName>> = { done: 'check', failed: 'x', plain: 'flag' }
const TONES: Readonly<Record<Toast['tone'], string>> = {
  done: 'text-done',
  failed: 'text-failed',
  plain: 'text-ink-3',
}

const listeners = new Set<() => void>()
let shown: readonly ShownToast[] = []
let lastId = 0

/** Returns the id that closes it. */
export function showToast(toast: Toast): number {
  set(withToast(shown, { ...toast, id: ++lastId }))
  return lastId
}

/** Shows an error with the server's own message. */
export function showError(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error)
  showToast({ text, tone: 'failed' })
}

export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, () => shown)
  return (
    <section
      aria-label="Notifications"
      data-print="no"
      // Covers messages only, nothing above them; moves to the other side of an open sheet.
      className="pointer-events-none fixed top-[calc(var(--messages-top,3.25rem)+0.5rem)] right-4 left-4 z-30 flex flex-col items-end gap-2 min-[1100px]:top-auto! min-[1100px]:bottom-4 min-[768px]:max-[1099px]:[body:has([data-sheet=right])_&]:items-start max-[1099px]:[body:has([data-sheet=left])_&]:top-auto! max-[1099px]:[body:has([data-sheet=left])_&]:bottom-4"
    >
      <div role="status" className="sr-only">
        {newestOf(toasts)?.text}
      </div>
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

function ToastCard({ toast }: { toast: ShownToast }) {
  useEffect(() => {
    if (toast.tone === 'failed') return undefined
    const timer = setTimeout(() => closeToast(toast.id), toast.shownMs ?? SHOWN_MS)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <div className="pointer-events-auto flex max-[1099px]:not-last:hidden max-w-[21.75rem] items-center gap-2.5 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-3 shadow-float">
      <Icon name={ICONS[toast.tone]} className={TONES[toast.tone]} />
      <span className="line-clamp-3 min-w-0 flex-1 text-sm wrap-anywhere">{toast.text}</span>
      {toast.action && (
        <Button look="quiet" className="text-accent" onPress={() => act(toast)}>
          {toast.action.label}
        </Button>
      )}
      <IconButton icon="x" label="Close" onPress={() => closeToast(toast.id)} />
    </div>
  )
}

function act(toast: ShownToast): void {
  closeToast(toast.id)
  toast.action?.onPress()
}

export function closeToast(id: number): void {
  set(shown.filter((toast) => toast.id !== id))
}

function set(next: readonly ShownToast[]): void {
  shown = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
