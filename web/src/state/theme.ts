import { useEffect } from 'react'
import { usePref } from './prefs.ts'

/**
 * Applies the chosen theme; `system` follows the operating system. public/theme.js does the same before the first
 * paint.
 */
export function useTheme(): void {
  const [theme] = usePref('theme')
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
  }, [theme])
}
