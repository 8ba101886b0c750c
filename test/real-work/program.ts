// The program, with another network for its tools.
import { processIo } from '../../src/cli/io.ts'
import { runProgram } from '../../src/cli/program.ts'
import { keepAlive } from '../../src/exec/keep-alive.ts'
import { endEarly } from '../../src/cli/early-signals.ts'
import { outside } from './outside.ts'

endEarly()
const elsewhere = JSON.parse(process.env['TEST_ELSEWHERE'] ?? '{}') as Record<string, number>
const testPorts = { network: outside(elsewhere) }
process.exitCode = await keepAlive(
  runProgram(process.argv.slice(2), Object.assign(processIo(), { testPorts })),
)
