#!/usr/bin/env node
import { processIo } from './io.ts'
import { runProgram } from './program.ts'

process.exitCode = await runProgram(process.argv.slice(2), processIo())
