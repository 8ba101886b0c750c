import type { ChildProcess } from 'node:child_process'
import type { Writable } from 'node:stream'
import { inheritableDescriptors } from './inheritable-descriptors.ts'

/** What bubblewrap is handed. All are pipes: what a cell has is a socket, and /proc opens no sockets. */
export const PIPES = { args: 3, info: 4, passwd: 5, group: 6, filter: 7, gitSettings: 8 }

/**
 * The pipes up to this one, and /dev/null in place of whatever else a child of this process would have: what a shell or a
 * service has left open for us could be opened again in the cell, by way of its /proc.
 */
export function pipesUpTo(lastPipe: number): ('pipe' | 'ignore')[] {
  const last = Math.max(lastPipe, ...inheritableDescriptors())
  return Array.from({ length: last + 1 }, (_, fd) => (fd <= lastPipe ? 'pipe' : 'ignore'))
}

export function hand(child: ChildProcess, fd: number, contents: string | Buffer): void {
  const pipe = child.stdio[fd] as Writable
  pipe.on('error', () => {}) // the end of the child says it
  pipe.end(contents)
}
