import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createSecretMask, shapeMask } from './mask.ts'

const A = (n: number) => 'A1b2C3d4'.repeat(Math.ceil(n / 8)).slice(0, n)
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${`${A(64)}\n`.repeat(5)}${A(7)}=\n-----END RSA PRIVATE KEY-----`

/** A secret, and what of it nobody may read. */
const SECRETS: readonly (readonly [string, string])[] = [
  [`sk-ant-api03-${'A'.repeat(80)}`, 'A'.repeat(80)],
  [`sk-ant-api03-${A(80)}`, A(80)],
  [`sk-proj-${A(60)}`, A(60)],
  [`sk-${A(48)}`, A(48)],
  [`sk-or-v1-${'0a1b2c3d'.repeat(8)}`, '0a1b2c3d'.repeat(8)],
  [`gsk_${A(52)}`, A(52)],
  [`xai-${A(60)}`, A(60)],
  [`AIza${A(35)}`, A(35)],
  [`ghp_${A(36)}`, A(36)],
  [`github_pat_${A(22)}_${A(59)}`, A(59)],
  [`glpat-${A(20)}`, A(20)],
  [`xoxb-123456789012-123456789012-${A(24)}`, A(24)],
  ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7EXAMPLE'],
  [`hf_${A(34)}`, A(34)],
  [`npm_${A(36)}`, A(36)],
  [`sk_live_${A(24)}`, A(24)],
  [PEM, A(64)],
  [PEM.replaceAll('\n', '\\n'), A(64)],
  [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${A(43)}`, A(43)],
  [`Authorization: Bearer ${A(30)}`, A(30)],
  ['Authorization: Basic dXNlcjpwYXNzd29yZDE=', 'dXNlcjpwYXNzd29yZDE='],
  ['https://me:hunter2secret@example.com/x', 'hunter2secret'],
  ['postgres://app:p%40ss-w0rd@db:5432/app', 'p%40ss-w0rd'],
  ['DB_PASSWORD=correct-horse-1', 'correct-horse-1'],
  ['export MY_API_KEY="abcd1234efgh"', 'abcd1234efgh'],
  ['https://example.com/cb?state=1&access_token=abcd1234efgh', 'abcd1234efgh'],
]

/** What is no secret, and has to stay readable. */
const OTHERS = [
  'e9ce7ac1f00dcafe1234567890abcdef12345678',
  '123e4567-e89b-12d3-a456-426614174000',
  `data:image/png;base64,iVBORw0KGgo${A(400)}`,
  `sha256-${A(43)}=`,
  'cnv_01jd2x3y4z5a6b7c8d9e0f1g2h',
  'task-force-one-two-three-four-five-six',
  'the sk-learn-compatible-estimator-interface-of-it',
  'risk-assessment-and-mitigation-planning-2026',
  'Bearer tokens are misunderstood by misunderstanders',
  'Basic authentication and internationalization',
  'Basic Internationalization',
  'https://example.com:8080/a:b@c/d',
  'http://127.0.0.1:4680/#conversation',
  'ssh://git@github.com:org/repo.git',
  'PASSWORD=$SECRET TOKEN=$(get-token-2) SECRET=getSecret(12)',
  'const token = await readToken(path2)',
  'PRIMARY_KEY=id and SORT_KEY=created_at_desc_2',
  '-----BEGIN PRIVATE KEY----- is how such a file begins; rm -rf / is not hidden by it',
  '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----',
  'eyJhbGciOiJub25lIn0 alone is no token',
  'https://example.com/page?token=introduction&secret=of-conduct',
]

describe('a secret', () => {
  it.each(SECRETS)('%s is masked wherever it stands, character by character', (secret, hidden) => {
    for (const [before, after] of [
      ['', ''],
      ['key: "', '"'],
      ['\u001b[31m', '\u001b[0m'],
      ['a\\n', '\\nb'],
      ['(', ').'],
    ]) {
      const text = `${before}${secret}${after}`
      const masked = shapeMask.text(text)
      expect(masked).not.toContain(hidden)
      expect(masked).toHaveLength(text.length)
      expect(shapeMask.text(masked)).toBe(masked)
      expect(masked.startsWith(before!)).toBe(true)
    }
  })

  it('in a private key is masked to its last line', () => {
    const lines = shapeMask.text(PEM).split('\n')
    expect(lines[0]).toBe('-----BEGIN RSA PRIVATE KEY-----')
    expect(lines.slice(1, -1).join('')).toMatch(/^•+$/)
    expect(lines.at(-1)).toBe('-----END RSA PRIVATE KEY-----')
  })

  it('in a private key is masked where its lines are numbered, or stand in a text of JSON', () => {
    const numbered = PEM.split('\n')
      .map((line, i) => `${i + 1}\t${line}`)
      .join('\n')
    const removed = PEM.split('\n')
      .map((line) => `-${line}`)
      .join('\n')
    for (const text of [
      numbered,
      removed,
      JSON.stringify({ numbered, removed }),
      numbered.replaceAll('\t', ':'),
    ])
      expect(shapeMask.text(text)).not.toMatch(/A1b2C3/)
  })

  it('hides no command that stands beside it', () => {
    const beside = ['; rm -rf ~', '$(id)', '`id`', '| sh', '&& id', '\nrm -rf /home\n', '> /etc/passwd']
    for (const [secret] of SECRETS)
      for (const command of beside) expect(shapeMask.text(`${secret}${command}`)).toContain(command)
  })
})

