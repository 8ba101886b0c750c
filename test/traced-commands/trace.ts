import { basename, dirname, join } from 'node:path'

/** Something that a process has done, with success. */
export interface Deed {
  readonly kind: 'execute' | 'read' | 'write' | 'connect'
  /** Absolute, without links; an address for `connect`. */
  readonly what: string
  /** Of a started program. */
  readonly argv: readonly string[]
  /** The program that did it, and those that started it, the nearest first. */
  readonly by: readonly (readonly string[])[]
  readonly line: string
}

/** What strace is to record. It prints only what succeeds, so that each line is whole. */
export const STRACE = [
  'strace',
  '-f',
  '-z',
  '-y',
  '-qq',
  '--seccomp-bpf',
  '--signal=none',
  '-s',
  '4096',
  '-e',
  `trace=execve,execveat,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,
    mkdir,mkdirat,rmdir,truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,connect,bind,sendto,mknod,mknodat,
    mount,umount2,unshare,chdir,fchdir,clone,clone3,fork,vfork`.replace(/\s+/g, ''),
] as const

/** Calls that change what their arguments name: positions of paths, each after its directory, if there is one. */
const CHANGES: Readonly<
  Record<string, readonly (readonly [directory: number | null, path: number, last?: true])[]>
> = {
  creat: [[null, 0, true]],
  truncate: [[null, 0, true]],
  chmod: [[null, 0, true]],
  chown: [[null, 0, true]],
  fchmodat: [[0, 1, true]],
  fchownat: [[0, 1, true]],
  lchown: [[null, 0]],
  unlink: [[null, 0]],
  rmdir: [[null, 0]],
  mkdir: [[null, 0]],
  mknod: [[null, 0]],
  symlink: [[null, 1]],
  unlinkat: [[0, 1]],
  mkdirat: [[0, 1]],
  mknodat: [[0, 1]],
  symlinkat: [[1, 2]],
  rename: [
    [null, 0],
    [null, 1],
  ],
  link: [
    [null, 0],
    [null, 1],
  ],
  renameat: [
    [0, 1],
    [2, 3],
  ],
  renameat2: [
    [0, 1],
    [2, 3],
  ],
  linkat: [
    [0, 1],
    [2, 3],
  ],
}

interface Process {
  cwd: string
  /** Of the program that it runs, and of those above. */
  by: readonly (readonly string[])[]
}

/** Reads what strace has written. `links`: those that were there before, by their path. @throws Error for a line it cannot read */
export function readTrace(text: string, cwd: string, links: ReadonlyMap<string, string>): readonly Deed[] {
  const lines = inOrder(text.split('\n').filter((line) => line !== ''))
  const reader = new Reader(new Map(links))
  const first = lines[0] === undefined ? '' : pidOf(lines[0])
  reader.processes.set(first, { cwd, by: [] })
  for (const line of lines) reader.read(line)
  return reader.deeds
}

