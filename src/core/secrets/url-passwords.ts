import type { SecretShape } from './shape.ts'

/**
 * Passwords in URLs: `https://me:secret@host`. A password ends at the last `@` before a slash, `?`, `#`, blank, quote
 * or bracket, as in the URL standard. JSON may write a slash as `\/` and `&` as `\u0026`; nested JSON uses more
 * backslashes.
 */

/** Excludes `•`: masking twice changes nothing. */
const END = '•\\s\\/?#"\'`()\\[\\]{}<>\\\\\\x00-\\x1f\\x7f'
/** An escaped slash ends nothing, unless another URL starts with it. */
const ESCAPE = '\\\\{1,3}'
const ESCAPED = `${ESCAPE}\\/(?!\\\\{0,3}\\/)|${ESCAPE}u00[0-9A-Fa-f]{2}`
const CHAR = `(?:[^${END}]|${ESCAPED})`
/** A text that ends inside an escape. */
const CUT_ESCAPE = `(?:${ESCAPE}\\/)?(?:${ESCAPE}(?:u[0-9A-Fa-f]{0,3})?)?`
/** Characters that do not end a shell command. */
const SAFE = '[\\w.~%+!=,:-]'
const SAFE_USER = '[\\w.~%+!=,@-]'

const MAX_USER = 256
const MAX_PASSWORD = 1_024
const USER = `[^:${END}]`
/** `https://host:8080\/path` */
const PORT = `\\d{0,5}${ESCAPE}\\/`
/** A token in place of a user: long, with letters and digits. */
const KEY = `(?=[\\w-]{0,63}\\d)(?=[\\w-]{0,63}[A-Za-z])[\\w-]{24,${MAX_USER}}[:@]`
/** What stays readable. */
const lead = (user: string) => `((?!${KEY})${user}{0,${MAX_USER}}:(?!${PORT})|(?=${KEY}))`

const shape = {
  anchors: ['://', ':\\/\\/', ':\\\\/\\\\/'],
  alive: new RegExp(`${CHAR}{0,${MAX_USER + MAX_PASSWORD + 1}}${CUT_ESCAPE}$`, 'y'),
  notAfter: /$^/,
  grows: true,
  isKey: false,
} satisfies Partial<SecretShape>

export const urlPassword: SecretShape = {
  ...shape,
  full: new RegExp(`${lead(USER)}${CHAR}{1,${MAX_PASSWORD}}(?=@)`, 'y'),
}

/**
 * The same for text that a person approves: everything from the first sign that may end a shell command stays visible,
 * and a password ends before it if possible.
 */
export const urlPasswordInApproval: SecretShape = {
  ...shape,
  full: new RegExp(
    `${lead(SAFE_USER)}(?:(?:${SAFE}|@){1,${MAX_PASSWORD}}(?=@)|${SAFE}{1,${MAX_PASSWORD}}(?=${CHAR}{1,${MAX_PASSWORD}}@))`,
    'y',
  ),
}
