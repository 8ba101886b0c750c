import { isIP } from 'node:net'

/**
 * The kind of an address that must not be fetched, as in `a private address`; null: public unicast. An address that
 * embeds an IPv4 address counts as that one if it routes there (NAT64, ISATAP), otherwise as reserved.
 */
export function refusedKind(address: string): string | null {
  switch (isIP(address)) {
    case 4:
      return kindIn(IPV4, numberOf(address.split('.').map(Number), 8)) ?? null
    case 6:
      return address.includes('%') ? 'link-local' : refusedIpv6(hextets(address))
    default:
      return 'malformed'
  }
}

type Range = readonly [base: bigint, free: number, kind: string]

function range4(base: string, prefix: number, kind: string): Range {
  return [numberOf(base.split('.').map(Number), 8), 32 - prefix, kind]
}

function range6(base: string, prefix: number, kind: string): Range {
  return [numberOf(hextets(base), 16), 128 - prefix, kind]
}

/**
 * The IANA registry of special-purpose addresses, multicast, and a public address that a cloud platform uses for
 * itself.
 */
const IPV4: readonly Range[] = [
  range4('0.0.0.0', 8, 'unspecified'),
  range4('10.0.0.0', 8, 'private'),
  range4('100.64.0.0', 10, 'carrier-grade NAT'),
  range4('127.0.0.0', 8, 'loopback'),
  range4('168.63.129.16', 32, 'cloud platform'),
  range4('169.254.0.0', 16, 'link-local'),
  range4('172.16.0.0', 12, 'private'),
  range4('192.0.0.0', 24, 'reserved'),
  range4('192.0.2.0', 24, 'documentation'),
  range4('192.31.196.0', 24, 'reserved'),
  range4('192.52.193.0', 24, 'reserved'),
  range4('192.88.99.0', 24, 'reserved'),
  range4('192.168.0.0', 16, 'private'),
  range4('192.175.48.0', 24, 'reserved'),
  range4('198.18.0.0', 15, 'benchmarking'),
  range4('198.51.100.0', 24, 'documentation'),
  range4('203.0.113.0', 24, 'documentation'),
  range4('224.0.0.0', 4, 'multicast'),
  range4('240.0.0.0', 4, 'reserved'),
]

const GLOBAL_IPV6 = range6('2000::', 3, 'global')
const NAT64 = range6('64:ff9b::', 96, 'NAT64')

/** Everything outside 2000::/3 is refused; entries there only improve the message. Entries inside it are exceptions. */
const IPV6: readonly Range[] = [
  range6('::', 128, 'unspecified'),
  range6('::1', 128, 'loopback'),
  range6('::ffff:0:0', 96, 'IPv4-mapped'),
  range6('fc00::', 7, 'private'),
  range6('fe80::', 10, 'link-local'),
  range6('ff00::', 8, 'multicast'),
  range6('2001::', 23, 'reserved'),
  range6('2001:db8::', 32, 'documentation'),
  range6('2002::', 16, '6to4'),
  range6('2620:4f:8000::', 48, 'reserved'),
  range6('3fff::', 20, 'documentation'),
]

function refusedIpv6(parts: readonly number[]): string | null {
  const value = numberOf(parts, 16)
  if (isIn(NAT64, value)) return refusedKind(lastIpv4(parts))
  const kind = kindIn(IPV6, value) ?? (isIn(GLOBAL_IPV6, value) ? null : 'reserved')
  if (kind === null && isIsatap(parts)) return refusedKind(lastIpv4(parts))
  return kind
}

function isIsatap(parts: readonly number[]): boolean {
  return (parts[4]! & ~0x0300) === 0 && parts[5] === 0x5efe
}

function lastIpv4(parts: readonly number[]): string {
  return parts
    .slice(6)
    .flatMap((part) => [part >> 8, part & 0xff])
    .join('.')
}

function kindIn(ranges: readonly Range[], value: bigint): string | undefined {
  return ranges.find((range) => isIn(range, value))?.[2]
}

function isIn([base, free]: Range, value: bigint): boolean {
  return value >> BigInt(free) === base >> BigInt(free)
}

function numberOf(parts: readonly number[], bits: number): bigint {
  return parts.reduce((sum, part) => (sum << BigInt(bits)) | BigInt(part), 0n)
}

/** The eight parts of an IPv6 address; its last two may be written as IPv4. */
function hextets(address: string): number[] {
  const [head = [], tail] = address.split('::').map(partsOf)
  if (tail === undefined) return head
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function partsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
