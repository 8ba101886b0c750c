import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AnyQuery, Row, Shape } from '../engine.ts'
import { checkWhere } from '../engine.ts'

/** Beside a summed column. */
export const SUM = 'sum'

/** Prepared statements by key. As many as the program has kinds of query: a few dozen. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #cache = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** For fixed texts such as BEGIN and COMMIT. */
  fixed(sql: string): StatementSync {
    return this.#cached(sql, () => sql)
  }

  insert(shape: Shape): StatementSync {
    return this.#cached(`insert ${shape.table}`, () => {
      const names = shape.summed === undefined ? shape.names : [...shape.names, SUM]
      const values = names.map(() => '?').join(', ')
      return `INSERT INTO ${shape.table} (${columns(names)}) VALUES (${values})`
    })
  }

  update(shape: Shape, names: readonly string[]): StatementSync {
    return this.#cached(`update ${shape.table} ${names.join()}`, () => {
      const set = names.map((name) => `${columnName(name)} = ?`).join(', ')
      return `UPDATE ${shape.table} SET ${set} WHERE ${columnName(shape.key[0]!)} = ?`
    })
  }

  delete(shape: Shape): StatementSync {
    return this.#cached(
      `delete ${shape.table}`,
      () => `DELETE FROM ${shape.table} WHERE ${columnName(shape.key[0]!)} = ?`,
    )
  }

  get(shape: Shape): StatementSync {
    return this.#cached(`get ${shape.table}`, () => `${select(shape)} WHERE ${columnName(shape.key[0]!)} = ?`)
  }

  count(shape: Shape, where: Row): StatementSync {
    const names = checkWhere(shape, where)
    return this.#cached(`count ${shape.table} ${shapeOfWhere(names, where)}`, () =>
      [`SELECT count(*) FROM ${shape.table}`, whereClause(conditions(names, where))].join(' '),
    )
  }

  /** Parameters: the values of `where` that are not null, `after`, `before`, and a limit other than 1. */
  find(shape: Shape, query: AnyQuery): StatementSync {
    const { where = {}, after, before, orderBy = shape.order, descending = false, limit } = query
    // SQLite prepares a statement again whenever its limit is bound, so the usual ones are written out
    const limitClause = limit === undefined ? '' : limit === 1 ? 'LIMIT 1' : 'LIMIT ?'
    const names = checkWhere(shape, where)
    const bounds = `${after === undefined ? '' : '>'}${before === undefined ? '' : '<'}${descending ? '-' : '+'}`
    return this.#cached(
      `find ${shape.table} ${shapeOfWhere(names, where)} ${bounds} ${orderBy} ${limitClause}`,
      () => {
        checkWhere(shape, { [orderBy]: null })
        const terms = conditions(names, where)
        if (after !== undefined) terms.push(`${columnName(orderBy)} > ?`)
        if (before !== undefined) terms.push(`${columnName(orderBy)} < ?`)
        return `${select(shape)} ${whereClause(terms)} ORDER BY ${ordering(shape, orderBy, descending)} ${limitClause}`
      },
    )
  }

  #cached(key: string, sql: () => string): StatementSync {
    let statement = this.#cache.get(key)
    if (!statement) {
      statement = this.#db.prepare(sql(), { returnArrays: true })
      this.#cache.set(key, statement)
    }
    return statement
  }
}

/** `createdAt` is `created_at`. */
export function columnName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function columns(names: readonly string[]): string {
  return names.map(columnName).join(', ')
}

function select(shape: Shape): string {
  return `SELECT ${columns(shape.names)} FROM ${shape.table}`
}

function shapeOfWhere(names: readonly string[], where: Row): string {
  return names.map((name) => (where[name] === null ? `${name}!` : name)).join()
}

function conditions(names: readonly string[], where: Row): string[] {
  return names.map((name) => `${columnName(name)} ${where[name] === null ? 'IS NULL' : '= ?'}`)
}

function whereClause(terms: readonly string[]): string {
  return terms.length === 0 ? '' : `WHERE ${terms.join(' AND ')}`
}

function ordering(shape: Shape, orderBy: string, descending: boolean): string {
  const names = [orderBy, ...shape.key.filter((name) => name !== orderBy)]
  return names.map((name) => `${columnName(name)}${descending ? ' DESC' : ''}`).join(', ')
}
