// How far the sources are from the sizes that the house style aims at.
import fs from 'node:fs'
import path from 'node:path'
import { Visitor, parseSync } from 'rolldown/utils'

const SMALL_FILE = 90
const LARGE_FILE = 400
const SMALL_FUNCTION = 12
const LARGE_FUNCTION = 70

/** @typedef {{ where: string, lines: number }} Size */

/**
 * Three or more lines of text: the files, the functions, and each file or function that is too long.
 * @param {string} root
 */
export function describeSizes(root) {
  const names = fs.globSync('src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/fixtures'] }).toSorted()
  const measured = names.map((name) => measure(name, fs.readFileSync(path.join(root, name), 'utf8')))
  const files = measured.map((each) => each.file)
  const functions = measured.flatMap((each) => each.functions)
  return [
    `files:     ${summary(files, SMALL_FILE)} (aim: half)`,
    `functions: ${summary(functions, SMALL_FUNCTION)} (aim: most)`,
    ...tooLong(files, LARGE_FILE),
    ...tooLong(functions, LARGE_FUNCTION),
  ].join('\n')
}

/**
 * @param {string} name
 * @param {string} text
 * @returns {{ file: Size, functions: Size[] }}
 */
function measure(name, text) {
  /** @type {Size[]} */
  const functions = []
  /** @param {{ start: number, end: number, body: { type: string } | null }} node */
  const add = ({ start, end, body }) => {
    // An arrow without a block is an expression, whose size says little.
    if (body?.type !== 'BlockStatement' && body?.type !== 'FunctionBody') return
    functions.push({
      where: `${name}:${linesOf(text.slice(0, start))}`,
      lines: linesOf(text.slice(start, end)),
    })
  }
  const visitor = new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  })
  visitor.visit(parseSync(name, text).program)
  return { file: { where: name, lines: linesOf(text.trimEnd()) }, functions }
}

/** @param {string} text */
function linesOf(text) {
  return text.split('\n').length
}

/**
 * @param {Size[]} sizes
 * @param {number} limit
 */
function summary(sizes, limit) {
  const small = sizes.filter((size) => size.lines < limit).length
  const longest = sizes.reduce((max, size) => (size.lines > max.lines ? size : max), { where: '-', lines: 0 })
  const share = Math.round((100 * small) / Math.max(1, sizes.length))
  return `${sizes.length}, ${share} % under ${limit} lines, longest ${longest.lines} (${longest.where})`
}

/**
 * @param {Size[]} sizes
 * @param {number} limit
 */
function tooLong(sizes, limit) {
  return sizes
    .filter((size) => size.lines > limit)
    .map((size) => `over ${limit}:  ${size.where} has ${size.lines}`)
}
