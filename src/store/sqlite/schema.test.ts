import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { shapes, type AnyQuery, type Shape } from '../engine.ts'
import type { Table } from '../port.ts'
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrate.ts'
import { columnName, Statements } from './statements.ts'

const db = new DatabaseSync(':memory:')
migrate(db, ':memory:', () => 7)
afterAll(() => db.close())

const all = shapes()
const SQL_TYPES = {
  text: 'TEXT',
  json: 'TEXT',
  int: 'INTEGER',
  bool: 'INTEGER',
  real: 'REAL',
  packed: 'BLOB',
} as const

describe.each(Object.values(all))('$table', (shape) => {
  test('has the columns of its spec', () => {
    const expected = shape.names.map((name) => {
      const { kind, isNullable } = shape.columns[name]!
      const pk = shape.key.indexOf(name) + 1
      return {
        name: columnName(name),
        type: SQL_TYPES[kind],
        notnull: isNullable ? 0 : 1,
        pk,
      }
    })
    if (shape.summed !== undefined) expected.push({ name: 'sum', type: 'INTEGER', notnull: 0, pk: 0 })
    expect(rows(`SELECT name, type, "notnull", pk FROM pragma_table_info('${shape.table}')`)).toEqual(
      expected,
    )
  })

  test('has the foreign keys of its spec, all of them cascade', () => {
    const found = rows(
      `SELECT "from", "table", "to", on_delete FROM pragma_foreign_key_list('${shape.table}')`,
    )
    const expected = Object.entries(shape.references).map(([name, to]) => {
      return { from: columnName(name), table: to, to: columnName(all[to].key[0]!), on_delete: 'CASCADE' }
    })
    expect(found).toHaveLength(expected.length)
    expect(found).toEqual(expect.arrayContaining(expected))
  })

  test('has an index for every foreign key, unique pair and lookup', () => {
    const indices = indicesOf(shape.table)
    for (const name of Object.keys(shape.references)) {
      expect(
        indices.some(({ columns }) => columns[0] === columnName(name)),
        name,
      ).toBe(true)
    }
    for (const pair of shape.unique) {
      expect(indices.filter(({ unique }) => unique).map(({ columns }) => columns)).toContainEqual(
        pair.map(columnName),
      )
    }
    for (const lookup of shape.lookups) {
      const beginnings = indices.map(({ columns }) => columns.slice(0, lookup.length))
      expect(beginnings).toContainEqual(lookup.map(columnName))
    }
  })

  test('is searched without a scan when a row that it refers to is deleted', () => {
    for (const to of new Set(Object.values(shape.references))) {
      const plan = planOf(`DELETE FROM ${to} WHERE ${columnName(all[to].key[0]!)} = ?`)
      expect(plan.filter((line) => line.startsWith('SCAN'))).toEqual([])
      expect(plan.join('\n')).toContain(`SEARCH ${shape.table} USING`)
    }
  })
})

test.each<[Table, AnyQuery]>([
  ['branches', { where: { conversationId: 'c' } }],
  ['branches', { where: { conversationId: 'c' }, orderBy: 'number', after: 0, descending: true, limit: 1 }],
  ['branches', { where: { conversationId: 'c', number: 3 } }],
  ['conversations', { orderBy: 'number', after: 0, descending: true, limit: 1 }],
  ['conversations', { where: { number: 3 } }],
  ['messages', { where: { branchId: 'b' }, orderBy: 'position' }],
  ['messages', { where: { branchId: 'b' }, orderBy: 'position', descending: true, before: 9, limit: 1 }],
  ['parts', { where: { messageId: 'm' }, orderBy: 'position' }],
  ['runs', { where: { branchId: 'b' }, descending: true, limit: 1 }],
  ['runs', { where: { conversationId: 'c', status: 'running' } }],
  ['runs', { where: { status: 'running' } }],
  ['runs', { where: { parentRunId: 'r' } }],
  ['tool_calls', { where: { runId: 'r' } }],
  ['approvals', { where: { answer: null } }],
  ['inbox', { where: { branchId: 'b', deliveredAt: null, withdrawnAt: null } }],
  ['inbox', { where: { fromRunId: 'r', stopNo: 1 } }],
  ['events', { where: { conversationId: 'c' }, after: 5, limit: 100 }],
  ['artifacts', { where: { conversationId: 'c', hash: 'h' } }],
  ['commands', { where: { conversationId: 'c', answeredAt: null } }],
])('%s %j reads only what it gives', (table, query) => {
  const plan = planOf(new Statements(db).find(all[table], query).sourceSQL)
  expect(plan).toHaveLength(1)
  expect(plan[0]).toMatch(/^SEARCH/)
})

test('the version is the number of migrations, each of which was applied once', () => {
  const files = readdirSync(new URL('../migrations/', import.meta.url))
  expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, i) => i + 1))
  expect(SCHEMA_VERSION).toBe(files.length)
  const before = rows('SELECT sql FROM sqlite_schema')
  migrate(db, ':memory:', () => 8)
  expect(rows('SELECT sql FROM sqlite_schema')).toEqual(before)
  expect(schemaVersion(db)).toBe(SCHEMA_VERSION)
  expect(rows('SELECT * FROM schema_version')).toEqual(
    files.map((_, i) => ({ version: i + 1, applied_at: 7 })),
  )
})

test('a migration that another process applies in the last moment is not applied again', () => {
  const directory = mkdtempSync(join(tmpdir(), 'offshoot-migrate-'))
  const file = join(directory, 'store.db')
  const [late, early] = [new DatabaseSync(file), new DatabaseSync(file)]
  const exec = late.exec.bind(late)
  late.exec = (sql) => {
    if (sql === 'BEGIN IMMEDIATE') migrate(early, file, () => 1)
    exec(sql)
  }
  migrate(late, file, () => 2)
  const applied = late.prepare('SELECT applied_at FROM schema_version').all()
  expect(applied.map((row) => row['applied_at'])).toEqual(applied.map(() => 1))
  late.close()
  early.close()
  rmSync(directory, { recursive: true })
})

test('a migration that fails leaves the database as it was', () => {
  const half = new DatabaseSync(':memory:')
  half.exec('CREATE TABLE inbox (other)')
  const before = half.prepare('SELECT name FROM sqlite_schema').all()
  expect(() => migrate(half, ':memory:', () => 0)).toThrow('table inbox already exists')
  expect(half.prepare('SELECT name FROM sqlite_schema').all()).toEqual(before)
  expect(schemaVersion(half)).toBe(0)
  half.close()
})

function rows(sql: string): unknown[] {
  return db
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }))
}

/** Of a table kept in the order of its key, each index ends with the key: what is listed here is how it begins. */
function indicesOf(table: Shape['table']): { unique: boolean; columns: string[] }[] {
  return db
    .prepare('SELECT name, "unique" FROM pragma_index_list(?)')
    .all(table)
    .map(({ name, unique }) => ({
      unique: unique === 1,
      columns: db
        .prepare('SELECT name FROM pragma_index_info(?)')
        .all(name as string)
        .map((row) => row['name'] as string),
    }))
}

function planOf(sql: string): string[] {
  return db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => row['detail'] as string)
}
