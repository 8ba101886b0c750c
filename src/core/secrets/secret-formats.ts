import { assignments } from './assignments.ts'
import type { SecretShape } from './shape.ts'
import { urlPassword, urlPasswordInApproval } from './url-passwords.ts'

const NOTHING = /$^/
export const WORD = /[A-Za-z0-9]/

interface TokenOptions {
  /** One of these is among the first 64 characters: words of a language have none. */
  readonly needs?: string
  /** Stays readable. */
  readonly lead?: string
  readonly notAfter?: RegExp
  readonly isKey?: boolean
}

const DECIDED_AFTER = 64

/** An anchor and a run of characters. */
function token(
  anchors: readonly string[],
  chars: string,
  min: number,
  { needs, lead = '', notAfter = WORD, isKey = true }: TokenOptions = {},
): SecretShape {
  const needed = needs ? `(?=${chars}{0,${DECIDED_AFTER - 1}}${needs})` : ''
  const open = Math.max(min - 1, needs ? DECIDED_AFTER : 0)
  return {
    anchors,
    full: new RegExp(`(${lead})${needed}${chars}{${min},}`, 'y'),
    alive: new RegExp(`${lead}${chars}{0,${open}}$`, 'y'),
    more: new RegExp(`${chars}*`, 'y'),
    notAfter,
    isKey,
  }
}

const NAME = '[\\w-]'
const ALNUM = '[A-Za-z0-9]'
const HEX = '[0-9a-f]'

/** Keys of model providers and of the services that tools use, by the prefixes that these publish. */
const KEYS: readonly SecretShape[] = [
  token(['sk-ant-', 'sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-or-', 'sk-lf-', 'sk-litellm-'], NAME, 16),
  token(['sk-', 'gsk_', 'xai-', 'pplx-', 'hf_', 'r8_', 'csk-', 'fw_'], ALNUM, 20),
  token(['AIza', 'ya29.', 'GOCSPX-', 'nvapi-', 'tvly-'], NAME, 20),
  token(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], ALNUM, 30),
  token(['github_pat_'], '\\w', 22),
  token(['glpat-', 'gldt-', 'glrt-', 'hvs.', 'hvb.', 'dckr_pat_', 'pypi-AgEI', 'ATATT3'], '[\\w=-]', 16),
  token(['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'], '[A-Za-z0-9-]', 10),
  token(['hooks.slack.com/services/'], '[\\w/]', 20),
  token(['AKIA', 'ASIA'], '[A-Z0-9]', 16, { notAfter: /[\w+/=-]/ }),
  token(['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_', 'lin_api_', 'npm_'], ALNUM, 16),
  token(['dop_v1_', 'shpat_', 'sbp_', 'key-'], HEX, 32),
  token(['SG.'], '[\\w.-]', 32),
  token(['AGE-SECRET-KEY-1'], '[0-9A-Z]', 40),
]

/** `\n` is a line feed in a text of JSON. */
const SPACE = '(?:\\s|\\\\[nrt])'
/** Between two lines: a tool may have numbered them, or say which were removed. */
const BREAK = `${SPACE}{0,8}(?:\\d{1,7}(?:\\t|\\\\t|[:|]))?-?${SPACE}{0,4}`
const BASE64 = '[A-Za-z0-9+/=]'

/**
 * The body of a PEM block: long runs of base64 alone, so that nothing that a shell would run can hide in one, and a short
 * run where the end of the block follows.
 */
const PRIVATE_KEY: SecretShape = {
  anchors: ['-----BEGIN '],
  full: new RegExp(
    '((?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----' +
      `(?:${SPACE}{1,4}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): ?[\\w ,.:()/@<>+-]{1,100}){0,5})` +
      `(?:${BREAK}${BASE64}{16,})+(?:${BREAK}${BASE64}{1,15}(?=${BREAK}-----END))?`,
    'y',
  ),
  alive: /[A-Z0-9 ]{0,70}-{0,5}(?:(?<=PRIVATE KEY(?: BLOCK)?-----)[\s\S]{0,700})?$/y,
  notAfter: NOTHING,
  window: 16 * 1024,
  isKey: true,
}

const CREDENTIAL = '[\\w.~+/=-]'
const VALUE = '[\\w.~+/=@%!#^-]'

/**
 * Secrets by what stands before them. No class has a character with which a shell begins another command, except in
 * passwords of URLs: approvals use another shape for these.
 */
const PLACES: readonly SecretShape[] = [
  {
    anchors: ['eyJ'],
    full: /()[\w-]{8,1024}\.eyJ[\w-]{8}[\w.-]*/y,
    alive: /[\w-]{0,1024}(?:\.(?:e(?:y(?:J[\w-]{0,7})?)?)?)?$/y,
    more: /[\w.-]*/y,
    notAfter: /[\w-]/,
    isKey: false,
  },
  token(['Bearer ', 'bearer '], CREDENTIAL, 16, { needs: '\\d', isKey: false }),
  token(['uthorization: Basic ', 'uthorization: basic '], '[A-Za-z0-9+/=]', 8, {
    needs: '(?:[a-z][A-Z]|[A-Z][a-z]|[\\d=+/])',
    notAfter: NOTHING,
    isKey: false,
  }),
  token(['Basic ', 'basic '], CREDENTIAL, 12, { needs: '[\\d=]', isKey: false }),
  urlPassword,
  token(
    `API_KEY APIKEY ACCESS_KEY ACCESS_KEY_ID SECRET_KEY SIGNING_KEY ENCRYPTION_KEY AUTH_KEY TOKEN SECRET PASSWORD
      PASSWD PASSPHRASE`
      .split(/\s+/)
      .map((name) => `${name}=`),
    VALUE,
    8,
    { needs: '\\d', lead: '["\']?', notAfter: /[a-z]/, isKey: false },
  ),
  token(
    `api_key apikey token access_token refresh_token id_token client_secret secret password sig signature Signature
      X-Amz-Signature X-Amz-Security-Token X-Goog-Signature`
      .split(/\s+/)
      .flatMap((name) => ['?', '&', '&amp;', '\\u0026'].map((before) => `${before}${name}=`)),
    '[\\w.~%+/=-]',
    8,
    { needs: '\\d', notAfter: NOTHING, isKey: false },
  ),
]

export const secretShapes: readonly SecretShape[] = [...KEYS, PRIVATE_KEY, ...PLACES, ...assignments]

/** In what a person approves. */
export const approvalShapes: readonly SecretShape[] = secretShapes.map((shape) =>
  shape === urlPassword ? urlPasswordInApproval : shape,
)
