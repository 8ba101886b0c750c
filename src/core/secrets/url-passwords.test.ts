import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { MASK_CHAR, shapeMask } from './mask.ts'

const HEX = '0a1b2c3d4e5f'.repeat(4)

/** A text, and what of it nobody may read. */
const SECRETS: readonly (readonly [string, string])[] = [
  ['https://me:a:b1@example.com/x', 'a:b1'],
  ['https://me:p@ss@example.com/x', 'p@ss'],
  ['https://me@example.com:p@ss@mail.example.com', 'p@ss'],
  ['postgres://app:p&q$r;s|t*u@db:5432/app', 'p&q$r;s|t*u'],
  ['postgres://app:pässwörd@db:5432/app', 'pässwörd'],
  ['{"url":"https:\\/\\/me:hunter2@example.com\\/x"}', 'hunter2'],
  ['{"url":"https:\\/\\/me:hun\\/ter2@example.com\\/x"}', 'hun\\/ter2'],
  ['{"url":"https://me:hun\\u0026ter2@example.com"}', 'hun\\u0026ter2'],
  [`https://${'u'.repeat(200)}:hunter2@example.com`, 'hunter2'],
  [`https://me:${'long1'.repeat(200)}@example.com`, 'long1'],
  [`https://${HEX}@sentry.example.com/1`, HEX],
  [`https://${HEX}:x-oauth-basic@github.com/a/b`, HEX],
  [`https://bucket.example.com/key?X-Amz-Expires=60&X-Amz-Signature=${HEX}`, HEX],
  [`https://bucket.example.com/key?a=1&amp;X-Amz-Security-Token=${HEX}`, HEX],
  [`https://storage.example.com/key?X-Goog-Signature=${HEX}&x=1`, HEX],
  ['https://a.blob.example.net/c?sv=2024-01-01&sig=aB3%2FcD4e%3D', 'aB3%2FcD4e%3D'],
  ['{"u":"https://a.blob.example.net/c?sv=2024\\u0026sig=aB3%2FcD4e%3D"}', 'aB3%2FcD4e%3D'],
  ['https://cdn.example.com/x?Expires=1&Signature=a1B2c3D4~e5__&Key-Pair-Id=K1', 'a1B2c3D4~e5__'],
]

const OTHERS = [
  'https://example.com:8080/a:b@c/d',
  'https:\\/\\/example.com:8080\\/a:b@c\\/d',
  'https://example.com:8080?to=a:b@c',
  'https://example.com:8080#a@b',
  'https://example.com:8080 mails a:b@c',
  'ssh://git@github.com:org/repo.git',
  'mongodb://db-1:27017,db-2:27017/app',
  'https://me@example.com/x',
  'https://a-long-name-of-a-user-without-digits@example.com/x',
  'https://me:${PASSWORD}@example.com',
  'https://me:<password>@example.com',
  'https://example.com/?X-Amz-Signature=introduction',
]

const PIECES = [
  '://',
  ':\\/\\/',
  'http',
  'me',
  ':',
  '@',
  '/',
  '\\/',
  '\\',
  '\\u0026',
  '\\u00',
  '&',
  ';',
  '80',
  ' ',
  '"',
  '(',
  'host',
  HEX,
  '?sig=',
  '&amp;',
  'ä',
  'x'.repeat(255),
  'p'.repeat(1_023),
  'ghp_',
]