it.each(OTHERS)('what is no secret stays: %s', (text) => {
  expect(shapeMask.text(text)).toBe(text)
})

describe('a known value', () => {
  const mask = createSecretMask(['correct horse "battery"', 'plain-value-9', 'sk-own-1'])

  it.each([
    ['a plain-value-9 b', 'a ••••••••••••• b'],
    ['xplain-value-9plain-value-9', 'x••••••••••••••••••••••••••'],
    ['correct horse "battery"', '••••••• ••••• •••••••••'],
    [JSON.stringify({ a: 'correct horse "battery"' }), '{"a":"••••••• ••••• •••••••••••"}'],
    ['?q=correct%20horse%20%22battery%22', '?q=•••••••••••••••••••••••••••••••'],
    ['plain-value-', 'plain-value-'],
    ['an sk-own-1-ed thing', 'an ••••••••-ed thing'],
  ])('is masked in %s', (text, expected) => {
    expect(mask.text(text)).toBe(expected)
    expect(mask.keys(text)).toBe(expected)
  })

  it('and keys alone are masked in what is worked with', () => {
    const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${A(43)}`
    const text = `${jwt} sk-ant-api03-${A(40)} DB_PASSWORD=abcd1234`
    expect(mask.keys(text)).toBe(`${jwt} sk-ant-${'•'.repeat(46)} DB_PASSWORD=abcd1234`)
  })
})

describe('a text in pieces', () => {
  const values = ['plain-value-9', 'sk-ant-own', 'aab', 'multi\nline value']
  const mask = createSecretMask(values)
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(...SECRETS.map(([secret]) => secret), ...OTHERS, ...values),
      fc.constantFrom(
        'sk-',
        'sk-ant-',
        'eyJ',
        '://',
        ':',
        '@',
        '-----BEGIN ',
        'TOKEN=',
        'Bearer ',
        '\\n',
        'aa',
      ),
      fc.constantFrom(...SECRETS.map(([secret]) => secret.slice(0, secret.length >> 1))),
      fc.string(),
      fc.constantFrom(' ', '\n', '.', '-', '1', 'A'),
    ),
    { maxLength: 8 },
  )
  const cut = (text: string, cuts: readonly number[]) => {
    const places = [0, ...cuts.map((each) => each % (text.length + 1)), text.length].sort((a, b) => a - b)
    return places.slice(1).map((end, i) => text.slice(places[i], end))
  }

  test('is masked as the whole is, however it is cut', () => {
    let masked = 0
    const check = fc.property(pieces, fc.array(fc.nat(5_000), { maxLength: 20 }), (parts, cuts) => {
      const text = parts.join('')
      const stream = mask.stream()
      const told = cut(text, cuts).map(stream.push).join('') + stream.end()
      const whole = mask.text(text)
      if (whole !== text) masked++
      expect(told).toBe(whole)
      expect(whole).toHaveLength(text.length)
      expect(mask.text(whole)).toBe(whole)
    })
    fc.assert(check, { numRuns: 3_000 })
    expect(masked).toBeGreaterThan(1_000)
  })

  test('is masked where a longer anchor began before one that is open, and once alone', () => {
    const stream = mask.stream()
    const told = stream.push('cb?state=1&access_token') + stream.push('=abcd1234efgh{') + stream.end()
    expect(told).toBe('cb?state=1&access_token=••••••••••••{')
    const once = mask.text('aTOKEN=sk-proj-A1b2C3d4A1b2C3d4A1b2C3d4A1$')
    expect(mask.text(once)).toBe(once)
  })

  test('is masked as the whole is, one character at a time', () => {
    for (const text of [...SECRETS.map(([secret]) => `a ${secret} b`), ...OTHERS, values.join(' ')]) {
      const stream = mask.stream()
      expect([...text].map(stream.push).join('') + stream.end()).toBe(mask.text(text))
    }
  })

  test('never waits with more than a private key has', () => {
    const check = fc.property(pieces, fc.array(fc.nat(5_000), { maxLength: 20 }), (parts, cuts) => {
      const stream = mask.stream()
      let waiting = 0
      for (const piece of cut(parts.join('').repeat(20), cuts)) {
        waiting += piece.length - stream.push(piece).length
        expect(waiting).toBeLessThan(16 * 1024 + 64)
      }
    })
    fc.assert(check, { numRuns: 300 })
    const stream = mask.stream()
    expect(stream.push('plain words are told at once.')).toBe('plain words are told at once.')
  })
})

test.each([
  ['words', 'the quick brown fox jumps over the lazy dog. '],
  ['anchors', 'sk-'],
  ['beginnings of tokens', '-eyJ'],
  ['tokens', ` eyJ${'a'.repeat(1_000)}.`],
  ['addresses', '://a:'],
  ['blocks', '-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAA'],
  ['heads of blocks', '-----BEGIN A A '],
  ['credentials', 'Bearer a'],
  ['assignments', 'TOKEN=aTOKEN='],
  ['keys', `sk-ant-${A(40)} `],
  ['values', 'plain-value-plain-value-9'],
  ['base64', A(8)],
])('2 MB of %s take less than two seconds', (_, piece) => {
  const mask = createSecretMask(['plain-value-9', `-----BEGIN PRIVATE KEY-----${A(2_000)}`])
  const text = piece.repeat(Math.ceil(2_000_000 / piece.length))
  const start = process.threadCpuUsage()
  mask.text(text)
  const { user } = process.threadCpuUsage(start)
  expect(user / 1_000).toBeLessThan(2_000)
})
