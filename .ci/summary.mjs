// The closing line of .ci/run: what the tests and the static checks wrote, held against their exit codes.
// Arguments: exit code and result file of the tests, then of the checks.
import fs from 'node:fs'

const [testsExit, testsFile, checksExit, checksFile] = process.argv.slice(2)
const tests = consistent(countTests(read(testsFile)), testsExit, 'The tests')
const checks = consistent(read(checksFile), checksExit, 'The static checks')

const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : ''
const failed = tests.failed + checks.failed
console.log(`\n${tests.passed + checks.passed} passed, ${failed} failed${skipped}`)
process.exitCode = failed > 0 ? 1 : 0

/** Vitest's JSON report. A file that does not load has no tests and counts as one that failed. */
function countTests(report) {
  if (report === undefined) return undefined
  const broken = report.testResults.filter((file) => file.status === 'failed' && !hasFailedTest(file))
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

function hasFailedTest(file) {
  return file.assertionResults.some((test) => test.status === 'failed')
}

/** An exit code that is not 0 is a failure even where no single result says so: a crash, a time-out, no tests at all. */
function consistent(counts, exit, what) {
  if (counts === undefined) console.log(`${what} ended with exit code ${exit} and wrote no results.`)
  const { passed = 0, failed = 0, skipped = 0 } = counts ?? {}
  if (failed > 0 || (counts !== undefined && exit === '0')) return { passed, failed, skipped }
  if (counts !== undefined) console.log(`${what} ended with exit code ${exit}, though no single one failed.`)
  return { passed, failed: 1, skipped }
}

function read(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined
}
