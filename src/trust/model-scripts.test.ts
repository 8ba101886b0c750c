import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentDefinition } from '../core/agent.ts'
import { createFetch } from '../model/fetch.ts'
import { createResolver } from '../model/resolve.ts'
import { handClock } from '../testing.ts'
import type { RawConfig } from '../config/config-file.ts'
import { defaultConfig } from '../config/config-schema.ts'
import { judgeAgent } from './agent-requests.ts'
import { narrowConfig } from './narrow-config.ts'
import type { IsGranted } from './trust-request.ts'
import { grantedScripts } from './model-scripts.ts'

const MODEL = 'scripted:answers.json'
const answers = (text: string) => JSON.stringify({ agents: { '*': [{ text }] } })

let root: string
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'scripts-'))))
afterEach(() => rmSync(root, { recursive: true }))

const write = (text: string) => writeFileSync(join(root, 'answers.json'), answers(text))
const source = () => ({ file: 'offshoot.jsonc', sha256: 'x', root })
const ofConfig = (config: RawConfig) => (isGranted: IsGranted) =>
  narrowConfig(config, {}, source(), isGranted).requests
const ofAgent = (name: string) => (isGranted: IsGranted) => {
  const agent: AgentDefinition = {
    name,
    description: 'x',
    prompt: 'x',
    model: MODEL,
    source: { kind: 'file', path: 'x' } as unknown as AgentDefinition['source'],
  }
  const taken = new Map([['main', 'the built-in agent main']])
  return judgeAgent(agent, { file: 'x.md', sha256: 'x' }, { base: defaultConfig(), taken, isGranted, root })
    .requests
}

describe('a yes to a model with a script is a yes to the content of the script', () => {
  test.each<[string, (isGranted: IsGranted) => ReturnType<ReturnType<typeof ofConfig>>]>([
    ['model', ofConfig({ model: MODEL })],
    ['smallModel', ofConfig({ smallModel: MODEL })],
    ['an agent of the configuration', ofConfig({ agents: { explore: { model: MODEL } } })],
    ['the model of an agent file', ofAgent('other')],
    ['an agent file that replaces an agent', ofAgent('main')],
  ])('%s', (_, requests) => {
    const identities = () => requests(() => false).map(({ identity }) => identity)
    const text = () => requests(() => false)[0]!.text
    const missing = identities()
    expect(missing).toHaveLength(1)
    expect(text()).toContain('the script cannot be read')
    write('one')
    const first = identities()
    expect(text()).toMatch(/the script is read; its SHA-256 begins with [\da-f]{12}/)
    write('two')
    const second = identities()
    expect(new Set([...missing, ...first, ...second]).size).toBe(3)
    write('one')
    expect(requests(({ identity }) => first.includes(identity)).map(({ granted }) => granted)).toEqual([true])
  })

  test('a script that is not granted is right with no content, so that an old conversation does not read it', () => {
    write('one')
    const requests = ofConfig({ model: MODEL })
    const [{ script } = {}] = requests(() => true)
    expect([...grantedScripts(requests(() => true))]).toEqual([[MODEL, script!.sha256]])
    expect([...grantedScripts(requests(() => false))]).toEqual([[MODEL, null]])
  })

  test('a model without a script is the request that it was', () => {
    const [request] = ofConfig({ model: 'a/b' })(() => false)
    expect(request!.identity).toBe('{"key":"model","value":"a/b"}')
  })
})

describe('a resolver', () => {
  const resolver = (scripts?: ReadonlyMap<string, string | null>) =>
    createResolver({
      env: {},
      fetch: createFetch(),
      clock: handClock(),
      directory: root,
      ...(scripts && { scripts }),
    })

  test('finds a script from its directory, wherever the process is', async () => {
    write('one')
    expect((await resolver()(MODEL)).info.id).toBe(MODEL)
  })

  test('refuses a script that has changed since it was trusted', async () => {
    write('one')
    const [{ script } = {}] = ofConfig({ model: MODEL })(() => true)
    const scripts = new Map([[MODEL, script!.sha256]])
    expect((await resolver(scripts)(MODEL)).info.id).toBe(MODEL)
    write('two')
    for (const known of [scripts, new Map([[MODEL, null]])])
      await expect(resolver(known)(MODEL)).rejects.toMatchObject({
        code: 'config',
        message: expect.stringContaining('changed after it was trusted'),
      })
  })
})
