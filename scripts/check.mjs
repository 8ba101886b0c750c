// The static checks: types, declarations of what is published, lint, format, unused code. `--fix` repairs what a tool
// can repair; `--json FILE` also writes {passed, failed} there. Sizes are printed; test/architecture.test.ts
// enforces the limits.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeSizes } from './sizes.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { values: options } = parseArgs({ options: { fix: { type: 'boolean' }, json: { type: 'string' } } })

const CHECKS = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the page', command: ['tsc', '--project', 'web', '--noEmit'] },
  { name: 'declarations', command: ['tsc', '--project', 'tsconfig.build.json', '--noEmit'] },
  { name: 'lint', command: options.fix ? ['oxlint', '--fix'] : ['oxlint'] },
  { name: 'format', command: options.fix ? ['oxfmt'] : ['oxfmt', '--check'] },
  { name: 'unused', command: ['knip', '--no-progress', '--no-config-hints'] },
]

// A fix of the linter may leave lines that the formatter has to wrap, so the order above is also the order of fixing.
const failed = CHECKS.filter((check) => !isPassed(check)).map((check) => check.name)
const passed = CHECKS.length - failed.length

console.log(`\n${describeSizes(ROOT)}`)
console.log(
  `\n${passed} of ${CHECKS.length} checks passed${failed.length > 0 ? `, failed: ${failed.join(', ')}` : ''}`,
)
if (options.json) fs.writeFileSync(options.json, JSON.stringify({ passed, failed: failed.length }))
process.exitCode = failed.length > 0 ? 1 : 0

/** @param {{ name: string, command: string[] }} check */
function isPassed({ name, command: [tool, ...args] }) {
  const startedAt = performance.now()
  const bin = `${ROOT}node_modules/.bin/${tool}`
  const { status, stdout, stderr, error } = spawnSync(bin, args, { cwd: ROOT, encoding: 'utf8' })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'passed' : 'FAILED'}  ${name} (${tool}, ${seconds} s)`)
  if (status !== 0) console.log(error?.message ?? `${stdout}${stderr}`.trimEnd())
  return status === 0
}
