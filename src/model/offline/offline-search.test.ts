import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OfflineWorkspace } from '../../../test/support/offline-workspace.ts'
import { citationsIn } from './citation.ts'

let workspace: OfflineWorkspace

beforeEach(async () => {
  workspace = new OfflineWorkspace(await mkdtemp(join(tmpdir(), 'offline-')))
})

afterEach(() => rm(workspace.root, { recursive: true, force: true }))

describe('a question about a code base', () => {
  test('TypeScript: names the function first, and the tests that cover it', async () => {
    await workspace.write(TYPESCRIPT)
    const { text, tasks } = await workspace.ask('Where are addresses validated, and which tests cover it?')
    expect(tasks.length).toBeGreaterThanOrEqual(2)
    expect(tasks.every((task) => task['subagent_type'] === 'explore')).toBe(true)
    const cited = await workspace.trueCitations(text)
    expect(cited.length).toBeGreaterThanOrEqual(5)
    expect(cited[0]).toMatchObject({ path: 'src/addresses/check.ts' })
    expect(cited.some((each) => each.path === 'src/addresses/check.test.ts')).toBe(true)
    expect(cited.some((each) => each.path.includes('node_modules') || each.path.includes('.min.'))).toBe(
      false,
    )
    expect(text).toContain('not a language model')
  })

  test('Python: finds the definition and its test', async () => {
    await workspace.write(PYTHON)
    const { text } = await workspace.ask('How are retries delayed, and where is that tested?')
    const cited = await workspace.trueCitations(text)
    expect(cited[0]).toMatchObject({ path: 'client/retry.py', line: 8 })
    expect(cited.some((each) => each.path === 'tests/test_retry.py')).toBe(true)
    expect(cited.length).toBeGreaterThanOrEqual(5)
  })

  test('Go: finds the function behind a question in words', async () => {
    await workspace.write(GO)
    const { text } = await workspace.ask('Where is a request routed to its handler?')
    const cited = await workspace.trueCitations(text)
    expect(cited[0]!.path).toBe('server/router.go')
    expect(cited.length).toBeGreaterThanOrEqual(3)
  })

  test('prose: headings and sentences are cited', async () => {
    await workspace.write(PROSE)
    const { text } = await workspace.ask('Who waters the garden, and when?')
    const cited = await workspace.trueCitations(text)
    expect(cited[0]!.path).toBe('chapters/garden.md')
    expect(cited.length).toBeGreaterThanOrEqual(3)
  })

  test('an identifier: its definition comes first', async () => {
    await workspace.write(TYPESCRIPT)
    const { text } = await workspace.ask('What does `matchPattern` do?')
    expect((await workspace.trueCitations(text))[0]).toMatchObject({
      path: 'src/addresses/pattern.ts',
      line: 1,
    })
  })

  test('what calls something: calls before the definition', async () => {
    await workspace.write(TYPESCRIPT)
    const { text } = await workspace.ask('Who calls matchPattern?')
    expect((await workspace.trueCitations(text))[0]).toMatchObject({ path: 'src/addresses/check.ts' })
  })

  test('what the project is', async () => {
    await workspace.write(TYPESCRIPT)
    const { text, tasks } = await workspace.ask('What does this project do?')
    expect(tasks.length).toBeGreaterThanOrEqual(2)
    const cited = await workspace.trueCitations(text)
    expect(cited.some((each) => each.path === 'README.md' || each.path === 'package.json')).toBe(true)
  })

  test('in German', async () => {
    await workspace.write(TYPESCRIPT)
    const { text } = await workspace.ask('Wo werden Adressen validiert, und welche Tests decken das ab?')
    expect((await workspace.trueCitations(text))[0]!.path).toBe('src/addresses/check.ts')
  })

  test('a folder that the question names is kept to', async () => {
    await workspace.write(TYPESCRIPT)
    const { text } = await workspace.ask('Where is anything checked in src/loop?')
    const cited = await workspace.trueCitations(text)
    expect(cited.length).toBeGreaterThan(0)
    expect(cited.every((each) => each.path.startsWith('src/loop'))).toBe(true)
  })
})

