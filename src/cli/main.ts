#!/usr/bin/env node
import { endEarly } from './early-signals.ts'

// Before anything else is loaded: from the first moment a signal ends the program with the code that is documented.
endEarly()
const { processIo } = await import('./io.ts')
const { runProgram } = await import('./program.ts')

const hold = setInterval(() => {}, 2 ** 30) // timers that a command waits for do not keep the program
process.exitCode = await runProgram(process.argv.slice(2), processIo())
clearInterval(hold)
