#!/usr/bin/env node
import { keepCompiled } from './compile-cache.ts'
import { endEarly } from './early-signals.ts'

// Before anything else is loaded: from the first moment a signal ends the program with the code that is documented.
endEarly()
keepCompiled(process.env)
const { processIo } = await import('./io.ts')
const { runProgram } = await import('./program.ts')

const { keepAlive } = await import('../exec/keep-alive.ts')

process.exitCode = await keepAlive(runProgram(process.argv.slice(2), processIo()))