describe('the conversation goes on', () => {
  test('a pronoun means what was asked before', async () => {
    await workspace.write(TYPESCRIPT)
    const first = await workspace.ask('Where are addresses validated?')
    const { text } = await workspace.ask('And which tests cover it?', { before: first.messages })
    const cited = await workspace.trueCitations(text)
    expect(cited[0]!.path).toBe('src/addresses/check.test.ts')
  })

  test('something to be written: says that it cannot, and where it would begin', async () => {
    await workspace.write(TYPESCRIPT)
    const { text } = await workspace.ask('Fix the address rules so that the strictest wins')
    expect(text).toMatch(/cannot write or change/)
    expect((await workspace.trueCitations(text)).length).toBeGreaterThan(0)
  })
})

describe('workspaces with little in them', () => {
  test('an empty directory', async () => {
    const { text } = await workspace.ask('Where are addresses validated?')
    expect(text).toMatch(/^No code here mentions addresses or validated\./)
    expect(citationsIn(text)).toEqual([])
  })

  test('nothing but binary files', async () => {
    await writeFile(join(workspace.root, 'a.bin'), Buffer.from([0, 1, 2, 3, 0, 255, 112, 101, 114, 109]))
    expect((await workspace.ask('Where are addresses validated?')).text).toMatch(/^No code here mentions/)
  })

  test('one file', async () => {
    await workspace.write({
      'main.c': 'int address_check(int zip) {\n  return zip != 0; /* an address has a code */\n}\n',
    })
    const cited = await workspace.trueCitations((await workspace.ask('Where are addresses checked?')).text)
    expect(cited[0]).toMatchObject({ path: 'main.c', line: 1 })
  })

  test('words that no file holds: says so, and shows what is here instead, as such', async () => {
    await workspace.write(PYTHON)
    const { text } = await workspace.ask('Where is the quaternion interpolated?')
    expect(text).toMatch(/^No code here mentions quaternion or interpolated\.\n/)
    const [fitting, instead] = text.split('**What is here instead**')
    expect(citationsIn(fitting!)).toEqual([])
    expect((await workspace.trueCitations(instead!)).length).toBeGreaterThanOrEqual(3)
  })

  test('a tiny package that says nothing of it: what is here instead, code before manifest', async () => {
    await workspace.write(TINY)
    const { text, tasks } = await workspace.ask('Where are permissions decided, and which tests cover it?')
    expect(tasks).toHaveLength(2)
    expect(text).toMatch(/^No code here mentions permissions\.\n/)
    const cited = await workspace.trueCitations(text)
    expect(new Set(cited.map(({ path, line }) => `${path}:${line}`)).size).toBeGreaterThanOrEqual(6)
    expect(cited[0]).toMatchObject({ path: 'index.js', line: 3 })
    expect(cited.some(({ excerpt }) => excerpt.includes('node spec.js'))).toBe(true)
  })

  test('what fits is not filled up', async () => {
    await workspace.write(TYPESCRIPT)
    const { text } = await workspace.ask('Where are addresses validated, and which tests cover it?')
    expect(text).not.toContain('What is here instead')
  })
})

describe('lines that are hard to quote', () => {
  test('backticks, tabs, CRLF, long lines and odd bytes: every citation is a literal piece of its line', async () => {
    await workspace.write({
      'src/voucher.js':
        'export function voucher() { return `a${1}` }\r\n\tconst voucherTable = 1\tor\ttwo columns of voucher\r\n' +
        `const voucherLong = "${'voucher '.repeat(400)}"\r\n// voucher \u202e evil \u0007 bell voucher text here\r\n`,
      'src/voucher-two.js': '`voucher``x``voucher`\nconst voucher = "ü😀 voucher 😀😀😀😀😀😀😀😀😀"\n',
      'docs with space/voucher.md': '# Voucher\n\nA `voucher` is a right, and voucher is everything here.\n',
    })
    await writeFile(
      join(workspace.root, 'src/voucher-bytes.js'),
      Buffer.from([...Buffer.from('const voucher = "'), 0xff, 0xfe, ...Buffer.from('voucher text"\n')]),
    )
    await writeFile(
      join(workspace.root, 'src/voucher-wide.js'),
      Buffer.from('\ufeffconst voucherWide = "voucher in UTF-16"\n', 'utf16le'),
    )
    const cited = await workspace.trueCitations((await workspace.ask('Where is the voucher?')).text)
    expect(cited.length).toBeGreaterThanOrEqual(4)
  })
})

