import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BUBBLEWRAP, inCell } from '../../../test/support/in-cell.ts'
import { commandLine } from '../../../test/support/started-program.ts'
import { limitScript } from '../../exec/lock-limit.ts'
import { processIds } from '../../exec/process-table.ts'
import type { ProcessOptions } from '../../exec/run-process.ts'
import { createGuard } from '../../exec/start-guard.ts'
import { cellPlaces } from './cell-layout-of.ts'
import { closedNetwork } from './fixtures/closed-network.ts'
import { RunCells } from './run-cells.ts'

/** In every cell. */
const NODE = '/run/offshoot/node'
const RUN = 'run_1'

let folder: string
let root: string
let cells: RunCells
let openCells: (bubblewrap: string) => RunCells
let end: () => Promise<void>

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-test-')))
  root = join(folder, 'home/work')
  write('../.ssh/id_ed25519', 'a key')
  write('../data/token', 'a token')
  write('offshoot.jsonc', '{}')
  write('.offshoot/agents/a.md', 'An agent.')
  const owner = `own_${process.pid}_${randomInt(2 ** 40)}`
  const guard = createGuard({ mark: { name: 'OFFSHOOT_OWNER', value: owner } })
  const env = { HOME: join(folder, 'home'), PATH: process.env['PATH'] }
  const places = cellPlaces({ directories: [root], ownDirectories: [join(folder, 'home/data')], env })
  openCells = (bubblewrap) => new RunCells({ bubblewrap, places, network: closedNetwork, owner, guard })
  cells = openCells(BUBBLEWRAP)
  end = async () => {
    await cells.close()
    await guard.close()
  }
})

afterEach(async () => {
  await end()
  rmSync(folder, { recursive: true, force: true })
})

function write(name: string, text: string): void {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const read = (name: string) => readFileSync(join(root, name), 'utf8')

let calls = 0

/** As the bash tool starts a command. */
async function run(command: string, more: Partial<ProcessOptions> = {}) {
  calls += 1
  const mark = { name: 'OFFSHOOT_CALL_ID', value: `cal_${process.pid}_${calls}` }
  const marks = { OFFSHOOT_RUN_ID: RUN, [mark.name]: mark.value }
  const script = `${limitScript(marks)}; exec "$@" 2>&1`
  const { result, moved } = await cells.of(RUN).run({
    program: '/bin/sh',
    args: ['-c', script, 'sh', 'bash', '-c', command],
    directory: root,
    marks,
    sweep: mark,
    environment: { HOME: join(folder, 'home'), PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'sk-secret' },
    ...more,
  })
  return { ...result, text: result.output.trimEnd(), moved }
}

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root, encoding: 'utf8' })

