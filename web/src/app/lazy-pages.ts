import { lazy } from 'react'

const loadTimeline = () => import('../timeline/timeline-tab.tsx')
const loadSettings = () => import('../settings/settings-page.tsx')

export const TimelineTab = lazy(async () => ({ default: (await loadTimeline()).TimelineTab }))
export const SettingsPage = lazy(async () => ({ default: (await loadSettings()).SettingsPage }))

/** The page is usable by then. Milliseconds. */
const LOAD_AFTER_MS = 1000

/**
 * Preloads what the first view does not need, so that it works while the server is away or returns as another version.
 * Returns a function that cancels it.
 */
export function loadPartsLater(): () => void {
  const timer = setTimeout(() => void Promise.allSettled([loadTimeline(), loadSettings()]), LOAD_AFTER_MS)
  return () => clearTimeout(timer)
}