describe('other agents', () => {
  test.each(['explore', 'general', 'planner', 'reviewer'])(
    '%s searches by itself and ends',
    async (agent) => {
      await workspace.write(TYPESCRIPT)
      const { text } = await workspace.ask('Where are addresses validated?', { agent, delegates: false })
      expect(text).toContain('not a language model')
      await workspace.trueCitations(text)
    },
  )

  test('main without delegation searches by itself', async () => {
    await workspace.write(TYPESCRIPT)
    const question = 'Where are addresses validated, and which tests cover it?'
    const { text } = await workspace.ask(question, { delegates: false })
    const cited = await workspace.trueCitations(text)
    expect(cited.length).toBeGreaterThanOrEqual(5)
  })

  test('main whose subagents all fail searches by itself, and says so', async () => {
    await workspace.write(TYPESCRIPT)
    const runTask = () => Promise.resolve({ type: 'error-text' as const, value: 'no slot' })
    const question = 'Where are addresses validated, and which tests cover it?'
    const { text } = await workspace.ask(question, { runTask })
    expect(text).toMatch(/^I asked for 2 subagents, but none brought a result/)
    expect((await workspace.trueCitations(text)).length).toBeGreaterThanOrEqual(5)
  })

  test('the reviewer cites what its patterns fit', async () => {
    await workspace.write({ 'src/a.ts': 'try {\n  work()\n} catch {}\n// TODO: handle the failure\n' })
    const { text } = await workspace.ask('Target: src\nFocus: bugs', { agent: 'reviewer', delegates: false })
    expect((await workspace.trueCitations(text)).map((each) => each.line)).toEqual([3, 4])
  })

  test('the planner numbers its steps, sources before tests', async () => {
    await workspace.write(TYPESCRIPT)
    const task = 'Task: let the strictest rule win in addresses'
    const { text } = await workspace.ask(task, { agent: 'planner', delegates: false })
    const cited = await workspace.trueCitations(text)
    expect(text).toMatch(/^1\. src\/addresses\//m)
    expect(cited.findIndex((each) => each.path.endsWith('.test.ts'))).not.toBe(0)
  })

  test('the researcher says that it cannot search the web', async () => {
    const options = { agent: 'researcher', delegates: false, tools: ['read', 'webfetch'] }
    const { text } = await workspace.ask('Which version of zod is current?', options)
    expect(text).toMatch(/cannot look this up/)
  })
})

const TYPESCRIPT = {
  'README.md':
    '# Postman\n\nPostman sends parcels on behalf of a shop and asks before it sends anything.\n\n## Addresses\n\nEvery address is validated by rules.\n',
  'package.json':
    '{\n  "name": "postman",\n  "description": "Sends parcels and asks before it sends anything",\n  "main": "src/main.ts"\n}\n',
  'package-lock.json': '{ "addresses": "address address validate" }\n',
  'node_modules/x/index.js': 'export function validateAddress() { return address }\n',
  '.gitignore': 'node_modules\n',
  'src/main.ts':
    "import { runLoop } from './loop/run.ts'\n\nexport function main(): void {\n  runLoop([])\n}\n",
  'src/loop/run.ts':
    "import { checkAddress } from '../addresses/check.ts'\n\n/** Sends each parcel whose address passes. */\nexport function runLoop(parcels: readonly string[]): void {\n  for (const parcel of parcels) {\n    const verdict = checkAddress([], parcel)\n    if (verdict === 'refuse') continue\n  }\n}\n",
  'src/addresses/check.ts':
    "import { matchPattern } from './pattern.ts'\n\nexport interface Rule {\n  readonly pattern: string\n  readonly action: 'pass' | 'ask' | 'refuse'\n}\n\n/** Validates one address: the strictest rule that matches wins. */\nexport function checkAddress(rules: readonly Rule[], address: string): Rule['action'] {\n  const matching = rules.filter((rule) => matchPattern(rule.pattern, address))\n  if (matching.some((rule) => rule.action === 'refuse')) return 'refuse'\n  return matching.length > 0 ? 'pass' : 'ask'\n}\n",
  'src/addresses/pattern.ts':
    "export function matchPattern(pattern: string, text: string): boolean {\n  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text)\n}\n",
  'src/addresses/check.test.ts':
    "import { expect, it } from 'vitest'\nimport { checkAddress } from './check.ts'\n\nit('refuses when any rule refuses', () => {\n  expect(checkAddress([{ pattern: '*', action: 'refuse' }], 'Main Street 1')).toBe('refuse')\n})\n\nit('asks when no rule matches the address', () => {\n  expect(checkAddress([], 'Main Street 1')).toBe('ask')\n})\n",
  'dist/bundle.min.js': 'function validateAddress(){return address}',
}

const TINY = {
  'package.json':
    '{\n  "name": "shorten",\n  "author": "Somebody",\n  "main": "index.js",\n  "scripts": {\n    "test": "node spec.js"\n  }\n}\n',
  'README.md': '# Shorten\n\nCuts a long word in its middle, so that both of its ends can be read.\n',
  'index.js':
    "'use strict'\n\nmodule.exports = function shorten(word, max) {\n  if (word.length <= max) return word\n  return word.slice(0, max / 2) + word.slice(-max / 2)\n}\n",
}

const PYTHON = {
  'client/__init__.py': '',
  'client/retry.py':
    'import random\n\n\nMAX_RETRIES = 5\nBASE_DELAY = 0.5\n\n\ndef retry_delay(attempt):\n    """Seconds to wait before the next retry."""\n    return BASE_DELAY * 2 ** attempt * random.random()\n\n\nclass RetryError(Exception):\n    """Raised when all retries are used up."""\n',
  'client/http.py':
    'from .retry import retry_delay\n\n\ndef send(request, attempts=3):\n    for attempt in range(attempts):\n        wait = retry_delay(attempt)\n    return wait\n',
  'tests/test_retry.py':
    'from client.retry import retry_delay\n\n\ndef test_retry_delay_grows():\n    assert retry_delay(3) <= 4\n\n\ndef test_retry_delay_is_jittered():\n    assert retry_delay(1) != retry_delay(1)\n',
}

const GO = {
  'go.mod': 'module example.test/server\n',
  'server/router.go':
    'package server\n\nimport "net/http"\n\n// Router sends each request to the handler of its path.\ntype Router struct {\n\troutes map[string]http.HandlerFunc\n}\n\n// Route finds the handler for a request.\nfunc (r *Router) Route(req *http.Request) http.HandlerFunc {\n\tif handler, ok := r.routes[req.URL.Path]; ok {\n\t\treturn handler\n\t}\n\treturn http.NotFound\n}\n',
  'server/server.go':
    'package server\n\nimport "net/http"\n\nfunc Serve(r *Router, w http.ResponseWriter, req *http.Request) {\n\thandler := r.Route(req)\n\thandler(w, req)\n}\n',
  'server/router_test.go':
    'package server\n\nimport "testing"\n\nfunc TestRouteFindsHandler(t *testing.T) {\n\tr := &Router{}\n\t_ = r\n}\n',
}

const PROSE = {
  'README.md': '# A book about a house\n\nIt has chapters on the garden, the kitchen and the roof.\n',
  'chapters/garden.md':
    '# The garden\n\nMaria waters the garden every morning before the sun is high.\n\n## Watering in summer\n\nIn summer the garden is watered twice, in the morning and in the evening.\n\nOn Sundays nobody waters anything.\n\n## Who does it\n\nPeter waters the garden when Maria is away.\n',
  'chapters/kitchen.md': '# The kitchen\n\nThe kitchen has a stove. Water comes from the well.\n',
  'chapters/roof.md':
    '# The roof\n\nThe roof keeps the rain out, and the rain waters the meadow behind the garden.\n',
}
