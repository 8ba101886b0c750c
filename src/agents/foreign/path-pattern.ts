/**
 * A pattern as ignore files have it (Claude Code's rules for files), as one of ours; null where ours cannot say it. Without
 * a slash it is for any depth, and what it names includes all that is below.
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

/** opencode's `*` is any text, also across directories: in our patterns for paths three stars say exactly that. */
export function anyPathPattern(pattern: string): string {
  return pattern === '*' ? '*' : pattern.replace(/\*+/g, '***')
}
