import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { inCell } from '../support/in-cell.ts'

/** Why this machine traces nothing; undefined where it does. */
const refusal = findRefusal()

/**
 * A test that takes strace in a cell. Where the kernel refuses to trace, the test is that it says so, and stderr says what
 * was not tested; without strace it fails.
 */
export function inTrace(body: () => Promise<void>): () => Promise<void> {
  if (refusal === undefined) return inCell(body)
  return async () => {
    process.stderr.write(
      `NOT TESTED: what commands do in a cell, because strace cannot trace here: ${refusal}\n`,
    )
    expect(refusal).toMatch(/ptrace|Operation not permitted|Function not implemented/)
  }
}

function findRefusal(): string | undefined {
  const { status, stderr, error } = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], {
    encoding: 'utf8',
  })
  if (error) return `${error.message} (Debian: apt install strace)`
  return status === 0 ? undefined : stderr.trim()
}
