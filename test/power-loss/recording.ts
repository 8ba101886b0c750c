import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a program did to files, and what it said on stdout, in this order (recorder.c). */
export interface Operation {
  readonly kind: 'create' | 'mkdir' | 'unlink' | 'rename' | 'write' | 'truncate' | 'sync' | 'said'
  readonly path: string
  readonly offset: number
  readonly data: Buffer
}

const KINDS: Readonly<Record<string, Operation['kind']>> = {
  C: 'create',
  M: 'mkdir',
  U: 'unlink',
  R: 'rename',
  W: 'write',
  T: 'truncate',
  S: 'sync',
  A: 'said',
}

/** Compiles the recorder; the result is for LD_PRELOAD. @throws Error that says what to install */
export function buildRecorder(folder: string): string {
  const library = join(folder, 'recorder.so')
  const source = join(import.meta.dirname, 'recorder.c')
  const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread'])
  if (built.status === 0) return library
  const why = built.error?.message ?? built.stderr.toString()
  throw new Error(
    `this test records what SQLite writes, which takes a C compiler (apt-get install gcc libc6-dev): ${why}`,
  )
}

export function readRecording(file: string): Operation[] {
  const bytes = readFileSync(file)
  const operations: Operation[] = []
  for (let at = 0; at < bytes.length;) {
    const [pathEnd, kind] = [at + 17 + bytes.readUInt32LE(at + 1), KINDS[String.fromCharCode(bytes[at]!)]]
    const end = pathEnd + bytes.readUInt32LE(at + 13)
    if (!kind) throw new Error('this is no recording')
    operations.push({
      kind,
      path: bytes.toString('utf8', at + 17, pathEnd),
      offset: Number(bytes.readBigUInt64LE(at + 5)),
      data: bytes.subarray(pathEnd, end),
    })
    at = end
  }
  return operations
}
