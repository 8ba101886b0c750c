/** At most `most` characters of a text, with an ellipsis where some are left out. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  return `${withoutHalf(text.slice(0, most - 1)).trimEnd()}…`
}

/** Half of a character that takes two units is none. */
function withoutHalf(text: string): string {
  return text.isWellFormed() ? text : text.replace(/[\uD800-\uDBFF]$/, '')
}
