import type { BranchView } from 'offshoot/client'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useShortcuts, type Actions } from '../state/keymap.ts'
import { navigate } from '../state/route.ts'

const loadPalette = () => import('../palette/palette.tsx')
const Palette = lazy(async () => ({ default: (await loadPalette()).Palette }))
const ShortcutsHelp = lazy(async () => ({
  default: (await import('../palette/shortcuts-help.tsx')).ShortcutsHelp,
}))

/** Without a connection the palette is loaded when it is opened. */
function loadOnDemand(): void {}

/** When the page itself is there. Milliseconds. */
const PRELOAD_MS = 1000

interface KeysProps {
  /** Those of the page beside the ones that count everywhere. */
  readonly actions: Actions
  readonly branches?: readonly BranchView[]
}

/** What the keys of a page do, and the two dialogs that show them. */
export function Keys({ actions, branches = [] }: KeysProps) {
  const [shown, setShown] = useState<'nothing' | 'palette' | 'help'>('nothing')
  const close = () => setShown('nothing')
  const all: Actions = {
    compose: () => document.getElementById('composer')?.focus(),
    new: () => navigate('/'),
    ...actions,
    palette: () => setShown('palette'),
    help: () => setShown('help'),
  }
  useShortcuts(all)
  useEffect(() => {
    // What is typed after its keys has to find it there.
    const timer = setTimeout(() => void loadPalette().catch(loadOnDemand), PRELOAD_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Suspense fallback={null}>
      {shown === 'palette' && <Palette isOpen onClose={close} actions={all} branches={branches} />}
      {shown === 'help' && <ShortcutsHelp isOpen onClose={close} />}
    </Suspense>
  )
}
