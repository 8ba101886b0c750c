import type { SecretShape } from './shape.ts'

/**
 * Passwords in URLs: `https://me:secret@host`. A password ends at the last `@` before a slash, `?`, `#`, blank, quote or
 * bracket, as in the URL standard. In JSON a slash may be written `\/`, and `&` as `\u0026`; in a
 * text of JSON within JSON, with more backslashes.
 */

/** Not `•`: a text that is masked again stays what it is. */
const END = '•\\s\\/?#"\'`()\\[\\]{}<>\\\\\\x00-\\x1f\\x7f'
/** An escaped slash ends nothing, except where another URL begins with it. */
const ESCAPE = '\\\\{1,3}'
const ESCAPED = `${ESCAPE}\\/(?!\\\\{0,3}\\/)|${ESCAPE}u00[0-9A-Fa-f]{2}`
const CHAR = `(?:[^${END}]|${ESCAPED})`
/** A text that ends within an escape. */
const CUT_ESCAPE = `(?:${ESCAPE}\\/)?(?:${ESCAPE}(?:u[0-9A-Fa-f]{0,3})?)?`
/** A shell ends no command at any of these. */
const SAFE = '[\\w.~%+!=,:-]'
const SAFE_USER = '[\\w.~%+!=,@-]'

const MAX_USER = 256
const MAX_PASSWORD = 1_024
const USER = `[^:${END}]`
/** `https://host:8080\/path` */
const PORT = `\\d{0,5}${ESCAPE}\\/`
/** A token in the place of a user: long, with letters and digits. */
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
 * The same in what a person approves: everything from the first sign on with which a shell may end a command is shown, and a
 * password ends before such a sign where it can.
 */
export const urlPasswordInApproval: SecretShape = {
  ...shape,
  full: new RegExp(
    `${lead(SAFE_USER)}(?:(?:${SAFE}|@){1,${MAX_PASSWORD}}(?=@)|${SAFE}{1,${MAX_PASSWORD}}(?=${CHAR}{1,${MAX_PASSWORD}}@))`,
    'y',
  ),
}
