#!/usr/bin/env node
import { processIo } from '../../src/cli/io.ts'
import { runProgram } from '../../src/cli/program.ts'
import { keepAlive } from '../../src/exec/keep-alive.ts'
import { loopbackNetwork, type LoopbackOptions } from '../../src/tools/web/fixtures/loopback-network.ts'

/**
 * The program as it is, with what only tests may have: TEST_NETWORK (JSON, LoopbackOptions) stands for the network of
 * its tools.
 */
const options = process.env['TEST_NETWORK']
const network =
  options === undefined ? {} : { network: loopbackNetwork(JSON.parse(options) as LoopbackOptions) }
process.exitCode = await keepAlive(runProgram(process.argv.slice(2), Object.assign(processIo(), network)))
