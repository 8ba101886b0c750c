/** One way to call the kernel: that of the processor, or of its 32-bit programs. */
interface CallTable {
  /** AUDIT_ARCH_*. */
  readonly architecture: number
  /** Calls that a cell does not have. */
  readonly refused: readonly number[]
  readonly socket: number
  readonly ioctl: number
  /** Calls from here on are those of another way that shares its number. */
  readonly end?: number
}

/** add_key, request_key, keyctl, bpf, io_uring_setup; then the numbers of socket and ioctl. */
const X64: CallTable = {
  architecture: 0xc000003e,
  refused: [248, 249, 250, 321, 425],
  socket: 41,
  ioctl: 16,
  end: 0x40000000, // x32
}
/** As above, and socketcall, which hides its arguments. */
const I386: CallTable = {
  architecture: 0x40000003,
  refused: [286, 287, 288, 357, 425, 102],
  socket: 359,
  ioctl: 54,
}
const ARM64: CallTable = {
  architecture: 0xc00000b7,
  refused: [217, 218, 219, 280, 425],
  socket: 198,
  ioctl: 29,
}
const ARM: CallTable = {
  architecture: 0x40000028,
  refused: [309, 310, 311, 386, 425],
  socket: 281,
  ioctl: 54,
}

const TABLES: Readonly<Record<string, readonly CallTable[]>> = {
  x64: [X64, I386],
  arm64: [ARM64, ARM],
}

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: those that a network of one's own confines. */
const FAMILIES = [1, 2, 10, 16]
/** TIOCSTI and TIOCLINUX: what is typed on a terminal, by a program. */
const TYPING = [0x5412, 0x541c]

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97
const ALLOW = 0x7fff0000
const KILL = 0x80000000
const ERROR = 0x00050000

/** Of BPF: load a word, jump if equal or if not less, return. */
const [LOAD, IF_EQUAL, IF_NOT_LESS, RETURN] = [0x20, 0x15, 0x35, 0x06]
/** Of what a filter sees: the call, the architecture, and the lower halves of the first two arguments. */
const SEEN = { call: 0, architecture: 4, first: 16, second: 24 }

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number]

/**
 * For bubblewrap's --seccomp: what no namespace of a cell confines. Keys that the kernel keeps for a session are those of
 * the person; sockets of virtual machines (AF_VSOCK) and others lead out of a network of its own; io_uring makes sockets that
 * no filter sees. Undefined: a processor whose calls are not known here.
 */
export function systemCallFilter(processor: string = process.arch): Buffer | undefined {
  const tables = TABLES[processor]
  if (!tables) return undefined
  return encoded([...tables.flatMap(tableInstructions), answer(KILL)])
}

function tableInstructions({ architecture, refused, socket, ioctl, end }: CallTable): Instruction[] {
  const calls = [
    load(SEEN.call),
    ...(end === undefined ? [] : refuse(IF_NOT_LESS, end, ENOSYS)),
    ...refused.flatMap((call) => refuse(IF_EQUAL, call, ENOSYS)),
    ...when(socket, [
      load(SEEN.first),
      ...FAMILIES.flatMap((family): Instruction[] => [[IF_EQUAL, family, 0, 1], answer(ALLOW)]),
      answer(ERROR | EAFNOSUPPORT),
    ]),
    ...when(ioctl, [load(SEEN.second), ...TYPING.flatMap((request) => refuse(IF_EQUAL, request, EPERM))]),
    answer(ALLOW),
  ]
  return [load(SEEN.architecture), [IF_EQUAL, architecture, 0, calls.length], ...calls]
}

/** What ends in no answer ends the table: the call is not looked at again. */
function when(call: number, then: readonly Instruction[]): Instruction[] {
  return [[IF_EQUAL, call, 0, then.length], ...then]
}

function refuse(test: number, value: number, error: number): Instruction[] {
  return [[test, value, 0, 1], answer(ERROR | error)]
}

function load(offset: number): Instruction {
  return [LOAD, offset]
}

function answer(value: number): Instruction {
  return [RETURN, value >>> 0]
}

const INSTRUCTION_BYTES = 8

/** Both processors have the least significant byte first. */
function encoded(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES)
  for (const [index, [code, value, ifTrue = 0, ifFalse = 0]] of instructions.entries()) {
    const at = index * INSTRUCTION_BYTES
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(ifTrue, at + 2)
    bytes.writeUInt8(ifFalse, at + 3)
    bytes.writeUInt32LE(value, at + 4)
  }
  return bytes
}
