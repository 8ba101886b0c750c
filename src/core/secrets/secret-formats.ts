import { assignments } from './assignments.ts'
import type { SecretShape } from './shape.ts'
import { urlPassword, urlPasswordInApproval } from './url-passwords.ts'

const NOTHING = /$^/
export const WORD = /[A-Za-z0-9]/

interface TokenOptions {
  /** Required among the first 64 characters; plain words have none of these. */
  readonly needs?: string
  /** Prefix that stays readable. */
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

/** Keys of model providers and of services that tools use, by their published prefixes. */
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

/**
 * `
 * ` is a line feed in JSON text.
 */
const SPACE = '(?:\\s|\\\\[nrt])'
/** Between two lines: a tool may add line numbers or diff marks. */
const BREAK = `${SPACE}{0,8}(?:\\d{1,7}(?:\\t|\\\\t|[:|]))?-?${SPACE}{0,4}`
const BASE64 = '[A-Za-z0-9+/=]'

/**
 * The body of a PEM block: only long runs of base64, so that no shell command can hide in it, and a short run before
 * the end of the block.
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
 * Secrets by their context. No class contains a character that starts another shell command, except in URL passwords:
 * approvals use another format for these.
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

/** For text that a person approves. */
export const approvalShapes: readonly SecretShape[] = secretShapes.map((shape) =>
  shape === urlPassword ? urlPasswordInApproval : shape,
)
