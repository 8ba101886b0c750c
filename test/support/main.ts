#!/usr/bin/env node
import { endEarly } from '../../src/cli/early-signals.ts'
import type { TestPorts } from '../../src/runtime/host/compose.ts'

// As the program itself: from the first moment it hears signals.
endEarly()
const { processIo } = await import('../../src/cli/io.ts')
const { runProgram } = await import('../../src/cli/program.ts')
const { keepAlive } = await import('../../src/exec/keep-alive.ts')
const { openDecoratedFile } = await import('./decorated-file.ts')
const { decoratedPorts } = await import('./decorated-ports.ts')
const { faultsOf } = await import('./faults.ts')
const { loopbackNetwork } = await import('../../src/tools/web/fixtures/loopback-network.ts')

/**
 * The program with ports that only tests have: TEST_NETWORK (JSON, LoopbackOptions) stands for the network of its tools,
 * TEST_PAGES for the size of a full disk; see faultsOf for TEST_OFF and TEST_FAULT.
 */
const options = process.env['TEST_NETWORK']
const network =
  options === undefined
    ? undefined
    : loopbackNetwork(JSON.parse(options) as Parameters<typeof loopbackNetwork>[0])
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
