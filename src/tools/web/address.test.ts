import { BlockList, isIPv4 } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusedKind } from './address.ts'

const REFUSED =
  `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1
192.168.0.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::2 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::10.0.0.1
64:ff9b:1::8.8.8.8 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1
2001:db8::1 2002:7f00:1:: 2002:808:808:: 2620:4f:8000::1 3fff::1 3fff:fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fdff::1
fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 fe80::1%lo0 2606:4700::1%eth0 2001:4860:1::5efe:127.0.0.1 2001:4860:1:0:200:5efe:a00:1
ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`.split(/\s+/)

const PUBLIC =
  `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
203.0.112.255 203.0.114.0 223.255.255.255 168.63.129.15 2000::1 2001:200::1 2001:4860:4860::8888 2606:4700:4700::1111 2003::1
2a00:1450:4001:81b::200e 3ffe::1 64:ff9b::8.8.8.8 2001:4860:1::5efe:8.8.8.8`.split(/\s+/)

test.each(REFUSED)('%s is refused', (address) => {
  expect(refusedKind(address)).toEqual(expect.stringMatching(/^[\w -]+$/))
})

test.each(PUBLIC)('%s is public', (address) => {
  expect(refusedKind(address)).toBeNull()
})

test.each([
  '',
  'localhost',
  '127.1',
  '0x7f000001',
  '2130706433',
  '1.2.3.4.5',
  '::g',
  '[::1]',
  '1::2::3',
  '%',
])('refuses what is not an address: %j', (text) => {
  expect(refusedKind(text)).toBe('malformed')
})

test('refuses the common private ranges as a whole, and mapped addresses always', () => {
  const list = new BlockList()
  const ranges = {
    '10.0.0.0': 8,
    '127.0.0.0': 8,
    '169.254.0.0': 16,
    '172.16.0.0': 12,
    '192.168.0.0': 16,
    '224.0.0.0': 3,
  }
  for (const [base, prefix] of Object.entries(ranges)) list.addSubnet(base, prefix)
  const property = fc.property(fc.ipV4(), (address) => {
    if (list.check(address)) expect(refusedKind(address)).not.toBeNull()
    expect(refusedKind(`::ffff:${address}`)).toBe('IPv4-mapped')
    expect(refusedKind(`64:ff9b::${address}`) === null).toBe(refusedKind(address) === null)
  })
  fc.assert(property, { numRuns: 2_000 })
})

test('decides any IPv6 address, and refuses everything outside 2000::/3', () => {
  const property = fc.property(fc.ipV6(), (address) => {
    const first = parseInt(address.startsWith(':') ? '0' : address.split(':')[0]!, 16)
    const isNat64 = /^(0?0?64:ff9b:)/i.test(address)
    if ((first < 0x2000 || first > 0x3fff) && !isNat64) expect(refusedKind(address)).not.toBeNull()
    expect(isIPv4(address)).toBe(false)
  })
  fc.assert(property, { numRuns: 5_000 })
})
