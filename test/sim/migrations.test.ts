import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSqliteFile } from '../../src/store/sqlite/open.ts'
import { openDecoratedFile } from '../support/decorated-file.ts'
import type { FaultPoint } from '../support/faults.ts'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'offshoot-sim-'))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const schemaOf = (file: string) => {
  const db = new DatabaseSync(file)
  const rows = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').all()
  db.close()
  return rows
}

test.each(['migration.before', 'migration.after'] as const)(
  'what dies at %s is brought up to date by the next',
  async (point) => {
    const whole = join(directory, 'whole.db')
    await (await openSqliteFile({ file: whole })).close()
    const file = join(directory, 'cut.db')
    let times = 0
    const at = (met: FaultPoint) => {
      if (met === point && ++times) throw new Error('died')
    }
    await expect(openDecoratedFile({ file }, { off: new Set(), at })).rejects.toThrow('died')
    expect(times).toBe(1)
    await (await openSqliteFile({ file })).close()
    expect(schemaOf(file)).toEqual(schemaOf(whole))
  },
)
