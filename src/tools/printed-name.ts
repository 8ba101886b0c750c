/** A path in a list with one entry per line: quoted as JSON if it contains characters that could end or hide a line. */
export function printedName(path: string): string {
  if (!/^"|[\p{Cc}\u2028\u2029]/u.test(path)) return path
  return JSON.stringify(path).replace(/[\u007f-\u009f\u2028\u2029]/g, escape)
}

function escape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