test(
  'a command has its output, its exit code and its directory',
  inCell(async () => {
    expect(await run('pwd; echo err >&2; exit 3')).toMatchObject({
      text: `${root}\nerr`,
      exitCode: 3,
      signal: null,
    })
    expect(await run('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    expect(await run('cat; echo "$1"', { input: 'given' })).toMatchObject({ text: 'given' })
    await expect(run('true', { program: '/no/such/program' })).rejects.toMatchObject({
      reason: 'program_missing',
    })
    await expect(run('true', { directory: `${root}/missing` })).rejects.toMatchObject({
      reason: 'directory_missing',
    })
  }),
)

test(
  'the workspace can be written, and nothing else of the machine',
  inCell(async () => {
    const left = `${folder}/outside`
    const tries = ['/etc', '/usr', '/opt', '/', dirname(process.execPath)].map(
      (path) => `touch ${path}/x 2>&1`,
    )
    const { text } = await run(
      `echo made > made; ${tries.join('; ')}; touch ${left} /tmp/mine ~/mine; ls ~ /tmp /run /var/run/`,
    )
    expect(read('made')).toBe('made\n')
    expect(existsSync(left)).toBe(false)
    expect(existsSync(join(folder, 'home/mine'))).toBe(false)
    expect(text.match(/Read-only file system|No such file/g)!.length).toBeGreaterThanOrEqual(tries.length)
  }),
)

test(
  'nobody changes settings of the kernel, or has what it keeps for the session',
  inCell(async () => {
    const writable = `find /proc -type f -writable ! -path '/proc/[0-9]*' ! -path '/proc/*self/*' ! -path '/proc/pressure/*'`
    expect((await run(`${writable} 2> /dev/null; echo end`)).text).toBe('end')
    expect((await run('echo core > /proc/sys/kernel/core_pattern')).exitCode).not.toBe(0)
    expect((await run('grep -x "Seccomp:.2" /proc/self/status')).exitCode).toBe(0)
  }),
)

test(
  'a cell is not used if something has put links in the place of what it mounts',
  inCell(async () => {
    write('.github/workflows/ci.yml', '')
    const bubblewrap = join(folder, 'bwrap')
    const exchange = `cd '${root}' && mv .github away && ln -s .. .github`
    writeFileSync(bubblewrap, `#!/bin/sh\n${exchange}\nexec ${BUBBLEWRAP} "$@"\n`, { mode: 0o755 })
    const exchanged = openCells(bubblewrap)
    try {
      const options = { program: 'cat', args: ['../.ssh/id_ed25519'], directory: root }
      await expect(exchanged.of(RUN).run(options)).rejects.toThrow(/exchanged while|cannot be used/)
    } finally {
      await exchanged.close()
    }
  }),
)

test(
  'the devices of the machine work, and nobody in a cell changes who else may use them',
  inCell(async () => {
    const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)
    const modes = () => devices.map((path) => statSync(path).mode)
    const before = modes()
    const { text } = await run(
      `for path in ${devices.join(' ')}; do chmod 0700 $path 2>&1; chmod 0666 $path 2>&1; touch -d 2001-01-01 $path 2>&1; done
       echo x > /dev/null && head -c 2 /dev/zero /dev/urandom | wc -c; ls /dev/pts > /dev/null && echo listed`,
    )
    expect(modes()).toEqual(before)
    const refused = text.match(/changing permissions of .*: (Read-only file system|Operation not permitted)/g)
    expect(refused).toHaveLength(devices.length * 2)
    expect(text).toContain('listed')
  }),
)

test(
  'neither keys nor the data of the program are there, nor what only root may read',
  inCell(async () => {
    const { text } = await run(
      `ls -A ${folder}/home; cat ~/.ssh/id_ed25519 ${folder}/home/data/token /etc/shadow`,
    )
    expect(text).not.toContain('a key')
    expect(text).not.toContain('a token')
    expect(text).not.toContain('root:')
    expect(text.split('\n').slice(0, 2)).toEqual(['.gitconfig', 'work'])
  }),
)

test(
  'the environment is a list, and no process of the machine can be seen',
  inCell(async () => {
    const { text } = await run('env; cat /proc/*/environ | tr "\\0" "\\n"; echo; ls -d /proc/[0-9]* | wc -l')
    expect(text).not.toContain('sk-secret')
    expect(text).toContain('TMPDIR=/tmp')
    expect(Number(text.split('\n').at(-1))).toBeLessThan(10)
    const { text: first } = await run('tr "\\0" "\\n" < /proc/1/environ | cut -d= -f1 | sort')
    expect(first.split('\n')).toEqual(['OFFSHOOT_OWNER', 'OFFSHOOT_RUN_ID', 'PWD'])
  }),
)

test(
  'nothing reaches the network, the loopback of the machine included',
  inCell(async () => {
    const server = createServer((socket) => socket.end('host')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const { text } = await run(
      `for at in 127.0.0.1/${port} 192.0.2.1/80; do timeout 5 bash -c "cat < /dev/tcp/$at" && echo reached; done`,
    )
    server.close()
    expect(text).not.toMatch(/reached|host/)
    expect(text).toContain('Connection refused')
    expect(text).toContain('Network is unreachable')
  }),
)

const PROTECTED = ['offshoot.jsonc', '.offshoot/agents/a.md', '.git/config', '.git/hooks/pre-commit']

test(
  'what is protected holds, by whatever way',
  inCell(async () => {
    git('init', '--quiet')
    write('.git/hooks/pre-commit', '#!/bin/sh\n')
    const before = PROTECTED.map(read)
    await run(`
    for file in ${PROTECTED.join(' ')}; do
      echo evil >> $file; rm -f $file; mv $file moved; ln -f $file linked && echo evil >> linked; cp /dev/null $file
      (echo evil > new; mv -f new $file); chmod 777 $file; truncate -s 0 $file
    done
    mv .git g2 && cp -a g2 .git && echo evil >> .git/config
    mv .offshoot o2; rm -rf .git .offshoot; ln -s /tmp .offshoot
    mount --bind /tmp .git; unshare -Urm mount --bind /tmp .git; umount offshoot.jsonc
    exec 3<> offshoot.jsonc; echo evil >&3; git config core.fsmonitor evil`)
    expect(PROTECTED.map(read)).toEqual(before)
    expect((await run('ls -A')).text).not.toMatch(/linked|g2|o2/)
  }),
)

test(
  'work with git goes on',
  inCell(async () => {
    git('init', '--quiet')
    const name = 'git -c user.name=a -c user.email=a@b'
    const steps = [
      'echo a > a',
      'git add a',
      `${name} commit -qm one`,
      'git switch -qc other',
      'git tag t',
      'echo b > a',
    ]
    const { text, exitCode } = await run(
      `${[...steps, `${name} stash -q`, 'git gc -q', 'git log --format=%s'].join(' && ')}`,
    )
    expect([text, exitCode]).toEqual(['one', 0])
    expect(git('log', '--format=%s', 'other')).toBe('one\n')
  }),
)

test(
  'a linked worktree commits, and its repository keeps its settings',
  inCell(async () => {
    const linked = join(folder, 'home/linked')
    git('init', '--quiet')
    git('commit', '--quiet', '--allow-empty', '-m', 'a')
    git('worktree', 'add', '--quiet', linked)
    const config = read('.git/config')
    const env = { HOME: join(folder, 'home'), PATH: process.env['PATH'] }
    const places = cellPlaces({ directories: [linked], ownDirectories: [], env })
    const others = new RunCells({ bubblewrap: BUBBLEWRAP, places, network: closedNetwork, owner: 'own_x' })
    const command = `exec 2>&1; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m b; git config a.b c; git log --format=%s; ls ${root}`
    const { result } = await others.of(RUN).run({ program: 'bash', args: ['-c', command], directory: linked })
    await others.close()
    expect(result.output).toMatch(/^error: could not write config file .*: Device or resource busy\nb\na\n$/)
    expect(read('.git/config')).toBe(config)
    expect(git('log', '--format=%s', 'linked')).toBe('b\na\n')
  }),
)

test(
  'what may not be made has another name after the command, also when it comes later',
  inCell(async () => {
    expect((await run('mkdir -p .claude/agents; echo evil > .claude/agents/a.md')).moved).toEqual([
      { from: join(root, '.claude'), to: join(root, '.claude.quarantined-1') },
    ])
    const later = 'while ! [ -e go ]; do sleep 0.01; done; echo evil > .mcp.json; touch made'
    await run(`(${later}) > /dev/null 2>&1 &`)
    write('go', '')
    await expect.poll(() => existsSync(join(root, 'made'))).toBe(true)
    await cells.end([RUN])
    expect(readdirSync(root).filter((name) => name.startsWith('.mcp'))).toEqual(['.mcp.json.quarantined-1'])
  }),
)

test.each([
  ['has ended', ''],
  ['has ended the cell', '; kill -9 -1'],
])('what a process makes between two commands, and then %s, has another name too', async (_, then) =>
  inCell(async () => {
    await run(`(until [ -e go ]; do sleep 0.02; done; mkdir .claude${then}) > /dev/null 2>&1 &`)
    write('go', '')
    await expect.poll(() => existsSync(join(root, '.claude'))).toBe(true)
    const ended = () => processIds().every((pid) => !commandLine(pid).includes('[ -e go ]'))
    await expect.poll(ended).toBe(true)
    const { moved } = await run('true')
    expect(moved).toEqual([{ from: join(root, '.claude'), to: join(root, '.claude.quarantined-1') }])
  })(),
)

test(
  'what the person makes after the last command is left when the run ends',
  inCell(async () => {
    await run('true')
    write('.claude/settings.json', '{}')
    await cells.end([RUN])
    expect(existsSync(join(root, '.claude/settings.json'))).toBe(true)
  }),
)

test(
  'what the person makes or replaces meanwhile is left, and protected from then on',
  inCell(async () => {
    await run('true')
    write('.mcp.json', 'mine')
    write('new.jsonc', '{"mine": 1}')
    renameSync(join(root, 'new.jsonc'), join(root, 'offshoot.jsonc'))
    const { moved } = await run(
      'echo evil > .mcp.json; echo evil > offshoot.jsonc; rm -f .mcp.json offshoot.jsonc',
    )
    expect(moved).toEqual([])
    expect([read('.mcp.json'), read('offshoot.jsonc')]).toEqual(['mine', '{"mine": 1}'])
  }),
)

test(
  'a server that one command started answers the next, and ends with the run',
  inCell(async () => {
    const server = `require('net').createServer((s) => s.on('error', () => {}).end('hello')).listen(8123, () => console.log('up'))`
    const { text, leftRunning } = await run(
      `${NODE} -e "${server}" & sleep 0.01; until (: < /dev/tcp/127.0.0.1/8123) 2>/dev/null; do sleep 0.05; done`,
    )
    expect([text, leftRunning]).toEqual(['up', true])
    expect((await run('cat < /dev/tcp/127.0.0.1/8123')).text).toBe('hello')
    await cells.end([RUN])
    expect((await run('cat < /dev/tcp/127.0.0.1/8123')).text).toContain('Connection refused')
  }),
)

/** In the command line of `sleep`, and of nothing else on the machine. */
const newTime = () => String(randomInt(1e6, 1e9))
const sleeping = (time: string) => processIds().filter((pid) => commandLine(pid) === `sleep ${time}`)

test(
  'the end of a run ends every daemon, after SIGTERM and a grace',
  inCell(async () => {
    const time = newTime()
    const daemons = [
      `env -i setsid sleep ${time} &`,
      `(exec env -i setsid -f sleep ${time})`,
      `trap '' TERM; sleep ${time} &`,
    ]
    await run(
      `(trap 'echo bye > bye; exit' TERM; while :; do sleep 0.02; done) > /dev/null 2>&1 & ${daemons.join('\n')} true`,
    )
    await expect.poll(() => sleeping(time)).toHaveLength(3)
    await cells.end([RUN])
    expect(sleeping(time)).toEqual([])
    expect(read('bye')).toBe('bye\n')
  }),
)

test(
  'a stop reaches a command with its trap, and leaves what earlier ones started',
  inCell(async () => {
    const time = newTime()
    await run(`sleep ${time} > /dev/null 2>&1 &`)
    const command = `trap 'echo bye; exit 7' TERM; echo ready; sleep 1000 & wait`
    expect(await run(command, { timeoutMs: 1_000 })).toMatchObject({
      text: 'ready\nbye',
      exitCode: 7,
      timedOut: true,
    })
    const stop = new AbortController()
    const stubborn = `trap '' TERM; env -i setsid sleep ${time} & echo ready; while :; do sleep 1000; done`
    const onOutput = (text: string) => text.includes('ready') && stop.abort()
    expect(await run(stubborn, { signal: stop.signal, onOutput, killGraceMs: 100 })).toMatchObject({
      aborted: true,
      signal: 'SIGKILL',
      survivors: [],
    })
    expect(sleeping(time)).toHaveLength(1)
  }),
)

test(
  'a command that ends the whole cell fails, and the next one has a new cell',
  inCell(async () => {
    await expect(run('kill -9 -1')).rejects.toMatchObject({
      name: 'SandboxError',
      message: /^the sandbox has ended/,
    })
    expect((await run('echo again')).text).toBe('again')
  }),
)

test(
  'a supervisor that a command has stopped holds nothing up',
  inCell(async () => {
    const command = 'echo ready; until [ -e go ]; do :; done; kill -STOP 2; sleep 1000'
    const onOutput = (text: string) => text.includes('ready') && write('go', '')
    const result = await run(command, { timeoutMs: 2_000, killGraceMs: 100, onOutput })
    expect(result).toMatchObject({ timedOut: true, exitCode: null })
  }),
)

test(
  'commands of one turn share the cell, and long output is all read',
  inCell(async () => {
    const [first, second, third] = await Promise.all([
      run('echo 1 > /tmp/shared; until [ -e /tmp/back ]; do sleep 0.02; done; cat /tmp/back'),
      run('until [ -e /tmp/shared ]; do sleep 0.02; done; echo 2 > /tmp/back'),
      run('head -c 64M /dev/zero', { headSize: 10, tailSize: 10 }),
    ])
    expect(first.text).toBe('2')
    expect(second.exitCode).toBe(0)
    expect(third.droppedBytes).toBe(64 * 1024 ** 2 - 20)
  }),
)

test('a run that starts no command has no cell', async () => {
  cells.of(RUN)
  await cells.end([RUN])
  expect(processIds().filter((pid) => commandLine(pid).includes(folder))).toEqual([])
})

test(
  'each run has a cell of its own',
  inCell(async () => {
    const time = newTime()
    const start = (runId: string) =>
      cells
        .of(runId)
        .run({ program: 'bash', args: ['-c', `sleep ${time} > /dev/null 2>&1 &`], directory: root })
    await Promise.all([start('run_2'), start('run_3')])
    await expect.poll(() => sleeping(time)).toHaveLength(2) // bash does not wait for their start
    await cells.end(['run_2'])
    expect(sleeping(time)).toHaveLength(1)
    await cells.close()
    expect(sleeping(time)).toEqual([])
  }),
)
