import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allowsHost, allowsRule, canonicalHost, readHostRule, type HostRule } from './host-rule.ts'

function rules(...texts: string[]): HostRule[] {
  return texts.map((text) => {
    const read = readHostRule(text)
    if ('problem' in read) throw new Error(read.problem)
    return read
  })
}

test.each([
  ['registry.npmjs.org', 'registry.npmjs.org', 443],
  ['registry.npmjs.org', 'registry.npmjs.org', 80],
  ['*.example.com', 'a.example.com', 443],
  ['*.example.com', 'a.b.example.com', 443],
  ['example.com:8443', 'example.com', 8443],
  ['93.184.216.34', '93.184.216.34', 443],
  ['[2606:4700::1]:8443', '2606:4700::1', 8443],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example', 443],
])('%s allows %s:%d', (rule, host, port) => {
  expect(allowsHost(rules(rule), { host, port })).toBe(true)
})

test.each([
  ['registry.npmjs.org', 'npmjs.org', 443],
  ['registry.npmjs.org', 'a.registry.npmjs.org', 443],
  ['registry.npmjs.org', 'registry.npmjs.org', 22],
  ['registry.npmjs.org', 'registry.npmjs.org.evil.example', 443],
  ['*.example.com', 'example.com', 443],
  ['*.example.com', 'badexample.com', 443],
  ['*.example.com', 'a.example.com', 8443],
  ['example.com:8443', 'example.com', 443],
])('%s does not allow %s:%d', (rule, host, port) => {
  expect(allowsHost(rules(rule), { host, port })).toBe(false)
})

test.each([
  ['https://example.com', /without the scheme/],
  ['example.com/a', /without a path/],
  ['example.com?a', /without a path/],
  ['user@example.com', /without a user/],
  ['*', /a \* is allowed only at the start/],
  ['**', /a \* is allowed only at the start/],
  ['*example.com', /a \* is allowed only at the start/],
  ['a.*.com', /a \* is allowed only at the start/],
  ['*.*.com', /a \* is allowed only at the start/],
  ['*.com', /it names too many hosts/],
  ['*.10.0.0.1', /an address has no names below it/],
  ['example.com:0', /0 is not a port/],
  ['example.com:65536', /65536 is not a port/],
  ['example.com:', /it is not a host/],
  ['example.com:http', /it is not a host/],
  ['', /it is not a host/],
  [' example.com', /it is not a host/],
  ['example..com', /not a valid name/],
  ['example.com.', /write it as example\.com/],
  ['bücher.example', /write it as xn--bcher-kva\.example/],
  ['localhost', /local network name; a service of this machine is named by its port, in sandbox\.ports/],
  ['db', /local network name/],
  ['metadata.google.internal', /local network name/],
  ['127.0.0.1', /it is a loopback address/],
  ['10.1.2.3:443', /it is a private address/],
  ['169.254.169.254', /it is a link-local address/],
  ['[::1]', /it is a loopback address/],
  ['[::ffff:10.0.0.1]', /write it as|IPv4-mapped/],
  ['0x7f.1', /write it as 127\.0\.0\.1/],
  ['2130706433', /write it as 127\.0\.0\.1/],
])('%j is no entry', (text, why) => {
  expect(readHostRule(text)).toEqual({ problem: expect.stringMatching(why) })
})

test('capital letters mean the same host', () => {
  expect(rules('Registry.NPMjs.org')).toEqual(rules('registry.npmjs.org'))
  expect(canonicalHost('EXAMPLE.com.')).toBe('example.com')
})

test('a list allows no more than another exactly if its entries are in it', () => {
  const wide = rules('*.example.com', 'example.org', 'example.net:8443')
  const within = (text: string) => allowsRule(wide, rules(text)[0]!)
  expect(
    ['a.example.com', '*.example.com', '*.b.example.com', 'example.org:443', 'example.net:8443'].map(within),
  ).toEqual(Array(5).fill(true))
  expect(
    ['example.com', '*.example.org', 'example.org:22', 'example.net', 'a.example.com:8443'].map(within),
  ).toEqual(Array(5).fill(false))
})

test('anything is an entry or a problem, and an entry allows itself alone', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.domain(), fc.ipV4(), fc.webAuthority()), (text) => {
      const read = readHostRule(text)
      if ('problem' in read) return
      expect(read.name).toBe(canonicalHost(read.name.includes(':') ? `[${read.name}]` : read.name))
      expect(allowsHost([read], { host: 'other.invalid', port: 443 })).toBe(false)
    }),
  )
})
