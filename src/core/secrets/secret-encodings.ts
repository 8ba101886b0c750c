/** A known value as plain text, and encoded in JSON, a URL, a form and base64. */
export function spellings(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const url = encodeURIComponent(value.toWellFormed())
  const form = url.replaceAll('%20', '+')
  return [...new Set([value, json, url, form, inLowerHex(url), inLowerHex(form), ...inBase64(value)])]
}

function inLowerHex(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())
}

/** Shorter pieces of base64 occur in ordinary text. */
const MIN_BASE64 = 10

/**
 * Base64 has three alignments, depending on the bytes before the value (`user:` in an `Authorization: Basic`). Uses
 * only the characters that the value alone determines.
 */
function inBase64(value: string): string[] {
  const bytes = new TextEncoder().encode(value)
  const faces = [0, 1, 2].map((before) => {
    const encoded = base64(new Uint8Array([...new Uint8Array(before), ...bytes]))
    const start = Math.ceil((before * 8) / 6)
    return encoded.slice(start, Math.floor(((before + bytes.length) * 8) / 6))
  })
  const both = faces.flatMap((face) => [face, face.replaceAll('+', '-').replaceAll('/', '_')])
  return both.filter(({ length }) => length >= MIN_BASE64)
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
