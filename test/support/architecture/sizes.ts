import { readFunctions } from './functions.ts'
import { MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_PARAMETERS } from './rules.ts'

/** What is too large, or drops an error without a reason; `where` is stable while lines move. */
export interface Excess {
  /** A file, or a file and a function: `src/core/ids.ts createIds`. */
  readonly where: string
  readonly problem: string
}

/** One entry for each function or file of the program that breaks a limit. Tests and their fixtures are left out. */
export function findExcesses(tree: ReadonlyMap<string, string>): Excess[] {
  return [...tree]
    .filter(([name]) => !/\.test\.tsx?$/.test(name) && !name.includes('/fixtures/'))
    .flatMap(([name, text]) => excessesOf(name, text))
}

function excessesOf(file: string, text: string): Excess[] {
  const lines = text.trimEnd().split('\n').length
  const found = readFunctions(file, text).functions.flatMap(({ name, line, parameters, lines: length }) => {
    const where = `${file} ${name}`
    const problems = [
      ...(parameters > MAX_PARAMETERS ? [`has ${parameters} parameters, more than ${MAX_PARAMETERS}`] : []),
      ...(length > MAX_FUNCTION_LINES ? [`has ${length} lines, more than ${MAX_FUNCTION_LINES}`] : []),
    ]
    return problems.map((problem) => ({ where, problem: `line ${line}: ${problem}` }))
  })
  if (lines <= MAX_FILE_LINES) return found
  return [...found, { where: file, problem: `has ${lines} lines, more than ${MAX_FILE_LINES}` }]
}

/** Where an error is dropped by `.catch(() => {})` or an empty `catch`, in tests too. */
export function findSilentCatches(tree: ReadonlyMap<string, string>): string[] {
  return [...tree].flatMap(([file, text]) =>
    readFunctions(file, text).silentCatches.map(
      (line) =>
        `${file}:${line} drops an error: name the handler after the reason, or use core/rejections.ts`,
    ),
  )
}
