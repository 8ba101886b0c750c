import { expect, test } from 'vitest'
import { systemCallFilter } from './system-call-filter.ts'

interface Call {
  readonly architecture: number
  readonly call: number
  readonly first?: number
  readonly second?: number
}

/** As the kernel runs it. */
function answerOf(filter: Buffer, { architecture, call, first = 0, second = 0 }: Call): string {
  const seen: Record<number, number> = { 0: call, 4: architecture, 16: first, 24: second }
  let word = 0
  for (let at = 0; ; at += 1) {
    const code = filter.readUInt16LE(at * 8)
    const [ifTrue, ifFalse] = [filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)]
    const value = filter.readUInt32LE(at * 8 + 4)
    if (code === 0x06) return nameOf(value)
    if (code === 0x20) word = seen[value]!
    else at += (code === 0x15 ? word === value : word >= value) ? ifTrue : ifFalse
  }
}

function nameOf(value: number): string {
  if (value === 0x7fff0000) return 'allowed'
  return value === 0x80000000 ? 'killed' : `error ${value & 0xffff}`
}

const X64 = { processor: 'x64', architecture: 0xc000003e }
const I386 = { processor: 'x64', architecture: 0x40000003 }
const ARM64 = { processor: 'arm64', architecture: 0xc00000b7 }
const ARM = { processor: 'arm64', architecture: 0x40000028 }

test.each([
  [X64, { socket: 41, ioctl: 16, keys: [248, 249, 250], rings: 425, bpf: 321, read: 0 }],
  [I386, { socket: 359, ioctl: 54, keys: [286, 287, 288], rings: 425, bpf: 357, read: 3 }],
  [ARM64, { socket: 198, ioctl: 29, keys: [217, 218, 219], rings: 425, bpf: 280, read: 63 }],
  [ARM, { socket: 281, ioctl: 54, keys: [309, 310, 311], rings: 425, bpf: 386, read: 3 }],
])('what no namespace confines is refused, and nothing else: %o', ({ processor, architecture }, calls) => {
  const filter = systemCallFilter(processor)!
  const answer = (call: number, more: Partial<Call> = {}) => answerOf(filter, { architecture, call, ...more })
  for (const call of [...calls.keys, calls.rings, calls.bpf]) expect(answer(call)).toBe('error 38')
  const families = Array.from({ length: 50 }, (_, family) => family)
  const made = families.filter((first) => answer(calls.socket, { first }) === 'allowed')
  expect(made).toEqual([1, 2, 10, 16])
  expect(answer(calls.socket, { first: 40 })).toBe('error 97')
  expect(answer(calls.ioctl, { second: 0x5412 })).toBe('error 1')
  expect(answer(calls.ioctl, { second: 0x541c })).toBe('error 1')
  expect(answer(calls.ioctl, { second: 0x5401 })).toBe('allowed')
  expect(answer(calls.read, { first: 40, second: 0x5412 })).toBe('allowed')
})

test('other ways to call the kernel are closed', () => {
  const filter = systemCallFilter('x64')!
  expect(answerOf(filter, { ...X64, call: 0x40000000 + 41, first: 40 })).toBe('error 38') // x32
  expect(answerOf(filter, { ...I386, call: 102, first: 1 })).toBe('error 38') // socketcall
  expect(answerOf(filter, { ...ARM64, call: 63 })).toBe('killed')
})

test('a processor whose calls are not known has none', () => {
  expect(systemCallFilter('s390x')).toBeUndefined()
})
