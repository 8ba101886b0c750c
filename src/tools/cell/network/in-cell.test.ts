import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import type http from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BUBBLEWRAP, inCell } from '../../../../test/support/in-cell.ts'
import type { ReachedHost } from '../../command-cell.ts'
import { loopbackNetwork } from '../../web/fixtures/loopback-network.ts'
import { httpSite, httpsSite, rawSite, type Site } from '../../web/fixtures/site.ts'
import { cellPlaces } from '../cell-layout-of.ts'
import { closedNetwork } from '../fixtures/closed-network.ts'
import { RunCells } from '../run-cells.ts'
import type { CellNetworkOptions } from './cell-network.ts'
import { readHostRule } from './host-rule.ts'

const PUBLIC = '93.184.216.34'
const NODE = '/run/offshoot/node'
const CERTIFICATE = fileURLToPath(new URL('../../web/fixtures/ca.pem', import.meta.url))

let folder: string
let root: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-test-')))
  root = join(folder, 'home/work')
  mkdirSync(root, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Everything is at one public address, where these servers answer. */
function worldOf(http: Site, https: Site = http) {
  const names = new Proxy({}, { get: () => [PUBLIC] })
  return loopbackNetwork({ names, ports: { '*:80': http.port, '*:443': https.port } })
}

interface Ran {
  readonly text: string
  readonly exitCode: number | null
  readonly reached: readonly ReachedHost[]
}

/** One command in a cell of its own. */
async function run(
  command: string,
  hosts: readonly string[],
  network: Partial<CellNetworkOptions>,
): Promise<Ran> {
  const variables = { CURL_CA_BUNDLE: CERTIFICATE, NODE_EXTRA_CA_CERTS: CERTIFICATE }
  const env = { ...process.env, HOME: join(folder, 'home'), ...variables }
  const places = cellPlaces({ directories: [root], ownDirectories: [], env })
  const rules = hosts.map(readHostRule).flatMap((rule) => ('problem' in rule ? [] : [rule]))
  const reach = { ...closedNetwork, rules, ...network }
  const cells = new RunCells({ bubblewrap: BUBBLEWRAP, places, network: reach, owner: 'own_x' })
  const options = { program: 'bash', args: ['-c', `{ ${command}\n} 2>&1`], directory: root, environment: env }
  const { result, reached } = await cells.of('run_1').run({ ...options, timeoutMs: 60_000 })
  await cells.close()
  return { text: result.output, exitCode: result.exitCode, reached }
}

const asks = (request: http.IncomingMessage, response: http.ServerResponse) =>
  void response.end(`${request.headers.host}${request.url}`)

const ONE_REQUEST = (port: number) => [
  { host: 'example.com', port, refused: null, sent: expect.any(Number), received: expect.any(Number) },
]

describe('a listed host is reached by', () => {
  test.each([
    ['curl', 'curl -sS http://example.com/a', 80],
    ['curl, in a tunnel', 'curl -sS https://example.com/a', 443],
    [
      'the fetch of Node',
      `${NODE} -e "fetch('http://example.com/a').then((r) => r.text()).then(console.log)"`,
      80,
    ],
    [
      'the fetch of Node, in a tunnel',
      `${NODE} -e "fetch('https://example.com/a').then((r) => r.text()).then(console.log)"`,
      443,
    ],
  ])('%s', async (_, command, port) => {
    await inCell(async () => {
      await using plain = await httpSite(asks)
      await using secure = await httpsSite(asks)
      const { text, reached } = await run(command, ['example.com'], { network: worldOf(plain, secure) })
      expect(text.trim()).toBe('example.com/a')
      expect(reached).toEqual(ONE_REQUEST(port))
      expect(reached[0]!.received).toBeGreaterThan(10)
    })()
  })

  test(
    'many at once, with bodies of megabytes both ways',
    inCell(async () => {
      await using secure = await httpsSite((request, response) => void request.pipe(response))
      const command = `head -c 5M /dev/urandom > body
        for n in 1 2 3 4 5 6 7 8; do curl -sS --data-binary @body -o got$n https://example.com/ & done; wait
        sha256sum body got* | cut -c1-64 | sort -u | wc -l`
      const { text, reached } = await run(command, ['example.com'], { network: worldOf(secure) })
      expect(text.trim()).toBe('1')
      expect(reached).toHaveLength(1)
      expect(Math.min(reached[0]!.sent, reached[0]!.received)).toBeGreaterThan(40 * 1024 * 1024)
    }),
  )

  test(
    'npm',
    inCell(async () => {
      const archive = packed({ 'package/package.json': '{"name":"tiny","version":"1.0.0"}' })
      const dist = { tarball: 'http://example.com/tiny.tgz' }
      const versions = { '1.0.0': { name: 'tiny', version: '1.0.0', dist } }
      await using site = await httpSite((request, response) =>
        response.end(
          request.url === '/tiny.tgz'
            ? archive
            : JSON.stringify({ name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions }),
        ),
      )
      writeFileSync(join(root, 'package.json'), '{}')
      const command = 'npm install --no-audit --no-fund --registry http://example.com/ tiny'
      const { text, exitCode } = await run(command, ['example.com'], { network: worldOf(site) })
      expect([exitCode, text]).toEqual([0, expect.stringContaining('added 1 package')])
      expect(existsSync(join(root, 'node_modules/tiny/package.json'))).toBe(true)
    }),
  )

  test(
    'git over HTTP',
    inCell(async () => {
      const repository = join(folder, 'repository')
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-C', repository, ...args])
      mkdirSync(repository)
      git('init', '--quiet')
      git('commit', '--quiet', '--allow-empty', '-m', 'far away')
      git('update-server-info')
      await using site = await httpSite(files(join(repository, '.git')))
      const command = 'git clone -q http://example.com/ cloned && git -C cloned log --format=%s'
      const { text } = await run(command, ['example.com'], { network: worldOf(site) })
      expect(text).toMatch(/^far away$/m)
    }),
  )

  test.each(spawnSync('python3', ['-m', 'pip', '--version']).status === 0 ? ['pip'] : [])('%s', async () => {
    await inCell(async () => {
      const site = join(folder, 'simple')
      const wheel = 'tiny-1.0-py3-none-any.whl'
      makeWheel(join(site, 'tiny', wheel))
      writeFileSync(join(site, 'tiny/index.html'), `<a href="${wheel}">${wheel}</a>`)
      await using served = await httpSite(files(site))
      const command = `python3 -m pip download -q --disable-pip-version-check --index-url http://example.com/ --trusted-host example.com tiny; ls`
      const { text } = await run(command, ['example.com'], { network: worldOf(served) })
      expect(text).toMatch(new RegExp(`^${wheel}$`, 'm'))
    })()
  })
})

describe('nothing else is', () => {
  test(
    'an unlisted host gets 403 with its name, and the way around the proxy leads nowhere',
    inCell(async () => {
      await using site = await httpSite(asks)
      const command = `
        curl -sS http://other.example/; curl -sS https://other.example/
        curl -sS --noproxy '*' --max-time 5 http://${PUBLIC}/
        curl -sS http://169.254.169.254/latest/meta-data/
        env -i curl -sS --max-time 5 http://169.254.169.254/
        curl -sS --noproxy '*' --max-time 5 http://127.0.0.1:${site.port}/
        timeout 5 bash -c ': < /dev/tcp/127.0.0.1/${site.port}'
        ls /run/offshoot/network`
      const { text, reached } = await run(command, ['example.com'], { network: worldOf(site) })
      const entry = (host: string) =>
        `sandbox.network does not name it (to allow it, a person adds "${host}" to that list in the configuration)`
      expect(text.split('\n')).toEqual([
        `offshoot: the sandbox refused other.example:80: ${entry('other.example')}`,
        expect.stringContaining('403'),
        expect.stringMatching(/^curl: \(7\) /),
        expect.stringContaining('the sandbox refused 169.254.169.254:80: it is not a public host'),
        expect.stringMatching(/^curl: \(7\) /),
        expect.stringMatching(/^curl: \(7\) /),
        expect.stringContaining('Connection refused'),
        expect.any(String),
        'proxy',
        '',
      ])
      expect(site.requests).toEqual([])
      expect(reached.map(({ host, port, refused }) => [host, port, refused !== null])).toEqual([
        ['other.example', 80, true],
        ['other.example', 443, true],
        ['169.254.169.254', 80, true],
      ])
    }),
  )

  test(
    'a port of this machine is one that is named',
    inCell(async () => {
      await using named = await rawSite((socket) => void socket.end('named'))
      await using other = await rawSite((socket) => void socket.end('other'))
      const ports = { [`127.0.0.1:${named.port}`]: named.port, [`127.0.0.1:${other.port}`]: other.port }
      const command = `cat < /dev/tcp/127.0.0.1/${named.port}; cat < /dev/tcp/127.0.0.1/${other.port}`
      const network = loopbackNetwork({ ports })
      const { text, reached } = await run(command, [], { network, ports: [named.port] })
      expect(text).toMatch(/^named.*Connection refused/)
      expect(reached).toEqual([{ host: '127.0.0.1', port: named.port, refused: null, sent: 0, received: 5 }])
    }),
  )

  test(
    'a cell leaves no socket on the disk, neither while it runs nor when it ends',
    inCell(async () => {
      const before = process.env['TMPDIR']
      process.env['TMPDIR'] = join(folder, 'tmp')
      mkdirSync(process.env['TMPDIR'])
      try {
        await using site = await httpSite(asks)
        const { text } = await run('curl -sS http://example.com/', ['example.com'], {
          network: worldOf(site),
        })
        expect([text, execFileSync('find', [join(folder, 'tmp'), '-mindepth', '1']).toString()]).toEqual([
          'example.com/',
          '',
        ])
      } finally {
        if (before === undefined) delete process.env['TMPDIR']
        else process.env['TMPDIR'] = before
      }
    }),
  )
})

/** Of a directory. */
function files(directory: string) {
  return ({ url = '/' }: http.IncomingMessage, response: http.ServerResponse) => {
    const path = join(directory, new URL(url, 'http://x').pathname)
    const file = path.endsWith('/') ? `${path}index.html` : path
    if (path.endsWith('/')) response.setHeader('content-type', 'text/html')
    if (existsSync(file)) response.end(readFileSync(file))
    else response.writeHead(404).end()
  }
}

function packed(contents: Readonly<Record<string, string>>): Buffer {
  const source = join(folder, 'packed')
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(join(source, dirname(name)), { recursive: true })
    writeFileSync(join(source, name), text)
  }
  return gzipSync(execFileSync('tar', ['-c', '-C', source, 'package']))
}

function makeWheel(path: string): void {
  const info = 'tiny-1.0.dist-info'
  const script = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    z.writestr('tiny.py', '')
    z.writestr('${info}/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
    z.writestr('${info}/WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    z.writestr('${info}/RECORD', '')`
  mkdirSync(dirname(path), { recursive: true })
  execFileSync('python3', ['-c', script, path])
}
