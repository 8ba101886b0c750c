import { createHash } from 'node:crypto'
import {
  chmodSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loseLog } from '../../../test/support/lost-log.ts'
import { TestUser } from '../../../test/support/test-user.ts'
import { systemProcesses } from '../../runtime/ownership/process-identity.ts'
import type { Check } from './check.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

interface Looked {
  readonly code: number | null
  readonly checks: readonly Check[]
  of(name: string): Check | undefined
}

async function doctor(env: Record<string, string> = {}): Promise<Looked> {
  const { code, stdout, stderr } = await user.call(['doctor', '--json'], { env })
  expect(stderr).toBe('')
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] }
  expect(ok).toBe(code === 0)
  return { code, checks, of: (name) => checks.find((check) => check.name === name) }
}

const run = () => user.call(['run', 'hi', '-m', user.script({ main: [{ text: 'Good.' }] })])

/** Every path below the user's root with its time and contents. */
function everything(): unknown {
  return readdirSync(user.root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { mtimeMs, mode } = statSync(path)
      const text = entry.isFile() ? readFileSync(path) : ''
      return `${path} ${mtimeMs} ${mode} ${createHash('sha256').update(text).digest('hex')}`
    })
    .toSorted()
}

function change(sql: string): void {
  const db = new DatabaseSync(user.database)
  db.exec(sql)
  db.close()
}

describe('doctor', () => {
  test('of somebody who has just begun finds no problem and makes nothing', async () => {
    const before = everything()
    const { code, checks, of } = await doctor()
    expect(code).toBe(0)
    expect(everything()).toEqual(before)
    const statuses = Object.fromEntries(checks.map(({ name, status }) => [name, status]))
    expect(statuses).toEqual({
      program: 'ok',
      node: 'ok',
      system: process.platform === 'linux' ? 'ok' : 'warning',
      sandbox: 'warning',
      git: 'ok',
      ripgrep: 'ok',
      guard: 'ok',
      data: 'ok',
      space: expect.stringMatching(/ok|warning/),
      database: 'ok',
      configuration: 'ok',
      trust: 'ok',
      agents: 'ok',
      keys: 'ok',
      model: 'ok',
      ollama: 'ok',
      search: 'ok',
    })
    expect(of('sandbox')?.message).toMatch(/^not in use/)
    expect(of('node')?.message).toContain(process.version)
    expect(of('database')?.message).toMatch(/offshoot\.db, which the first run creates$/)
    expect(of('model')?.message).toMatch(/^offline: no key is set/)
  })

  test('prints one line a check with a mark and a word, and what to do below', async () => {
    user.write('offshoot.jsonc', '{"limits": 1}')
    const { code, stdout } = await user.call(['doctor'])
    expect(code).toBe(3)
    const lines = stdout.trimEnd().split('\n')
    for (const line of lines) expect(line).toMatch(/^(✓ ok {7}|! warning {2}|✗ problem {2}| {26})\S/)
    const at = lines.findIndex((line) => line.startsWith('✗ problem  configuration'))
    expect(lines[at]).toMatch(/offshoot\.jsonc:1: limits: .*expected object/)
    expect(lines[at + 1]).toMatch(/^ {26}docs\/configuration\.md lists every key$/)
  })

  test('is wrong usage with other words', async () => {
    for (const args of [['x'], ['--nonsense'], ['-C', 'missing']])
      expect(await user.call(['doctor', ...args])).toMatchObject({ code: 2, stdout: '' })
  })

  test('says who searches the web, and never with which key', async () => {
    const of = async (env: Record<string, string>) => (await doctor(env)).of('search')
    expect(await of({})).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^none is configured/),
    })
    const key = 's3cret-key'
    const brave = await of({ BRAVE_API_KEY: key, EXA_API_KEY: key })
    expect(brave).toMatchObject({ status: 'ok', message: 'brave, by BRAVE_API_KEY' })
    const exa = await of({
      BRAVE_API_KEY: key,
      OFFSHOOT_SEARCH__KEYS__EXA: key,
      OFFSHOOT_SEARCH__PROVIDER: 'exa',
    })
    expect(exa?.message).toBe('exa, by search.keys.exa')
    for (const env of [
      { OFFSHOOT_SEARCH__PROVIDER: 'tavily' },
      { TAVILY_API_KEY: 'two words' },
      { SEARXNG_URL: 'file:///x' },
    ])
      expect(await of(env)).toMatchObject({
        status: 'warning',
        message: expect.stringContaining('is not used'),
      })
    expect(JSON.stringify([brave, exa])).not.toContain(key)
  })

  test('without git it goes on', async () => {
    const { code, of } = await doctor({ PATH: join(user.root, 'none') })
    expect(code).toBe(0)
    expect(of('git')).toMatchObject({ status: 'warning', message: expect.stringContaining('git') })
  })
})

