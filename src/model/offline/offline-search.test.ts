import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useFileTool } from '../../../test/support/file-tools.ts'
import { citationsIn } from './citation.ts'
import { createOfflineModel } from './offline-model.ts'

const MAX_TURNS = 8

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'offline-'))
})

afterEach(() => rm(root, { recursive: true, force: true }))

describe('a question about a code base', () => {
  test('TypeScript: names the function first, and the tests that cover it', async () => {
    await write(TYPESCRIPT)
    const { text, tasks } = await ask('Where are addresses validated, and which tests cover it?')
    expect(tasks.length).toBeGreaterThanOrEqual(2)
    expect(tasks.every((task) => task['subagent_type'] === 'explore')).toBe(true)
    const cited = await trueCitations(text)
    expect(cited.length).toBeGreaterThanOrEqual(5)
    expect(cited[0]).toMatchObject({ path: 'src/addresses/check.ts' })
    expect(cited.some((each) => each.path === 'src/addresses/check.test.ts')).toBe(true)
    expect(cited.some((each) => each.path.includes('node_modules') || each.path.includes('.min.'))).toBe(
      false,
    )
    expect(text).toContain('not a language model')
  })

  test('Python: finds the definition and its test', async () => {
    await write(PYTHON)
    const { text } = await ask('How are retries delayed, and where is that tested?')
    const cited = await trueCitations(text)
    expect(cited[0]).toMatchObject({ path: 'client/retry.py', line: 8 })
    expect(cited.some((each) => each.path === 'tests/test_retry.py')).toBe(true)
    expect(cited.length).toBeGreaterThanOrEqual(5)
  })

  test('Go: finds the function behind a question in words', async () => {
    await write(GO)
    const { text } = await ask('Where is a request routed to its handler?')
    const cited = await trueCitations(text)
    expect(cited[0]!.path).toBe('server/router.go')
    expect(cited.length).toBeGreaterThanOrEqual(5)
  })

  test('prose: headings and sentences are cited', async () => {
    await write(PROSE)
    const { text } = await ask('Who waters the garden, and when?')
    const cited = await trueCitations(text)
    expect(cited[0]!.path).toBe('chapters/garden.md')
    expect(cited.length).toBeGreaterThanOrEqual(5)
  })

  test('an identifier: its definition comes first', async () => {
    await write(TYPESCRIPT)
    const { text } = await ask('What does `matchPattern` do?')
    expect((await trueCitations(text))[0]).toMatchObject({ path: 'src/addresses/pattern.ts', line: 1 })
  })

  test('what calls something: calls before the definition', async () => {
    await write(TYPESCRIPT)
    const { text } = await ask('Who calls matchPattern?')
    expect((await trueCitations(text))[0]).toMatchObject({ path: 'src/addresses/check.ts' })
  })

  test('what the project is', async () => {
    await write(TYPESCRIPT)
    const { text, tasks } = await ask('What does this project do?')
    expect(tasks.length).toBeGreaterThanOrEqual(2)
    const cited = await trueCitations(text)
    expect(cited.some((each) => each.path === 'README.md' || each.path === 'package.json')).toBe(true)
  })

  test('in German', async () => {
    await write(TYPESCRIPT)
    const { text } = await ask('Wo werden Adressen validiert, und welche Tests decken das ab?')
    expect((await trueCitations(text))[0]!.path).toBe('src/addresses/check.ts')
  })

  test('a folder that the question names is kept to', async () => {
    await write(TYPESCRIPT)
    const { text } = await ask('Where is anything checked in src/loop?')
    const cited = await trueCitations(text)
    expect(cited.length).toBeGreaterThan(0)
    expect(cited.every((each) => each.path.startsWith('src/loop'))).toBe(true)
  })
})

describe('the conversation goes on', () => {
  test('a pronoun means what was asked before', async () => {
    await write(TYPESCRIPT)
    const first = await ask('Where are addresses validated?')
    const { text } = await ask('And which tests cover it?', first.messages)
    const cited = await trueCitations(text)
    expect(cited[0]!.path).toBe('src/addresses/check.test.ts')
  })

  test('something to be written: says that it cannot, and where it would begin', async () => {
    await write(TYPESCRIPT)
    const { text } = await ask('Fix the address rules so that the strictest wins')
    expect(text).toMatch(/cannot write or change/)
    expect((await trueCitations(text)).length).toBeGreaterThan(0)
  })
})

