import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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

function open(site: Pick<Site, 'port'> = { port: 9 }, bubblewrap = BUBBLEWRAP): void {
  const names = { 'a.example': [PUBLIC], 'b.example': [PUBLIC], 'inside.example': ['10.0.0.1'] }
  const network = loopbackNetwork({ names, ports: { '*:80': site.port } })
  const env = { PATH: process.env['PATH'], HOME: join(folder, 'home') }
  const places = cellPlaces({ directories: [root], ownDirectories: [join(folder, 'home/data')], env })
  const reach = { ...closedNetwork, network }
  cells = new RunCells({ bubblewrap, places, network: reach, owner: 'own_x' })
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

test(
  'a directory that was allowed once is written by that command alone, without its settings of git',
  inCell(async () => {
    open()
    const out = join(folder, 'home/out')
    mkdirSync(join(out, '.git/hooks'), { recursive: true })
    writeFileSync(join(out, '.git/config'), '')
    const write = `echo made > ${out}/file`
    const refused = await run(write)
    expect(refused.refusedPaths).toEqual([{ path: `${out}/file`, isReadOnly: false, directory: out }])
    const once = { widening: { directories: [out] } }
    const allowed = await run(`${write}; echo x >> ${out}/.git/hooks/pre-commit`, once)
    expect(allowed).toMatchObject({ wasAlone: true, widened: { hosts: [], directories: [out] } })
    expect(allowed.text).toContain('Read-only file system')
    expect(allowed.sandbox).toBe('no-network')
    expect(readFileSync(join(out, 'file'), 'utf8')).toBe('made\n')
    expect((await run(`ls ${out}`)).result.exitCode).not.toBe(0)
    expect(existsSync(join(out, '.git/hooks/pre-commit'))).toBe(false)
  }),
)

test(
  'a directory that stands for a run is there for each command until it is taken back',
  inCell(async () => {
    open()
    const out = join(folder, 'home/out')
    mkdirSync(out)
    const held = { hosts: [] as string[], directories: [out] }
    const stands = { standing: standing(held) }
    expect(await run(`echo 1 >> ${out}/file; echo mine > /tmp/file`, stands)).toMatchObject({
      result: { exitCode: 0 },
      wasAlone: false,
      widened: { directories: [out] },
    })
    expect((await run(`echo 2 >> ${out}/file; cat /tmp/file`, stands)).text).toBe('mine')
    expect(readFileSync(join(out, 'file'), 'utf8')).toBe('1\n2\n')
    held.directories.pop()
    expect((await run(`echo 3 >> ${out}/file`, stands)).result.exitCode).toBe(1)
    expect(readFileSync(join(out, 'file'), 'utf8')).toBe('1\n2\n')
  }),
)

test(
  'a directory that is exchanged for a link while the sandbox starts is not given',
  inCell(async () => {
    const keys = join(folder, 'home/.ssh')
    const out = join(folder, 'home/out')
    for (const path of [keys, out]) mkdirSync(path)
    writeFileSync(join(keys, 'id'), 'a key')
    const bubblewrap = join(folder, 'bwrap')
    const exchange = `mv '${out}' '${out}.away' && ln -s '${keys}' '${out}'`
    writeFileSync(bubblewrap, `#!/bin/sh\n${exchange}\nexec ${BUBBLEWRAP} "$@"\n`, { mode: 0o755 })
    open(undefined, bubblewrap)
    const directories = [out]
    await expect(run(`cat ${out}/id`, { widening: { directories } })).rejects.toThrow(
      'a file or directory was exchanged while the sandbox was started',
    )
  }),
)

test(
  'a link, keys, the data of the program and what is not there are not shown, whatever a person has allowed',
  inCell(async () => {
    open()
    for (const name of ['.ssh', 'data']) mkdirSync(join(folder, 'home', name))
    symlinkSync(join(folder, 'home/.ssh'), join(folder, 'home/link'))
    for (const name of ['home/.ssh', 'home/data', 'home/link', 'home/none', 'home']) {
      const directories = [join(folder, name)]
      await expect(run('true', { widening: { directories } })).rejects.toMatchObject({
        code: 'sandbox',
        message: expect.stringContaining('cannot be made writable'),
      })
      const stands = { standing: standing({ hosts: [], directories }) }
      const { text, widened } = await run(`ls ${directories[0]} && touch ${directories[0]}/x`, stands)
      expect(widened.directories).toEqual([])
      expect([name, existsSync(join(folder, name, 'x')), text]).toEqual([name, false, expect.any(String)])
    }
  }),
)