describe('the database', () => {
  beforeEach(async () => void (await run()))

  test('is told with version, size and contents, and nothing of it changes', async () => {
    const before = everything()
    const { code, of } = await doctor()
    expect(everything()).toEqual(before)
    expect(code).toBe(0)
    expect(of('database')?.message).toMatch(/offshoot\.db, version \d+, \d+ KiB and a log of \d+ \w+, sound$/)
    expect(of('conversations')?.message).toBe('1')
    expect(of('runs')).toBeUndefined()
  })

  test('with runs of a dead process asks for recover; those of a living one are left out', async () => {
    change("UPDATE runs SET status = 'running', reason = NULL, end_reason = NULL, ended_at = NULL")
    change('DELETE FROM leases')
    const left = await doctor()
    expect(left).toMatchObject({ code: 0 })
    expect(left.of('runs')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/^1 left behind by a process that died: run_/),
      hint: expect.stringContaining('offshoot recover'),
    })
    const { host, bootId, pid, pidStart } = systemProcesses().self
    const [{ conversation_id } = {}] = user.rows('SELECT conversation_id FROM runs')
    const lease = (start: number) =>
      change(`INSERT OR REPLACE INTO leases (conversation_id, owner, host, boot_id, pid, pid_start, epoch, taken_at, renewed_at)
        VALUES ('${String(conversation_id)}', 'x', '${host}', '${bootId}', ${pid}, ${start}, 1, 1, ${Date.now()})`)
    lease(pidStart)
    expect((await doctor()).of('runs')).toBeUndefined()
    lease(pidStart + 1)
    expect((await doctor()).of('runs')?.status).toBe('warning')
  })

  test.each([
    ['damaged', () => truncateSync(user.database, statSync(user.database).size - 4096), /is damaged/],
    ['without a table', () => change('DROP TABLE leases'), /is damaged: it lacks the table leases/],
    ['newer', () => change('PRAGMA user_version = 99'), /newer offshoot \(version 99/],
    ['another program’s', () => change('PRAGMA application_id = 1'), /database of another program/],
    ['no database', () => writeFileSync(user.database, 'hello '.repeat(50)), /not a SQLite database/],
  ] as const)('that is %s is a problem with exit code 3, and stays as it is', async (_, spoil, message) => {
    spoil()
    const before = everything()
    const { code, of } = await doctor()
    expect(code).toBe(3)
    expect(of('database')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\w/),
    })
    expect(everything()).toEqual(before)
  })

  test('that another program holds is a problem with exit code 1 and its process', async () => {
    const db = new DatabaseSync(user.database)
    db.exec('BEGIN IMMEDIATE')
    const { code, of } = await doctor()
    db.close()
    expect(code).toBe(1)
    expect(of('database')).toMatchObject({
      status: 'problem',
      code: 'store_locked',
      message: expect.stringContaining(`locked by process ${process.pid}`),
    })
  })

  test('whose directory others may look into is a warning', async () => {
    chmodSync(user.home, 0o755)
    const { code, of } = await doctor()
    expect(code).toBe(0)
    expect(of('data')).toMatchObject({ status: 'warning', hint: `chmod 700 ${user.home}` })
  })
})

test('a data directory that is a file, or below one, is exit code 3', async () => {
  const file = user.write('file', '')
  for (const OFFSHOOT_HOME of [file, join(file, 'below')]) {
    const { code, of } = await doctor({ OFFSHOOT_HOME })
    expect(code).toBe(3)
    expect(of('data')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/is not a directory/),
    })
  }
})

