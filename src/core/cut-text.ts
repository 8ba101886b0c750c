/** At most `most` characters of a text, with an ellipsis for what is left out. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  return `${withoutHalf(text.slice(0, most - 1)).trimEnd()}…`
}

/** Drops half of a surrogate pair. */
function withoutHalf(text: string): string {
  return text.isWellFormed() ? text : text.replace(/[\uD800-\uDBFF]$/, '')
}
