/** The beginning of a line that fits into so many columns, with an ellipsis where something is left out. */
export function cutToWidth(text: string, columns: number): string {
  const chars = [...text]
  const most = Math.max(1, columns)
  let width = 0
  let fits = 0 // how many characters leave room for the ellipsis
  for (const [at, char] of chars.entries()) {
    width += widthOf(char)
    if (width < most) fits = at + 1
    // marks of no width are bounded too
    if (width > most || at >= 4 * most) return `${chars.slice(0, fits).join('')}…`
  }
  return text
}

/** Columns of one character as terminals draw it (Unicode's East Asian Width, roughly). */
function widthOf(char: string): 0 | 1 | 2 {
  if (/\p{M}|\p{Default_Ignorable_Code_Point}/u.test(char)) return 0
  return WIDE.test(char) ? 2 : 1
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
