// A program with cells: it starts a command in a new one and ends that, again and again, side by side. It is killed.
import { createGuard } from '../../src/exec/start-guard.ts'
import { cellPlaces } from '../../src/tools/cell/cell-layout-of.ts'
import { closedNetwork } from '../../src/tools/cell/fixtures/closed-network.ts'
import { RunCells } from '../../src/tools/cell/run-cells.ts'

const [bubblewrap, workspace, owner, lanes, command] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
]
const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
const env = { HOME: process.env['HOME'], PATH: process.env['PATH'] }
const places = cellPlaces({ directories: [workspace], ownDirectories: [], env })
const cells = new RunCells({ bubblewrap, places, network: closedNetwork, owner, guard })
process.stdout.write('begins\n')
await Promise.all(Array.from({ length: Number(lanes) }, (_, at) => lane(at)))

async function lane(at: number): Promise<void> {
  for (let round = 0; ; round++) {
    const run = `run_${at}_${round}`
    const args = ['-c', command, 'bash', String(at)]
    await cells.of(run).run({ program: 'bash', args, directory: workspace, guard, environment: env })
    await cells.end([run])
  }
}