describe('configuration and agents', () => {
  test('found files are named, with the warnings about them', async () => {
    user.write('offshoot.jsonc', '{\n"modle": "x"}')
    user.write('.offshoot/agents/good.md', '---\nname: good\ndescription: d\n---\nx')
    user.write('.offshoot/agents/bad.md', '---\nname: [\n---\nx')
    const { code, checks, of } = await doctor()
    expect(code).toBe(0)
    expect(of('configuration')?.message).toBe(join(user.directory, 'offshoot.jsonc'))
    expect(of('agents')?.message).toMatch(/^1 file in /)
    const warnings = checks.filter(({ status, name }) => status === 'warning' && name !== 'sandbox')
    expect(warnings).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/offshoot\.jsonc:2: unknown key "modle"/) }),
      expect.objectContaining({ message: expect.stringMatching(/bad\.md: skipped: /) }),
    ])
  })

  test('a wrong file is exit code 3 with file and line, and the rest is looked at', async () => {
    user.write('offshoot.jsonc', '{\n"limits": {"maxTurns": 0}}')
    const { code, of } = await doctor()
    expect(code).toBe(3)
    expect(of('configuration')?.message).toMatch(/offshoot\.jsonc:2: limits\.maxTurns/)
    expect(of('model')).toMatchObject({ status: 'warning' })
    expect(of('database')?.status).toBe('ok')
  })

  test('a configured model that cannot be used is exit code 3', async () => {
    for (const [model, message] of [
      ['nonsense/x', /unknown model/],
      ['anthropic/claude-sonnet-5', /ANTHROPIC_API_KEY is not set/],
      ['scripted:missing.json', /missing\.json cannot be read/],
    ] as const) {
      const { code, of } = await doctor({ OFFSHOOT_MODEL: model })
      expect(code, model).toBe(3)
      expect(of('model')).toMatchObject({ status: 'problem', message: expect.stringMatching(message) })
    }
  })
})

describe('models', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test('keys are said to be set and never shown', async () => {
    const env = { ANTHROPIC_API_KEY: 'sk-s3cret', OFFSHOOT_BASE_URLS__OLLAMA: 'ftp://me:s3cret@host' }
    const { stdout } = await user.call(['doctor'], { env })
    expect(stdout).not.toContain('s3cret')
    expect(stdout).toMatch(/ok +keys +ANTHROPIC_API_KEY: set$/m)
    expect(stdout).toMatch(/ok +model +anthropic\/\S+: ANTHROPIC_API_KEY is set$/m)
  })

  test('nothing is sent to a server that was named', async () => {
    const asked: string[] = []
    const url = await serve(({ url }, response) => {
      asked.push(url!)
      response.end('{"data":[{"id":"x"}]}')
    })
    const { code, of } = await doctor({ OPENAI_BASE_URL: url, OLLAMA_HOST: 'http://192.0.2.1:11434' })
    expect(code).toBe(0)
    expect(asked).toEqual([])
    expect(of('model')?.message).toMatch(/^the first one that 127\.0\.0\.1:\d+ lists \(it was not asked\)$/)
    expect(of('ollama')?.message).toBe('on 192.0.2.1:11434, which was not asked')
  })

  test('an Ollama of this machine is asked what it has', async () => {
    const OLLAMA_HOST = await serve((_, response) => response.end('{"models":[{"name":"qwen3:8b"}]}'))
    const { of } = await doctor({ OLLAMA_HOST })
    expect(of('ollama')?.message).toBe('answers, and has qwen3:8b')
    expect(of('model')?.message).toMatch(/^ollama\/qwen3:8b: /)
  })

  test('one that never answers is not waited for', async () => {
    const OLLAMA_HOST = await serve(() => {})
    const { code, of } = await doctor({ OLLAMA_HOST })
    expect(code).toBe(0)
    expect(of('ollama')?.message).toMatch(/^none answers/)
  })
})

describe('doctor --repair', () => {
  const repair = async () => (await user.call(['doctor', '--repair'])).stdout

  test('says that the log was lost of a database that is sound otherwise, and where the rest was copied', async () => {
    await loseLog(user.database)
    const said = await repair()
    expect(said).toMatch(/warning +loss +the log of the database .* What is left was copied to /)
    expect(said).toMatch(/ok +repair +nothing is damaged/)
    expect(said.match(/the log of the database/g)).toHaveLength(1)
  })

  test('says so of a damaged one too', async () => {
    await loseLog(user.database)
    const { size, mtime } = statSync(user.database)
    truncateSync(user.database, size - 4096)
    utimesSync(user.database, mtime, mtime)
    const said = await repair()
    expect(said).toMatch(/warning +repair .* The damaged database is kept/s)
    expect(said.match(/the log of the database/g)).toHaveLength(1)
  })

  test('says of an empty file that there was a database', async () => {
    await run()
    truncateSync(user.database)
    const said = await repair()
    expect(said.match(/is empty but was not before/g)).toHaveLength(1)
  })
})
