import { fstatSync, type Stats } from 'node:fs'
import { pipeWriters, type PipeWriters } from '../../exec/pipe-writers.ts'
import type { Io } from '../io.ts'

/** Whether stdin may hold data beside a prompt: a file, a pipe or a socket. A pipe may be inherited and never end. */
export function hasPipedInput({ stdin }: Pick<Io, 'stdin'>): boolean {
  if (stdin.isTTY) return false
  const { fd } = stdin as { readonly fd?: number }
  if (typeof fd !== 'number') return true
  const kind = statOf(fd)
  return kind !== undefined && (kind.isFile() || kind.isFIFO() || kind.isSocket())
}

/** Who can still write to stdin. Only a pipe tells: a socket belongs to the program that started this one, or to ssh. */
export function stdinWriters(stdin: Io['stdin']): PipeWriters {
  const { fd } = stdin as { readonly fd?: number }
  return typeof fd === 'number' && statOf(fd)?.isFIFO() ? pipeWriters(fd) : 'inherited'
}

function statOf(fd: number): Stats | undefined {
  try {
    return fstatSync(fd)
  } catch {
    return undefined // closed: there is nothing to read
  }
}