/** A child may be quicker than the end of the call that made it. */
function inOrder(lines: readonly string[]): readonly string[] {
  const firsts = new Map<string, number>()
  lines.forEach((line, at) => firsts.has(pidOf(line)) || firsts.set(pidOf(line), at))
  const placed = lines.map((line, at) => {
    const child = /^\d+ +(?:v?fork|clone3?)\(.* = (\d+)/.exec(line)?.[1]
    const before = child === undefined ? undefined : firsts.get(child)
    return { line, at: before === undefined ? at : Math.min(at, before - 0.5) }
  })
  return placed.toSorted((a, b) => a.at - b.at).map(({ line }) => line)
}

const pidOf = (line: string) => /^\d+/.exec(line)?.[0] ?? ''

class Reader {
  readonly processes = new Map<string, Process>()
  readonly deeds: Deed[] = []
  readonly #links: Map<string, string>

  constructor(links: Map<string, string>) {
    this.#links = links
  }

  read(line: string): void {
    const [, pid = '', call = '', rest = ''] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? []
    const process = this.processes.get(pid)
    if (/^\d+ +(\+\+\+|---)/.test(line)) return
    if (!process || call === '') throw new Error(`strace wrote ${line}`)
    const { args, result } = parts(rest)
    this.#take(process, { call, args, result, line })
  }

  #take(process: Process, { call, args, result, line }: Call): void {
    const add = (kind: Deed['kind'], what: string, argv: readonly string[] = []) =>
      this.deeds.push({ kind, what, argv, by: process.by, line })
    if (/^(v?fork|clone3?)$/.test(call)) {
      this.processes.set(/^\d+/.exec(result)?.[0] ?? '', { ...process })
    } else if (call === 'execve' || call === 'execveat') {
      const [path = '', argv = ''] = call === 'execve' ? args : [args[1], args[2]]
      const words = listOf(argv)
      add('execute', this.#real(absolute(process.cwd, textOf(path)), false), words)
      process.by = [[textOf(path), ...words.slice(1)], ...process.by]
    } else if (call === 'chdir') {
      process.cwd = this.#real(absolute(process.cwd, textOf(args[0] ?? '')), true)
    } else if (call === 'fchdir') {
      process.cwd = shownPath(args[0] ?? '')
    } else if (call === 'open' || call.startsWith('openat')) {
      const how = args[call === 'open' ? 1 : 2] ?? ''
      // what is in a directory is no file's text
      if (how.includes('O_DIRECTORY')) return
      add(/O_WRONLY|O_RDWR|O_TRUNC|O_CREAT|O_TMPFILE/.test(how) ? 'write' : 'read', shownPath(result))
    } else if (/^(ftruncate|fchmod|fchown)$/.test(call)) {
      add('write', shownPath(args[0] ?? ''))
    } else if (/^(connect|bind|sendto)$/.test(call)) {
      const address = addressOf(args)
      if (address !== undefined) add('connect', address)
    } else if (/^(mount|umount2|unshare)$/.test(call)) {
      add('write', `/${call}`)
    } else {
      this.#change(process, { call, args, result, line }, add)
    }
  }

  #change(
    process: Process,
    { call, args, line }: Call,
    add: (kind: Deed['kind'], what: string) => void,
  ): void {
    const places = CHANGES[call]
    if (!places) throw new Error(`strace wrote ${line}`)
    const paths = places.map(([directory, at, last]) => {
      const from = directory === null ? process.cwd : shownPath(args[directory] ?? '')
      return this.#real(absolute(from, textOf(args[at] ?? '')), last === true && !line.includes('NOFOLLOW'))
    })
    for (const path of paths) add('write', path)
    const [from = '', to = ''] = paths
    if (call.startsWith('symlink')) this.#links.set(from, textOf(args[0] ?? ''))
    if (call.startsWith('unlink')) this.#links.delete(from)
    if (call.startsWith('rename')) this.#rename(from, to)
  }

  #rename(from: string, to: string): void {
    for (const [path, target] of new Map(this.#links)) {
      if (path !== from && !path.startsWith(`${from}/`)) continue
      this.#links.delete(path)
      this.#links.set(to + path.slice(from.length), target)
    }
  }

  /** `last`: also what a link at the end leads to. */
  #real(path: string, last: boolean, depth = 0): string {
    const names = path.split('/').filter((name) => name !== '' && name !== '.')
    let at = '/'
    for (const [index, name] of names.entries()) {
      const next = name === '..' ? dirname(at) : join(at, name)
      const target = this.#links.get(next)
      const isLast = index === names.length - 1
      if (target === undefined || (isLast && !last) || depth > 20) at = next
      else at = this.#real(absolute(dirname(next), target), true, depth + 1)
    }
    return at
  }
}

interface Call {
  readonly call: string
  readonly args: readonly string[]
  readonly result: string
  readonly line: string
}

function absolute(from: string, path: string): string {
  return path.startsWith('/') ? path : `${from}/${path}`
}

/** Arguments up to the closing parenthesis, and what follows the equals sign. */
function parts(rest: string): { readonly args: readonly string[]; readonly result: string } {
  const args: string[] = []
  let [depth, start, inText] = [0, 0, false]
  for (let at = 0; at < rest.length; at++) {
    const char = rest[at]!
    if (inText) {
      if (char === '\\') at++
      else if (char === '"') inText = false
    } else if (char === '"') inText = true
    else if ('([{<'.includes(char)) depth++
    else if (')]}>'.includes(char) && depth > 0) depth--
    else if ((char === ',' || char === ')') && depth === 0) {
      args.push(rest.slice(start, at).trim())
      start = at + 1
      if (char === ')') return { args, result: rest.slice(at + 1).replace(/^\s*=\s*/, '') }
    }
  }
  throw new Error(`strace wrote ${rest}`)
}

function textOf(arg: string): string {
  const text = /^"(.*)"(\.\.\.)?$/s.exec(arg)?.[1]
  if (text === undefined) throw new Error(`strace wrote ${arg} for a text`)
  const bytes = text.replace(/\\([0-7]{1,3}|.)/g, (_, escape: string) =>
    /^[0-7]/.test(escape)
      ? String.fromCharCode(Number.parseInt(escape, 8))
      : ({ n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' }[escape] ?? escape),
  )
  return Buffer.from(bytes, 'latin1').toString()
}

function listOf(arg: string): readonly string[] {
  return Array.from(arg.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([text]) => textOf(text))
}

/** `3</a/b>`, and `AT_FDCWD</a>`. */
function shownPath(arg: string): string {
  return /^[\w-]+<(.*)>(?:\(deleted\))?$/s.exec(arg.trim())?.[1] ?? ''
}

/** Undefined for a connection that leaves no process of the cell: a pair, a netlink question to the kernel. */
function addressOf(args: readonly string[]): string | undefined {
  const address = args.find((arg) => arg.startsWith('{sa_family=')) ?? ''
  const ip = /inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"/.exec(address)
  if (ip) return ip[1] ?? ip[2]
  return /sun_path=(@?"[^"]*")/.exec(address)?.[1]
}

export function nameOf(argv: readonly string[]): string {
  return basename(argv[0] ?? '')
}