describe('workspaces with little in them', () => {
  test('an empty directory', async () => {
    const { text } = await ask('Where are addresses validated?')
    expect(text).toMatch(/Nothing was found/)
    expect(citationsIn(text)).toEqual([])
  })

  test('nothing but binary files', async () => {
    await writeFile(join(root, 'a.bin'), Buffer.from([0, 1, 2, 3, 0, 255, 112, 101, 114, 109]))
    expect((await ask('Where are addresses validated?')).text).toMatch(/Nothing was found/)
  })

  test('one file', async () => {
    await write({
      'main.c': 'int address_check(int zip) {\n  return zip != 0; /* an address has a code */\n}\n',
    })
    const cited = await trueCitations((await ask('Where are addresses checked?')).text)
    expect(cited[0]).toMatchObject({ path: 'main.c', line: 1 })
  })

  test('words that stand nowhere: says what was looked for, and shows the nearest places as such', async () => {
    await write(PYTHON)
    const { text } = await ask('Where is the quaternion interpolated?')
    expect(text).toMatch(/Nothing was found.*quaternion/)
    const [fitting, nearest] = text.split('**Nearest places**')
    expect(citationsIn(fitting!)).toEqual([])
    expect((await trueCitations(nearest!)).length).toBeGreaterThanOrEqual(6)
  })

  test('a tiny package that says nothing of it: the nearest places, code before manifest', async () => {
    await write(TINY)
    const { text, tasks } = await ask('Where are permissions decided, and which tests cover it?')
    expect(tasks).toHaveLength(2)
    expect(text).toMatch(/^Nothing was found\. I looked for permissions, decide/)
    const cited = await trueCitations(text)
    expect(new Set(cited.map(({ path, line }) => `${path}:${line}`)).size).toBeGreaterThanOrEqual(6)
    expect(cited[0]).toMatchObject({ path: 'index.js', line: 3 })
    expect(cited.some(({ excerpt }) => excerpt.includes('node spec.js'))).toBe(true)
  })

  test('five lines in all, copies and neighbours: each of them is cited', async () => {
    await write({
      'index.js': 'exports.one = 1\nexports.two = 2\n',
      'index.mjs': 'export const one = 1\nexport const two = 2\n',
      'package.json': '{"name":"two-numbers"}\n',
    })
    const { text } = await ask('Where are permissions decided, and which tests cover it?')
    expect(await trueCitations(text)).toHaveLength(5)
  })

  test('enough that fits is not filled up', async () => {
    await write(TYPESCRIPT)
    const { text } = await ask('Where are addresses validated, and which tests cover it?')
    expect(text).not.toContain('Nearest places')
  })
})

describe('lines that are hard to quote', () => {
  test('backticks, tabs, CRLF, long lines and odd bytes: every citation is a literal piece of its line', async () => {
    await write({
      'src/voucher.js':
        'export function voucher() { return `a${1}` }\r\n\tconst voucherTable = 1\tor\ttwo columns of voucher\r\n' +
        `const voucherLong = "${'voucher '.repeat(400)}"\r\n// voucher \u202e evil \u0007 bell voucher text here\r\n`,
      'src/voucher-two.js': '`voucher``x``voucher`\nconst voucher = "ü😀 voucher 😀😀😀😀😀😀😀😀😀"\n',
      'docs with space/voucher.md': '# Voucher\n\nA `voucher` is a right, and voucher is everything here.\n',
    })
    await writeFile(
      join(root, 'src/voucher-bytes.js'),
      Buffer.from([...Buffer.from('const voucher = "'), 0xff, 0xfe, ...Buffer.from('voucher text"\n')]),
    )
    await writeFile(
      join(root, 'src/voucher-wide.js'),
      Buffer.from('\ufeffconst voucherWide = "voucher in UTF-16"\n', 'utf16le'),
    )
    const cited = await trueCitations((await ask('Where is the voucher?')).text)
    expect(cited.length).toBeGreaterThanOrEqual(4)
  })
})

