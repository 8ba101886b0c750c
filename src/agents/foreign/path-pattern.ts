/**
 * Converts an ignore-file pattern (Claude Code's file rules) to ours; null if that is impossible. Without a slash it
 * matches at any depth, and includes everything below.
 */
export function ignorePattern(pattern: string): string | null {
  if (/[[\]\\\0]|^!|^~|(^|\/)\.\.(\/|$)/.test(pattern)) return null
  if (/^\*+$/.test(pattern)) return '*'
  const absolute = pattern.startsWith('//')
  const bare = pattern.replace(/^(\/\/|\.?\/)/, '').replace(/\/$/, '')
  if (bare === '') return null
  const anchored = absolute || bare.includes('/') || /^\.?\//.test(pattern)
  const from = absolute ? `/${bare}` : anchored ? bare : `**/${bare}`
  return from.endsWith('/**') ? from : `${from}/**`
}

/** opencode's `*` matches any text, also across directories; `***` in our path patterns does. */
export function anyPathPattern(pattern: string): string {
  return pattern === '*' ? '*' : pattern.replace(/\*+/g, '***')
}
