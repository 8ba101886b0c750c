import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeRecord, readRecord } from './trust-record.ts'

const RECORD = new URL('trust-record.ts', import.meta.url).href
const TIMES = 40

let home: string
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'record-'))))
afterEach(() => rmSync(home, { recursive: true }))

/** Another process that trusts directories one after the other, and revokes one that was trusted before. */
async function writer(name: string): Promise<void> {
  const work = `
    import { changeRecord } from ${JSON.stringify(RECORD)}
    const home = ${JSON.stringify(home)}
    for (let at = 0; at < ${TIMES}; at++)
      changeRecord(home, (record) => ({ ...record, ['/${name}/' + at]: { trustedAt: 'x', files: {} } }))
    changeRecord(home, ({ ['/old/${name}']: _, ...others }) => others)
  `
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', work])
}

test('of two who change the record at the same time neither loses what it did', async () => {
  const old = { trustedAt: 'x', files: {} }
  changeRecord(home, () => ({ '/old/a': old, '/old/b': old }))
  await Promise.all([writer('a'), writer('b')])
  const expected = ['a', 'b'].flatMap((name) => Array.from({ length: TIMES }, (_, at) => `/${name}/${at}`))
  expect(Object.keys(readRecord(home)).toSorted()).toEqual(expected.toSorted())
})