describe('other agents', () => {
  test.each(['explore', 'general', 'planner', 'reviewer'])(
    '%s searches by itself and ends',
    async (agent) => {
      await write(TYPESCRIPT)
      const { text } = await drive(agent, [user('Where are addresses validated?')], false)
      expect(text).toContain('not a language model')
      await trueCitations(text)
    },
  )

  test('main without delegation searches by itself', async () => {
    await write(TYPESCRIPT)
    const { text } = await drive(
      'main',
      [user('Where are addresses validated, and which tests cover it?')],
      false,
    )
    const cited = await trueCitations(text)
    expect(cited.length).toBeGreaterThanOrEqual(5)
  })

  test('main whose subagents all fail searches by itself, and says so', async () => {
    await write(TYPESCRIPT)
    const failing = () => Promise.resolve({ type: 'error-text' as const, value: 'no slot' })
    const question = user('Where are addresses validated, and which tests cover it?')
    const { text } = await drive('main', [question], true, FILE_TOOLS, failing)
    expect(text).toMatch(/^I asked for 2 subagents, but none brought a result/)
    expect((await trueCitations(text)).length).toBeGreaterThanOrEqual(5)
  })

  test('the reviewer cites what its patterns fit', async () => {
    await write({ 'src/a.ts': 'try {\n  work()\n} catch {}\n// TODO: handle the failure\n' })
    const { text } = await drive('reviewer', [user('Target: src\nFocus: bugs')], false)
    expect((await trueCitations(text)).map((each) => each.line)).toEqual([3, 4])
  })

  test('the planner numbers its steps, sources before tests', async () => {
    await write(TYPESCRIPT)
    const { text } = await drive('planner', [user('Task: let the strictest rule win in addresses')], false)
    const cited = await trueCitations(text)
    expect(text).toMatch(/^1\. src\/addresses\//m)
    expect(cited.findIndex((each) => each.path.endsWith('.test.ts'))).not.toBe(0)
  })

  test('the researcher says that it cannot search the web', async () => {
    const { text } = await drive('researcher', [user('Which version of zod is current?')], false, [
      'read',
      'webfetch',
    ])
    expect(text).toMatch(/cannot look this up/)
  })
})

const FILE_TOOLS = ['read', 'list', 'glob', 'grep']

interface Driven {
  readonly text: string
  readonly tasks: readonly Record<string, unknown>[]
  readonly messages: LanguageModelV4Prompt
}

function ask(question: string, before: LanguageModelV4Prompt = []): Promise<Driven> {
  return drive('main', [...before, user(question)], true)
}

/** Plays the loop: turns of the model over the real tools, subagents included, until it calls nothing more. */
async function drive(
  agent: string,
  messages: LanguageModelV4Prompt,
  delegates: boolean,
  names = FILE_TOOLS,
  runTask: typeof delegate | (() => Promise<{ type: 'error-text'; value: string }>) = delegate,
): Promise<Driven> {
  const model = createOfflineModel()
  const tools = [...names, ...(delegates ? ['task'] : [])].map((name) => ({
    type: 'function' as const,
    name,
    inputSchema: {},
  }))
  const prompt = [...messages]
  const tasks: Record<string, unknown>[] = []
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const { content } = await model.doGenerate({
      prompt,
      tools,
      providerOptions: { offshoot: { agent, depth: delegates ? 0 : 1 } },
    })
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const calls = content.flatMap((part) =>
      part.type === 'tool-call'
        ? [{ ...part, input: JSON.parse(part.input) as Record<string, unknown> }]
        : [],
    )
    prompt.push({ role: 'assistant', content: [{ type: 'text', text }, ...calls] })
    if (calls.length === 0) return { text, tasks, messages: prompt }
    const results = calls.map(async ({ toolCallId, toolName, input }) => {
      if (toolName === 'task') tasks.push(input)
      const output = toolName === 'task' ? await runTask(input) : await use(toolName, input)
      return { type: 'tool-result' as const, toolCallId, toolName, output }
    })
    prompt.push({ role: 'tool', content: await Promise.all(results) })
  }
  throw new Error(`not done after ${MAX_TURNS} turns`)
}

async function delegate(input: Record<string, unknown>) {
  const { text } = await drive(String(input['subagent_type']), [user(String(input['prompt']))], false)
  return {
    type: 'text' as const,
    value: `<subagent_report agent="explore" status="completed">\n${text}\n</subagent_report>`,
  }
}

async function use(name: string, input: Record<string, unknown>) {
  try {
    return { type: 'text' as const, value: await useFileTool(root, name, input) }
  } catch (error) {
    return { type: 'error-text' as const, value: String(error) }
  }
}

function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** The citations of an answer, each checked against the file. */
async function trueCitations(text: string) {
  const cited = citationsIn(text)
  for (const { path, line, excerpt } of cited) {
    const lines = (await readFile(join(root, path), 'utf8')).split('\n')
    expect(lines[line - 1], `${path}:${line}`).toContain(excerpt)
    expect(excerpt.length).toBeGreaterThanOrEqual(8)
  }
  return cited
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

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
