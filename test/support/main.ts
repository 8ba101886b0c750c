#!/usr/bin/env node
import { processIo } from '../../src/cli/io.ts'
import { runProgram } from '../../src/cli/program.ts'
import { keepAlive } from '../../src/exec/keep-alive.ts'
import type { TestPorts } from '../../src/runtime/host/compose.ts'
import { loopbackNetwork, type LoopbackOptions } from '../../src/tools/web/fixtures/loopback-network.ts'
import { openDecoratedFile } from './decorated-file.ts'
import { decoratedPorts } from './decorated-ports.ts'
import { faultsOf } from './faults.ts'

/**
 * The program with ports that only tests have: TEST_NETWORK (JSON, LoopbackOptions) stands for the network of its tools,
 * TEST_PAGES for the size of a full disk; see faultsOf for TEST_OFF and TEST_FAULT.
 */
const options = process.env['TEST_NETWORK']
const network = options === undefined ? undefined : loopbackNetwork(JSON.parse(options) as LoopbackOptions)
const maxPageCount = Number(process.env['TEST_PAGES'] ?? 2 ** 30)
const faults = faultsOf(process.env)
const testPorts: TestPorts = {
  network,
  openFile: (file) => openDecoratedFile({ ...file, maxPageCount }, faults),
  decorate: (ports) => decoratedPorts(ports, faults),
}
process.exitCode = await keepAlive(
  runProgram(process.argv.slice(2), Object.assign(processIo(), { testPorts })),
)