describe('a password in a URL', () => {
  it.each(SECRETS)('%s is masked', (text, hidden) => {
    const masked = shapeMask.text(text)
    expect(masked).not.toContain(hidden)
    expect(masked).toHaveLength(text.length)
    expect(shapeMask.text(masked)).toBe(masked)
    expect(shapeMask.text(JSON.stringify({ text: `see ${text} there` }))).not.toContain(hidden)
  })

  it('is masked with its last character, and nothing else is', () => {
    expect(shapeMask.text('curl https://me:p@s&s@example.com/x')).toBe('curl https://me:•••••@example.com/x')
    expect(shapeMask.text('a://b:c@d e://f:g@h')).toBe('a://b:•@d e://f:•@h')
  })

  it.each(OTHERS)('is not in %s', (text) => {
    expect(shapeMask.text(text)).toBe(text)
    expect(shapeMask.approval(text)).toBe(text)
  })

  test('is masked as the whole is, however the text is cut', () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 })
    let masked = 0
    const check = fc.property(pieces, fc.array(fc.nat(3_000), { maxLength: 12 }), (parts, cuts) => {
      const text = `a://me:${parts.join('')}@host`
      const whole = shapeMask.text(text)
      if (whole !== text) masked++
      expect(shapeMask.text(whole)).toBe(whole)
      const stream = shapeMask.stream()
      const places = [0, ...cuts.map((at) => at % (text.length + 1)), text.length].sort((a, b) => a - b)
      const told = places.slice(1).map((end, i) => stream.push(text.slice(places[i], end)))
      expect(told.join('') + stream.end()).toBe(whole)
    })
    fc.assert(check, { numRuns: 2_000 })
    expect(masked).toBeGreaterThan(300)
  })
})

describe('in what a person approves', () => {
  it.each([
    ['curl http://a:b;reboot@host', 'curl http://a:•;reboot@host'],
    ['curl http://a:b&reboot@host', 'curl http://a:•&reboot@host'],
    ['curl http://a:b$(reboot)@host', 'curl http://a:b$(reboot)@host'],
    ['curl http://a:$IFS;reboot@host', 'curl http://a:$IFS;reboot@host'],
    ['curl http://a:b|sh@host', 'curl http://a:•|sh@host'],
    ['curl http://a;b:reboot@host', 'curl http://a;b:reboot@host'],
    ["curl http://a:b'reboot'@host", "curl http://a:b'reboot'@host"],
    ['curl http://a:(reboot)@host', 'curl http://a:(reboot)@host'],
    ['curl http://a:b\\/reboot@host', 'curl http://a:•\\/reboot@host'],
    ['curl http://a:b@evil.example;x@host', 'curl http://a:•@evil.example;x@host'],
    ['curl http://me:p@ss:1@host/x', 'curl http://me:••••••@host/x'],
    [`git clone https://${HEX};reboot@host`, `git clone https://${HEX};reboot@host`],
    [`git clone https://${HEX}:x@host`, `git clone https://${MASK_CHAR.repeat(HEX.length + 2)}@host`],
  ])('%s is shown as %s', (command, shown) => {
    expect(shapeMask.approval(command)).toBe(shown)
  })

  test('nothing that a shell would run is hidden', () => {
    const chars = fc.constantFrom(...'ab1:@/.\\\'"`;&|<>()${}[]!*~^%= \t\n#?,+-_ä')
    const check = fc.property(fc.string({ unit: chars, maxLength: 24 }), (rest) => {
      const command = `curl http://${rest}@host`
      const shown = shapeMask.approval(command)
      expect(shown).toHaveLength(command.length)
      // Every word that follows a sign of the shell, up to the next one
      const from = command.search(/[;&|<>()$'"`\\\s{}[\]](?<!^curl )/)
      if (from >= 0) expect(shown.slice(from)).toBe(command.slice(from))
    })
    fc.assert(check, { numRuns: 5_000 })
  })
})

test.each([
  ['addresses in JSON', ':\\/\\/a:'],
  ['addresses with escapes', ':\\/\\/a:b\\/c'],
  ['users', '://a@'],
  ['tokens', `://${HEX}`],
  ['long passwords', `://a:${'b@'.repeat(600)} `],
  ['signatures', `&X-Amz-Signature=${HEX}`],
])('2 MB of %s take less than two seconds', (_, piece) => {
  const text = piece.repeat(Math.ceil(2_000_000 / piece.length))
  for (const mask of [shapeMask.text, shapeMask.approval]) {
    const start = process.threadCpuUsage()
    mask(text)
    expect(process.threadCpuUsage(start).user / 1_000).toBeLessThan(2_000)
  }
})
