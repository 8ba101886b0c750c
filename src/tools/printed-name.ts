/**
 * A path as it stands in a list with one entry a line: as JSON writes it where it holds what could end or hide a line,
 * so that no name reads as two entries, or as a line of another file.
 */
export function printedName(path: string): string {
  if (!/^"|[\p{Cc}\u2028\u2029]/u.test(path)) return path
  return JSON.stringify(path).replace(/[\u007f-\u009f\u2028\u2029]/g, escape)
}

function escape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
