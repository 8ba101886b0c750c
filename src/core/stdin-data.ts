/** The line of a prompt behind which data from stdin stands, between two fences. */
export const STDIN_HEADING = 'Data from stdin:'

/** A prompt without the data from stdin behind it, and that data; null: it has none. */
export function splitStdinData(prompt: string): { readonly prompt: string; readonly data: string | null } {
  const at = prompt.indexOf(`\n\n${STDIN_HEADING}\n\`\`\``)
  if (at < 0) return { prompt, data: null }
  const [fence = '', ...lines] = prompt.slice(at + STDIN_HEADING.length + 3).split('\n')
  const end = lines.lastIndexOf(fence)
  if (!/^`+$/.test(fence) || end < 0) return { prompt, data: null }
  return { prompt: prompt.slice(0, at), data: lines.slice(0, end).join('\n') }
}
