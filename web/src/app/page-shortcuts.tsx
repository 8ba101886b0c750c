import type { BranchView } from 'offshoot/client'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useShortcuts, type Actions } from '../state/keymap.ts'
import { navigate } from '../state/route.ts'
import { catchTyping, type TypeAhead } from '../state/type-ahead.ts'
import { showError } from '../ui/toasts.tsx'

const loadPalette = () => import('../palette/palette.tsx')
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))
const ShortcutsHelp = lazy(async () => ({
  default: (await import('../palette/shortcuts-help.tsx')).ShortcutsHelp,
}))

/** Preloaded, so that the palette opens without a connection. */
function loadOnDemand(): void {}

/** Delay after the page is ready. Milliseconds. */
const PRELOAD_MS = 1000

interface KeysProps {
  /** The page's shortcuts besides the global ones. */
  readonly actions: Actions
  readonly branches?: readonly BranchView[]
}

/** Handles the page's shortcuts, and its two dialogs. */
export function Keys({ actions, branches = [] }: KeysProps) {
  const [shown, setShown] = useState<'nothing' | 'palette' | 'help'>('nothing')
  const close = () => setShown('nothing')
  const palette = usePalette(shown === 'palette', setShown)
  const all: Actions = {
    compose: () => document.getElementById('composer')?.focus(),
    new: () => navigate('/'),
    ...actions,
    palette: palette.open,
    help: () => setShown('help'),
  }
  useShortcuts(all)
  useEffect(() => {
    // Then it opens at once.
    const timer = setTimeout(() => void loadPalette().catch(loadOnDemand), PRELOAD_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Suspense fallback={null}>
      {shown === 'palette' && (
        <Palette isOpen onClose={close} actions={all} branches={branches} takeTyped={palette.takeTyped} />
      )}
      {shown === 'help' && <ShortcutsHelp isOpen onClose={close} />}
    </Suspense>
  )
}

/** Opens the palette. Keys typed before its field has the focus are kept. */
function usePalette(isOpen: boolean, show: (what: 'nothing' | 'palette') => void) {
  const typing = useRef<TypeAhead>(undefined)
  const takeTyped = () => {
    const text = typing.current?.take() ?? ''
    typing.current = undefined
    return text
  }
  const cancel = () => {
    takeTyped()
    show('nothing')
  }
  const open = () => {
    if (isOpen || typing.current) return
    const mine = (typing.current = catchTyping(cancel))
    loadPalette().then(
      () => typing.current === mine && show('palette'),
      (error: unknown) => {
        if (typing.current === mine) cancel()
        showError(error)
      },
    )
  }
  useEffect(() => () => void typing.current?.take(), [])
  return { open, takeTyped }
}
