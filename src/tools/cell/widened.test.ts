import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BUBBLEWRAP, inCell } from '../../../test/support/in-cell.ts'
import { commandLine } from '../../../test/support/started-program.ts'
import type { Widening } from '../../core/command-sandbox.ts'
import { processIds } from '../../exec/process-table.ts'
import { loopbackNetwork } from '../web/fixtures/loopback-network.ts'
import { httpSite, type Site } from '../web/fixtures/site.ts'
import type { Standing } from '../command-cell.ts'
import { cellPlaces } from './cell-layout-of.ts'
import { closedNetwork } from './fixtures/closed-network.ts'
import { RunCells } from './run-cells.ts'

const PUBLIC = '93.184.216.34'

let folder: string
let root: string
let cells: RunCells
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-test-')))
  root = join(folder, 'home/work')
  mkdirSync(root, { recursive: true })
})
afterEach(async () => {
  await cells?.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(site: Pick<Site, 'port'>): void {
  const names = { 'a.example': [PUBLIC], 'b.example': [PUBLIC], 'inside.example': ['10.0.0.1'] }
  const network = loopbackNetwork({ names, ports: { '*:80': site.port } })
  const env = { PATH: process.env['PATH'], HOME: join(folder, 'home') }
  const places = cellPlaces({ directories: [root], ownDirectories: [join(folder, 'home/data')], env })
  const reach = { ...closedNetwork, network }
  cells = new RunCells({ bubblewrap: BUBBLEWRAP, places, network: reach, owner: 'own_x' })
}

/** What stands can be changed in place. */
function standing(held: { hosts: string[]; directories: string[] }): Standing {
  return {
    widening: () => ({ hosts: [...held.hosts], directories: [...held.directories] }),
    covers: ({ hosts, directories }) =>
      hosts.every((each) => held.hosts.includes(each)) &&
      directories.every((each) => held.directories.includes(each)),
  }
}

interface Asked {
  readonly run?: string
  readonly standing?: Standing
  readonly widening?: Partial<Widening>
}

async function run(command: string, { run: id = 'run_1', standing: stands, widening }: Asked = {}) {
  const environment = { PATH: process.env['PATH'], HOME: join(folder, 'home') }
  const options = { program: 'bash', args: ['-c', `{ ${command}\n} 2>&1`], directory: root, environment }
  const asked = { hosts: [], directories: [], ...widening }
  const ran = await cells.of(id, stands).run({ ...options, timeoutMs: 60_000 }, asked)
  return { ...ran, text: ran.result.output.trim() }
}

const GET = (host: string) => `curl -s -o /dev/null -w '%{http_code}\\n' http://${host}/`
const once = { widening: { hosts: ['a.example:80'] } }

test(
  'a host that was allowed once is reached by that command alone, also while it runs',
  inCell(async () => {
    const requested = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    await using site = await httpSite((_, response) => {
      requested.resolve()
      void answered.promise.then(() => response.end('from outside'))
    })
    open(site)
    expect((await run(GET('a.example'))).text).toBe('403')
    const allowed = run(`${GET('a.example')}; ${GET('b.example')}`, once)
    await requested.promise
    const meanwhile = await run(GET('a.example'))
    answered.resolve()
    const { text, widened, sandbox, wasAlone, reached } = await allowed
    expect(meanwhile.text).toBe('403')
    expect(text).toBe('200\n403')
    expect({ widened, sandbox, wasAlone }).toEqual({
      widened: { hosts: ['a.example:80'], directories: [] },
      sandbox: 'allowed-hosts',
      wasAlone: true,
    })
    expect(reached).toMatchObject([
      { host: 'a.example', refused: null },
      { host: 'b.example', refused: expect.stringContaining('sandbox.network') },
    ])
    const after = await run(GET('a.example'))
    expect(after).toMatchObject({ text: '403', sandbox: 'no-network', wasAlone: false })
  }),
)

test(
  'what such a command leaves running is ended with it',
  inCell(async () => {
    await using site = await httpSite((_, response) => void response.end('from outside'))
    open(site)
    const marker = `left-${process.pid}-${Date.now()}`
    const isLeft = () => processIds().some((pid) => commandLine(pid).startsWith(marker))
    const left = `exec -a ${marker} sleep 1000`
    const { text, result } = await run(`(${left}) & ${GET('a.example')}`, once)
    expect([text, result.leftRunning]).toEqual(['200', true])
    expect(isLeft()).toBe(false)
    await run(`(${left}) &`)
    expect(isLeft()).toBe(true)
  }),
)

test(
  'what stands for a run is reached by each of its commands until it is taken back, and by no other run',
  inCell(async () => {
    await using site = await httpSite((_, response) => void response.end('from outside'))
    open(site)
    const held = { hosts: ['a.example:80'], directories: [] as string[] }
    const stands = { standing: standing(held) }
    const first = await run(`echo mine > /tmp/file; ${GET('a.example')}`, { ...once, ...stands })
    expect(first).toMatchObject({ text: '200', wasAlone: false, widened: { hosts: ['a.example:80'] } })
    expect((await run(`cat /tmp/file; ${GET('a.example')}`, stands)).text).toBe('mine\n200')
    expect((await run(GET('a.example'), { run: 'run_2' })).text).toBe('403')
    held.hosts.pop()
    expect((await run(`cat /tmp/file; ${GET('a.example')}`, stands)).text).toBe('mine\n403')
  }),
)

test(
  'a name that leads to a private address is refused, whatever a person has allowed',
  inCell(async () => {
    await using site = await httpSite((_, response) => void response.end('inside'))
    open(site)
    const { text, reached } = await run(GET('inside.example'), { widening: { hosts: ['inside.example:80'] } })
    expect(text).toBe('403')
    expect(reached).toMatchObject([{ host: 'inside.example', refused: expect.stringContaining('public') }])
  }),
)
