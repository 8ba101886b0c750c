#!/usr/bin/env node
import { nodeProblem } from './check-node.ts'
import { keepCompiled } from './compile-cache.ts'
import { endEarly } from './early-signals.ts'

const problem = nodeProblem(process.versions.node)
if (problem) {
  process.stderr.write(problem)
  process.exit(3) // configuration, docs/cli.md; the file that names it may not be loaded here
}
// Before anything else is loaded: from the first moment a signal ends the program with the code that is documented.
endEarly()
keepCompiled(process.env)
const { start } = await import('./start.ts')

process.exitCode = await start(process.argv.slice(2))
