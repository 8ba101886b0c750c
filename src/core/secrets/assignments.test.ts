import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createSecretMask, shapeMask } from './mask.ts'

/** A text, and what of it nobody may read. */
const SECRETS: readonly (readonly [string, string])[] = [
  ['password=hunter2', 'hunter2'],
  ['password=hunter2secret', 'hunter2secret'],
  ['db_password=s3cr3t!pass', 's3cr3t!pass'],
  ['user=me password=hunter2secret host=db', 'hunter2secret'],
  ['curl -d "password=hunter2secret&x=1" https://example.com', 'hunter2secret'],
  ['{"apiKey": "abcd1234efgh5678"}', 'abcd1234efgh5678'],
  ['{"api_key":"abcd1234efgh5678"}', 'abcd1234efgh5678'],
  ['{"password": "hunter2"}', 'hunter2'],
  ['{"dbPassword": "correct!horse"}', 'correct!horse'],
  ['{"clientSecret":"a1b2c3d4e5f6"}', 'a1b2c3d4e5f6'],
  ['{\\"accessToken\\": \\"abcd1234efgh\\"}', 'abcd1234efgh'],
  ["const password = 'hunter2secret'", 'hunter2secret'],
  ['password := "hunter2secret"', 'hunter2secret'],
  ["'token' => 'abcd1234efgh'", 'abcd1234efgh'],
  ['api_key: abcd1234efgh', 'abcd1234efgh'],
  ['api_key: abcd1234efgh\nother: x', 'abcd1234efgh'],
  ['password: hunter2secret # of the test', 'hunter2secret'],
  ["curl -H 'X-Api-Key: abcd1234efgh' https://example.com", 'abcd1234efgh'],
  ['X-Auth-Token: abcd1234efgh\r\n', 'abcd1234efgh'],
  [
    'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  ],
  ['DB_PASSWORD=correcthorse', 'correcthorse'],
  ['export DEPLOY_TOKEN="correct-horse-battery"', 'correct-horse-battery'],
  ['PGPASSWORD=correcthorse psql', 'correcthorse'],
  ['env API_KEY=abcdefghijkl sh', 'abcdefghijkl'],
  ['CLIENT_SECRET: abcd1234efgh', 'abcd1234efgh'],
  ['Authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  [
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2.0.22 (GNU/Linux)\nComment: of a test\n\n${'lQOYBF1a'.repeat(8)}\n=aBcD\n-----END PGP PRIVATE KEY BLOCK-----`,
    'lQOYBF1a',
  ],
]

/** Code, types, forms and documents, that stay as they are. */
const OTHERS = [
  'interface User { password: string; token: string | null }',
  'type Options = { apiKey?: string; secret: Uint8Array }',
  '  secret: Uint8Array\n  token: Base64String\n',
  'apiKey: process.env.OPENAI_API_KEY_2',
  'apiKey = process.env.API_KEY',
  'const token = getToken()',
  'const token = await readToken(path2)',
  'token = getToken(2)',
  'let password = options.password2',
  'const { password, token: token2 } = input',
  'new Client({ token: token2, password: pass2 })',
  'connect(user=user1, password=password1, token=token_2)',
  'login(password=pass1234, x=1)',
  'password: z.string().min(8).max(72)',
  'password = hashlib.sha256(value).hexdigest()',
  'password: str = Field(min_length=8)',
  '<input type="password" autocomplete="new-password" name="password1">',
  '{"password": {"type": "string", "minLength": 8}}',
  '{"password": "string", "token": "required"}',
  '"password": "your-password-here"',
  'API_KEY=your-api-key',
  'API_KEY=YOUR_API_KEY',
  'TOKEN=<token>',
  'PASSWORD=$SECRET TOKEN=$(get-token-2) SECRET=getSecret(12)',
  'PASSWORD="${DB_PASSWORD}"',
  'SECRET_KEY=/run/secrets/key',
  'TOKEN=process.env.TOKEN',
  'PASSWORD=required TOKEN=disabled',
  'PASSWORD=secret',
  'token: 12345678',
  'max_token: 4096000',
  'the token: a short word that is given to a client',
  'Tokens: 1234567 in, 123456 out',
  'password: at least 8 characters',
  'secret = "Enter your password 1"',
  'if (token === other1token) return',
  'if (password !== password2) throw',
  'token==expected1',
  'Authorization: Basic <credentials>',
  'Authorization: Basic authentication',
  'Authorization: Bearer <token>',
  'secrets: inherit',
  'tokenizer = Tokenizer2000',
  'token: ${{ secrets.GITHUB_TOKEN1 }}',
  'passwordField.value = x1234567',
  'PRIMARY_KEY=id and SORT_KEY=created_at_desc',
  '-----BEGIN PGP PUBLIC KEY BLOCK-----\nVersion: GnuPG v2\n\nmQENBF1aAAAAAAAAAAAAAAAAAAAAAA\n',
]

describe('what is given to a name of a secret', () => {
  it.each(SECRETS)('%s is masked', (text, hidden) => {
    const masked = shapeMask.text(text)
    expect(masked).not.toContain(hidden)
    expect(masked).toHaveLength(text.length)
    expect(shapeMask.text(masked)).toBe(masked)
    const quoted = JSON.stringify({ text })
    expect(shapeMask.text(quoted)).not.toContain(hidden)
  })

  it.each(SECRETS)('%s hides no command that stands beside it', (text) => {
    for (const command of [
      '; rm -rf ~',
      '$(id)',
      '`id`',
      '| sh',
      '&& id',
      '\nrm -rf /home\n',
      '> /etc/passwd',
    ])
      expect(shapeMask.text(`${text}${command}`)).toContain(command)
  })

  it.each(OTHERS)('is no secret, and stays: %s', (text) => {
    expect(shapeMask.text(text)).toBe(text)
    expect(shapeMask.text(`x ${text} y`)).toBe(`x ${text} y`)
  })

  test('in pieces is masked as the whole is', () => {
    const texts = fc.array(
      fc.oneof(
        fc.constantFrom(...SECRETS.map(([text]) => text), ...OTHERS),
        fc.constantFrom(
          'password',
          'apiKey',
          'TOKEN',
          '=',
          ': ',
          '"',
          "'",
          '\\"',
          ' ',
          '\n',
          'a1b2c3d4',
          '.',
        ),
        fc.string(),
      ),
      { maxLength: 8 },
    )
    const check = fc.property(texts, fc.array(fc.nat(2_000), { maxLength: 20 }), (parts, cuts) => {
      const text = parts.join('')
      const stream = shapeMask.stream()
      const places = [0, ...cuts.map((each) => each % (text.length + 1)), text.length].sort((a, b) => a - b)
      const pieces = places.slice(1).map((end, i) => text.slice(places[i], end))
      const whole = shapeMask.text(text)
      expect(pieces.map(stream.push).join('') + stream.end()).toBe(whole)
      expect(whole).toHaveLength(text.length)
      expect(shapeMask.text(whole)).toBe(whole)
    })
    fc.assert(check, { numRuns: 3_000 })
  })
})

describe('a known value', () => {
  test('is masked in base64, whatever stands before and behind it, and in URLs and forms', () => {
    const known = fc
      .string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' })
      .filter((v) => v.trim().length >= 8)
    const check = fc.property(
      known,
      fc.string({ maxLength: 9 }),
      fc.string({ maxLength: 9 }),
      (value, before, after) => {
        const mask = createSecretMask([value])
        for (const encoding of ['base64', 'base64url'] as const) {
          const encoded = Buffer.from(before + value + after).toString(encoding)
          const text = mask.text(`x ${encoded} y`).slice(2, -2)
          // what is left does not give more than a character at each end
          const left = [...text].filter((char) => char !== '•').length
          const around = Buffer.byteLength(before + after) * (4 / 3)
          expect(left).toBeLessThanOrEqual(around + 6)
        }
        const form = new URLSearchParams({ a: value }).toString().slice(2)
        if (form === encodeURIComponent(value).replaceAll('%20', '+'))
          expect(mask.text(form)).not.toContain(form)
      },
    )
    fc.assert(check, { numRuns: 500 })
  })

  test.each(['correct horse/9', 'p@ss w0rd+x=/'])('%s is masked in all its spellings', (value) => {
    const mask = createSecretMask([value])
    const url = encodeURIComponent(value)
    for (const spelling of [url, url.toLowerCase(), url.replaceAll('%20', '+'), btoa(`me:${value}`)])
      expect(mask.text(`x ${spelling} y`)).not.toContain(spelling.slice(4, -3))
  })
})

test.each(['password', 'TOKEN', 'password=', '"apiKey": "', 'token: a1', 'TOKEN=aTOKEN=', 'password = a1b2'])(
  '2 MB of %s take less than two seconds',
  (piece) => {
    const mask = createSecretMask(['plain-value-9', 'another plain value'])
    const text = piece.repeat(Math.ceil(2_000_000 / piece.length))
    const start = process.threadCpuUsage()
    mask.text(text)
    expect(process.threadCpuUsage(start).user / 1_000).toBeLessThan(2_000)
  },
)
