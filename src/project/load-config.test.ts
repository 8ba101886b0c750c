import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from './load-config.ts'
import { configHome, dataHome, type Env } from '../config/homes.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'offshoot-config-'))
  mkdirSync(join(root, 'home/offshoot'), { recursive: true })
  mkdirSync(join(root, 'project'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const projectFile = () => join(root, 'project/offshoot.jsonc')
const project = (text: string) => writeFileSync(projectFile(), text)
const user = (text: string) => writeFileSync(join(root, 'home/offshoot/config.jsonc'), text)
/** With all granted that the project asks for. */
const load = (env: Env = {}, isGranted = () => true) =>
  loadConfig(join(root, 'project'), { XDG_CONFIG_HOME: join(root, 'home'), ...env }, undefined, { isGranted })

function errorOf(env: Env = {}) {
  try {
    load(env)
  } catch (error) {
    return error as { code: string; message: string; hint: string }
  }
  throw new Error('it loaded')
}

test('without any source everything has its default', () => {
  const { config, warnings, layers } = load()
  expect(config.limits).toMatchObject({
    maxTurns: 50,
    maxDepth: 1,
    maxConcurrent: 4,
    timeoutMs: null,
    budgetUsd: 5,
  })
  expect(config).toMatchObject({ delegation: 'auto', recovery: 'continue', agents: {} })
  expect(config.model).toBeUndefined()
  expect(warnings).toEqual([])
  expect(layers.flatMap(({ rules }) => rules)).toEqual([])
})

test('the environment wins over the project, the project over the user, key by key', () => {
  user(
    '{ "model": "a/user", "smallModel": "a/small", "limits": { "maxTurns": 10, "maxDepth": 2, "maxQueue": 7 } }',
  )
  project('{ "model": "a/project", "limits": { "maxTurns": 20, "maxDepth": 3 } }')
  const { config } = load({ OFFSHOOT_LIMITS__MAX_TURNS: '30' })
  expect(config).toMatchObject({
    model: 'a/project',
    smallModel: 'a/small',
    limits: { maxTurns: 30, maxDepth: 3, maxQueue: 7, maxSpawns: 50 },
  })
})

test('rules of each source stay a layer of their own', () => {
  user('{ "permissions": [{ "tool": "bash", "action": "deny" }] }')
  project('{ "permissions": [{ "tool": "bash", "pattern": "npm test", "action": "allow" }] }')
  const layers = load({ OFFSHOOT_PERMISSIONS: '[{"tool":"write","action":"ask"}]' }).layers
  expect(layers).toEqual([
    { name: 'user config', rules: [{ tool: 'bash', action: 'deny' }] },
    { name: 'project config', rules: [{ tool: 'bash', pattern: 'npm test', action: 'allow' }] },
    { name: 'environment', rules: [{ tool: 'write', action: 'ask' }] },
  ])
})

describe('an unknown key', () => {
  test('is a warning with file, line and the nearest known one', () => {
    project('{\n  // a comment\n  "store": {\n    "warnByte": 3\n  },\n  "modle": "x/y",\n}')
    const { config, warnings } = load()
    expect(config.store.warnBytes).toBe(2 * 1024 ** 3)
    expect(warnings.toSorted()).toEqual([
      `${projectFile()}:4: unknown key "store.warnByte" is ignored; did you mean warnBytes?`,
      `${projectFile()}:6: unknown key "modle" is ignored; did you mean model?`,
    ])
  })

  test('in the environment names the variable', () => {
    const { warnings } = load({ OFFSHOOT_STORE__WARN_BYTE: '3' })
    expect(warnings).toEqual([
      'environment OFFSHOOT_STORE__WARN_BYTE: unknown key "store.warnByte" is ignored; did you mean warnBytes?',
    ])
  })

  test('inside a list and a record has its place too', () => {
    project(
      '{ "prices": {\n"a/b": { "input": 1, "output": 1, "cacheRaed": 1 }},\n"agents": { "explore": { "modle": "x" } } }',
    )
    expect(load().warnings.toSorted()).toEqual([
      `${projectFile()}:2: unknown key "prices.a/b.cacheRaed" is ignored; did you mean cacheRead?`,
      `${projectFile()}:3: agents.explore.modle: unknown key is ignored; did you mean model?`,
    ])
  })

  test('named like a part of every object changes nothing', () => {
    project(
      '{ "__proto__": { "model": "x/y" }, "constructor": 1, "store": { "__proto__": { "maxTurns": 1 } } }',
    )
    const { config } = load({ OFFSHOOT_CONSTRUCTOR__PROTOTYPE__X: '1', OFFSHOOT___PROTO____X: '1' })
    expect(config.model).toBeUndefined()
    expect(config.limits.maxTurns).toBe(50)
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  })
})

describe('a wrong value', () => {
  test.each([
    ['{\n "limits": {\n  "maxTurns": "ten" } }', 3, 'limits.maxTurns: expected a number, got "ten"'],
    ['{ "limits": { "maxDepth": 9 } }', 1, 'limits.maxDepth: expected at most'],
    [
      '{\n\n"delegation": "sometimes" }',
      3,
      'delegation: expected one of "off", "ask", "auto", got "sometimes"',
    ],
    [
      '{ "permissions": [\n{ "tool": "bash" }] }',
      2,
      'permissions.0.action: "action" of the rule for bash is missing',
    ],
    [
      '{\n "permissions": {"bash": "allow"} }',
      2,
      'permissions: expected a list of rules, not {"bash":"allow"}; write [{"tool":"bash","action":"allow"}]',
    ],
    [
      '{ "agents": { "explore": {\n "permissions": {"bash": "deny"} } } }',
      2,
      'agents.explore.permissions: expected a list of rules, not {"bash":"deny"}; write [{"tool":"bash","action":"deny"}]',
    ],
    ['[]', 1, 'the file: expected an object, got a list'],
    ['7', 1, 'the file: expected an object, got 7'],
    ['null', 1, 'the file: expected an object, got null'],
    ['{ "model": ', 1, 'not valid JSON (value expected)'],
    ['{\n "model": "a"\n "limits": {} }', 3, 'not valid JSON (comma expected)'],
    ['{ "model": "x } ', 1, 'not valid JSON'],
  ])('%j is an error with file, line and what is expected', (text, line, message) => {
    project(text)
    const error = errorOf()
    expect(error.code).toBe('config')
    expect(error.message).toContain(`${projectFile()}:${line}: ${message}`)
    expect(error.hint).toContain('docs/configuration.md')
  })

  test('in the environment names the variable', () => {
    const wrong = { OFFSHOOT_LIMITS__MAX_TURNS: 'many' }
    expect(errorOf(wrong).message).toMatch(/^environment OFFSHOOT_LIMITS__MAX_TURNS: limits\.maxTurns: /)
    expect(errorOf({ OFFSHOOT_LIMITS: '7' }).message).toMatch(/^environment OFFSHOOT_LIMITS: limits: /)
  })
})

test('variables of ours that are no configuration, and those of others, are left alone', () => {
  const env = { OFFSHOOT_HOME: '/x', OFFSHOOT_OWNER: 'o', OFFSHOOT_RUN_ID: 'r', OTHER: '1', OFFSHOOT: '2' }
  expect(load(env).warnings).toEqual([])
})

test('an empty file, comments alone, and a byte order mark are fine', () => {
  for (const text of ['', '// nothing\n', '\ufeff{ "model": "a/b", }']) {
    project(text)
    expect(load().warnings).toEqual([])
  }
  expect(load().config.model).toBe('a/b')
})

test('base URLs of a project are ignored, with a warning: it must not send a key to a server of its choice', () => {
  user('{ "baseUrls": { "openai": "https://mine" } }')
  project('{ "baseUrls": { "openai": "https://evil" } }')
  const { config, warnings } = load()
  expect(config.baseUrls).toEqual({ openai: 'https://mine' })
  expect(warnings).toEqual([
    'offshoot.jsonc: baseUrls is read from the user config and the environment only; it is ignored here',
  ])
})

test('who searches the web is for the user to say alone, key and all', () => {
  user('{ "search": { "provider": "searxng", "url": "http://127.0.0.1:8888", "keys": { "exa": "k" } } }')
  project('{ "search": { "provider": "exa", "url": "https://evil" }, "model": "offline" }')
  const { config, warnings } = load({ OFFSHOOT_SEARCH__KEYS__BRAVE: 'b' })
  expect(config).toMatchObject({
    model: 'offline',
    search: { provider: 'searxng', url: 'http://127.0.0.1:8888', keys: { exa: 'k', brave: 'b' } },
  })
  expect(warnings).toEqual([
    'offshoot.jsonc: search is read from the user config and the environment only; it is ignored here',
  ])
  user('{ "search": { "url": "127.0.0.1:8888" } }')
  expect(errorOf().message).toMatch(/config\.jsonc:1: search\.url: expected an http or https URL$/)
  user('{ "search": { "provider": "bing" } }')
  expect(errorOf().message).toMatch(/search\.provider/)
})

test('what is no file is an error at once, and never waited for', () => {
  execFileSync('sh', ['-c', 'mkfifo "$0"', projectFile()])
  expect(errorOf().message).toBe(`${projectFile()} cannot be read: it is not a file`)
  rmSync(projectFile())
  mkdirSync(projectFile())
  expect(errorOf().message).toContain('not a file')
  rmSync(projectFile(), { recursive: true })
  symlinkSync('/dev/zero', projectFile())
  expect(errorOf().message).toContain('not a file')
  rmSync(projectFile())
  project(`{ "model": "${'x'.repeat(2 * 1024 * 1024)}" }`)
  expect(errorOf().message).toContain('at most 1048576 are read')
})

test('places follow the environment', () => {
  expect(configHome({ HOME: '/h' })).toBe('/h/.config')
  expect(configHome({ HOME: '/h', XDG_CONFIG_HOME: '/c' })).toBe('/c')
  expect(dataHome({ HOME: '/h' })).toBe('/h/.local/share/offshoot')
  expect(dataHome({ HOME: '/h', XDG_DATA_HOME: '/d' })).toBe('/d/offshoot')
  expect(dataHome({ HOME: '/h', XDG_DATA_HOME: '/d', OFFSHOOT_HOME: '/o' })).toBe('/o')
})
