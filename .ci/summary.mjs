// The closing lines of .ci/run: what failed, and the sum of what the tests and the static checks wrote, held against
// their exit codes. Arguments: the folder of the results, then the names of the steps: each has left NAME.exit, its exit
// code, and NAME.json, which a step that was cut has not.
import fs from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const MOST_LINES = 30
const NONE = { passed: 0, failed: 0, skipped: 0, lines: [] }

const [folder = '.', ...names] = process.argv.slice(2)
const counts = names.map(count)

const sum = (key) => counts.reduce((all, each) => all + each[key], 0)
const [failed, skipped] = [sum('failed'), sum('skipped')]
console.log()
for (const line of counts.flatMap(({ lines }) => lines).slice(0, MOST_LINES)) console.log(line)
console.log(`${sum('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 ? 1 : 0

/** An exit code that is not 0 is a failure even where no single result says so: a crash, a time-out, no tests at all. */
function count(name) {
  const [exit, report] = [read(name, 'exit').trim(), parsed(read(name, 'json'))]
  if (!report) return { ...NONE, failed: 1, lines: [`FAILED ${name}: exit code ${exit}, no results`] }
  const counted = name === 'check' ? countChecks(report) : countTests(report)
  if (counted.failed > 0 || exit === '0') return counted
  const line = `FAILED ${name}: exit code ${exit}, though no single result says so`
  return { ...counted, failed: 1, lines: [line] }
}

function countChecks({ passed, failed }) {
  return {
    ...NONE,
    passed,
    failed,
    lines: failed > 0 ? [`FAILED check: ${failed} of the static checks`] : [],
  }
}

/** Vitest's JSON report. A file that does not load has no tests and counts as one that failed. */
function countTests(report) {
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(isFailed)
      .flatMap(({ fullName, failureMessages }) => [
        `FAILED ${place(name)}: ${fullName}`,
        ...why(failureMessages),
      ]),
  )
  const files = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(isFailed),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + files.length,
    skipped: report.numPendingTests + report.numTodoTests,
    lines: [...tests, ...files.map(({ name }) => `FAILED ${place(name)}`)],
  }
}

/** The first line of the error, and where in the tests it was. */
function why(messages) {
  const [first = '', ...lines] = stripVTControlCharacters(messages[0] ?? '').split('\n')
  const at = lines.find((line) => line.includes('.test.ts:'))
  return [first, ...(at ? [at.trim()] : [])].map((line) => `  ${line.slice(0, 300)}`)
}

function isFailed({ status }) {
  return status === 'failed'
}

/** Undefined where it was cut. */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function place(file) {
  return path.relative(process.cwd(), file)
}

function read(name, kind) {
  const file = path.join(folder, `${name}.${kind}`)
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
}
