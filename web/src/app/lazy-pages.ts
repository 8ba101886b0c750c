import { lazy } from 'react'

const loadTimeline = () => import('../timeline/timeline-tab.tsx')
const loadSettings = () => import('../settings/settings-page.tsx')

export const TimelineTab = lazy(async () => ({ default: (await loadTimeline()).TimelineTab }))
export const SettingsPage = lazy(async () => ({ default: (await loadSettings()).SettingsPage }))

/** By then the page is usable. Milliseconds. */
const LOAD_AFTER_MS = 1000

/**
 * Loads what the first view does without: it is there then while the server is away, and when that comes back in another
 * version. Returns what calls it off.
 */
export function loadPartsLater(): () => void {
  const timer = setTimeout(() => void Promise.allSettled([loadTimeline(), loadSettings()]), LOAD_AFTER_MS)
  return () => clearTimeout(timer)
}
