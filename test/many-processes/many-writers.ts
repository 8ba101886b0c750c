import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { programFiles } from '../support/program-files.ts'

/** How many messages each process writes. */
export const TRANSACTIONS = 10

/** The longest transaction of each process in milliseconds, once all have ended; expects that each ends well. */
export async function manyWriters(file: string, processes: number): Promise<readonly number[]> {
  const writer = join(import.meta.dirname, 'writer.ts')
  const env = { ...process.env, NODE_COMPILE_CACHE: programFiles().compiled }
  const ended = await Promise.allSettled(
    Array.from({ length: processes }, (_, number) =>
      promisify(execFile)(process.execPath, [writer, file, String(TRANSACTIONS), String(number)], { env }),
    ),
  )
  const failures = ended.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
  expect(failures.map((text) => /OffshootError: .*|Error: .*/.exec(text)?.[0] ?? text)).toEqual([])
  return ended.flatMap((each) => (each.status === 'fulfilled' ? [Number(each.value.stdout)] : []))
}
