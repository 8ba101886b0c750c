/** A folder or file that limits a question: `Scope: src`, `in src/loop`, `in the file x.ts`. */
export function scopeOf(text: string): string | null {
  const found =
    /^(?:Scope|Target)\s*:\s*(\S+)\s*$/im.exec(text)?.[1] ??
    /\b(?:in|under|inside|within|of|explain|does|do|is|describe|review|about|summari[sz]e)\s+(?:the\s+)?(?:file\s+|folder\s+|directory\s+)?[`"']?((?:[\w@.-]+\/)+[\w@.-]*)[`"']?(?=[\s?,.;]|$)/i.exec(
      text,
    )?.[1]
  if (found === undefined || found.includes('..') || found.startsWith('/') || found.startsWith('-'))
    return null
  return found.replace(/[.,;]+$/, '').replace(/\/$/, '')
}

export function withoutScope(text: string, scope: string): string {
  return text.replaceAll(scope, ' ')
}
