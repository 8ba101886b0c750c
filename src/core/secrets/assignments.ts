import type { SecretShape } from './shape.ts'

/**
 * Secrets by the name before them: `password=…`, `"apiKey": "…"`, `api_key: …`, `DEPLOY_TOKEN=…`. Code, types and
 * documents use the same names, so the value must look like a secret: expressions, types, paths and plain words stay.
 * No class contains a character that starts another shell command.
 */
const LOWER =
  `password passwd passphrase secret token api_key apikey api-key access_key access-key secret_key secret-key
  private_key private-key signing_key encryption_key auth_key access_key_id`.split(/\s+/)
const CAMEL =
  `Password Passwd Passphrase Secret Token ApiKey Api-Key apiKey AccessKey accessKey SecretKey secretKey
  privateKey PrivateKey signingKey encryptionKey authKey accessKeyId`.split(/\s+/)
const UPPER =
  `PASSWORD PASSWD PASSPHRASE SECRET TOKEN API_KEY APIKEY ACCESS_KEY SECRET_KEY PRIVATE_KEY SIGNING_KEY
  ENCRYPTION_KEY AUTH_KEY ACCESS_KEY_ID`.split(/\s+/)

/** Longest part of a value that is checked. */
const MAX = 256
const CHAR = '[\\w.~+/=@%!#^-]'
/** A quote may be escaped in JSON text. */
const QUOTE = '(?:\\\\{0,3}["\'])'
const BLANK = '[ \\t]{0,4}'
/** A mask does not end a value: masking twice changes nothing. */
const END = `(?!${CHAR}|•)`
const LINE_END = `(?=${BLANK}(?:$|\\r?\\n|\\\\[nr]|#|${QUOTE}))`

/** `process.env.API_KEY`, `config.token2` */
const DOTTED = `(?!\\$?[A-Za-z_]\\w*(?:[.][A-Za-z_]\\w*)+${END})`
const PATH_START = '(?![.~]{0,2}/)'
/** Placeholders, and words of forms and schemas. */
const PLACEHOLDER =
  '(?!(?:your|my|the|some|example|sample|placeholder|change|replace|insert|redacted|xxx|test|dummy|fake)[-_a-z]*' +
  `${END}|(?:true|false|enabled|disabled|required|optional|undefined|current-|new-)|[A-Z_]+${END})`
const DIGIT = `(?=${CHAR}{0,63}\\d)`
const NO_NUMBER = `(?![\\d.]+${END})`
/** A type or a class: `Uint8Array`. */
const NO_TYPE = `(?![A-Z][A-Za-z]*\\d{1,3}[A-Za-z]*${END})`
/** Not a variable name, except one that no person would choose. */
const NO_NAME = `(?:(?![A-Za-z_]\\w*${END})|(?=\\w{16,})(?=\\w*\\d[A-Za-z_]+\\d))`
/** Characters that words do not have. */
const ODD = `(?!@)(?=${CHAR}{0,63}[!@#%^~])`

const value = (min: number) => `${CHAR}{${min},${MAX}}`
const UNLIKELY = `(?!=)${PATH_START}${DOTTED}${PLACEHOLDER}${NO_NUMBER}`

/** What stays readable after the name, and what must follow it. */
interface Form {
  readonly lead: string
  readonly rest: string
}

/** `"apiKey": "…"`, `password = '…'` */
const QUOTED: Form = {
  lead: `${QUOTE}?${BLANK}(?:=>|:=|[:=])${BLANK}${QUOTE}`,
  rest: `${UNLIKELY}(?:${DIGIT}${value(6)}|${ODD}${value(8)})(?:${QUOTE}|$)`,
}
/** `password=…`, without blanks */
const TIGHT: Form = {
  lead: '=',
  rest: `${UNLIKELY}${DIGIT}(?:(?![A-Za-z_]\\w*${END})${value(6)}${END}|${value(6)}${END}(?![(\\[{<\`$?:,;)\\]}]))`,
}
/** `api_key: …` to the end of its line */
const LINE: Form = {
  lead: `${QUOTE}?${BLANK}:${BLANK}`,
  rest: `${UNLIKELY}${NO_TYPE}${DIGIT}${value(8)}${LINE_END}`,
}
/** `password = …` to the end of its line */
const SPACED: Form = {
  lead: '[ \\t]{1,4}=[ \\t]{1,4}',
  rest: `${UNLIKELY}${DIGIT}${NO_NAME}${value(8)}${LINE_END}`,
}
/** `DEPLOY_TOKEN=…` */
const VARIABLE: Form = { lead: `=${QUOTE}?`, rest: `${UNLIKELY}${value(8)}${END}(?![(\\[{<\`$])` }

export const assignments: readonly SecretShape[] = [
  assignment([...LOWER, ...CAMEL], [QUOTED, TIGHT, LINE, SPACED]),
  assignment(UPPER, [VARIABLE, QUOTED, LINE, SPACED]),
]

function assignment(anchors: readonly string[], forms: readonly Form[]): SecretShape {
  const leads = forms.map(({ lead, rest }) => `${lead}(?=${rest})`).join('|')
  const quoteOpen = `(?:\\\\{0,3}["']?)`
  return {
    anchors,
    full: new RegExp(`(${leads})${CHAR}{1,${MAX}}`, 'y'),
    alive: new RegExp(
      `${quoteOpen}${BLANK}(?:(?:=>?|:=?)${BLANK}(?:${quoteOpen}${CHAR}{0,${MAX}}${quoteOpen}[ \\t\\r]{0,4})?)?$`,
      'y',
    ),
    notAfter: /$^/,
    window: 384,
    isKey: false,
  }
}
