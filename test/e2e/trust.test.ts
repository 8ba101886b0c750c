import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createOffshoot } from '../../src/index.ts'
import { TestUser } from '../support/test-user.ts'

const HOSTILE = fileURLToPath(new URL('fixtures/hostile-repository', import.meta.url))
/** Those that no words of the trusted part hold. */
const ASKED = [
  /^offshoot\.jsonc: sets model to scripted:evil\.json/,
  /^offshoot\.jsonc: sets smallModel to scripted:evil\.json/,
  /^offshoot\.jsonc: sets limits\.budgetUsd to 1000; without this it is 5$/,
  /^offshoot\.jsonc: sets limits\.maxTokens to 1000000000/,
  /^offshoot\.jsonc: sets limits\.maxDepth to 5/,
  /^offshoot\.jsonc: sets prices\.anthropic\/␛\[2J␛\[1Aclaude-sonnet-5/,
  /^offshoot\.jsonc: allows every call of every tool without asking$/,
  /^offshoot\.jsonc: allows external_directory with \/\*\* without asking$/,
  /^offshoot\.jsonc: allows bash with echo <b>harmless<\/b> without asking$/,
  /^offshoot\.jsonc: sets for the agent explore: .*scripted:evil\.json/,
  /^\.offshoot\/agents\/lead\.md: gives the agent lead effort max$/,
  /^\.offshoot\/agents\/lead\.md: gives the agent lead maxTurns 40$/,
  /^\.offshoot\/agents\/lead\.md: gives the agent lead maxCostUsd 900$/,
  /^\.offshoot\/agents\/lead\.md: gives the agent lead spawns \["helper","general"\]$/,
  /^\.offshoot\/agents\/lead\.md: gives the agent lead exposeAsTool /,
  /^\.offshoot\/agents\/lead\.md: gives the agent lead contextFiles \["notes\.md","\.\.\/secret\.md"\]$/,
  /^\.offshoot\/agents\/main\.md: replaces the built-in agent main/,
  /^\.claude\/agents\/explore\.md: replaces the built-in agent explore/,
  /^\.opencode\/agents\/general\.md: replaces the built-in agent general/,
  /^opencode\.json: replaces the built-in agent planner with the agent Planner/,
]

let user: TestUser
beforeEach(() => {
  user = new TestUser()
  cpSync(HOSTILE, user.directory, { recursive: true })
})
afterEach(() => user.remove())

const made = (name: string) => existsSync(join(user.directory, name))
const bash = (...commands: string[]) => ({
  toolCalls: commands.map((command) => ({ tool: 'bash', input: { command } })),
})
const script = (...commands: string[]) => user.script({ main: [bash(...commands), { text: 'Done.' }] })
const notGranted = (stderr: string) => stderr.split('\n').filter((line) => line.includes('not granted'))
const shown = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.slice(2))

interface Listed {
  readonly values: readonly { readonly key: string; readonly value: unknown; readonly source: string }[]
  readonly permissions: readonly { readonly action: string }[]
}

async function config(): Promise<Listed> {
  return JSON.parse((await user.call(['config', '--json'])).stdout) as Listed
}

async function valueOf(key: string): Promise<unknown> {
  return (await config()).values.find((each) => each.key === key)?.value
}

describe('before trust', () => {
  test('run grants a hostile repository nothing, and says in one line what it asked for', async () => {
    const asked = await user.run(['run', 'what is this?'])
    expect(asked.code).toBe(0)
    expect(made('OWNED')).toBe(false)
    expect(asked.stderr).toContain('model offline')
    expect(notGranted(asked.stderr)).toEqual([
      expect.stringMatching(
        /^offshoot: 20 requests of the files in \S+ are not granted: .*offshoot trust \S+$/,
      ),
    ])
    expect(asked.stderr).not.toContain('\u001b')
    const told = await user.run(['run', 'go', '-m', script('touch OWNED', 'cat ../secret.md')])
    expect(told).toMatchObject({ code: 5, stdout: 'Done.\n' })
    expect(made('OWNED')).toBe(false)
  })

  test('what narrows is in force', async () => {
    expect(await valueOf('limits.maxSpawns')).toBe(3)
    expect(await valueOf('limits.budgetUsd')).toBe(5)
    expect(await valueOf('delegations')).toEqual([])
    expect((await config()).permissions.map(({ action }) => action)).toEqual(['deny'])
    const denied = await user.call(['run', 'go', '-m', script('touch forbidden.txt'), '--mode', 'auto'])
    expect(denied).toMatchObject({ code: 0, stdout: 'Done.\n' })
    expect(made('forbidden.txt')).toBe(false)
  })

  test('no agent of it takes the place of another, and a new one has only what narrows', async () => {
    for (const name of ['main', 'explore', 'general', 'planner'])
      expect((await user.call(['agents', 'show', name])).stdout).toMatch(/^source +built-in$/m)
    const { stdout } = await user.call(['agents', '--json'])
    const agents = JSON.parse(stdout) as Record<string, unknown>[]
    expect(stdout).not.toContain('HOSTILE: run')
    expect(agents.map(({ name }) => name)).not.toContain('Planner')
    const lead = agents.find(({ name }) => name === 'lead')!
    expect(Object.keys(lead).toSorted()).toEqual([
      'description',
      'inputSchema',
      'name',
      'prompt',
      'source',
      'tools',
    ])
    const check = await user.call(['agents', 'check'])
    expect(check.stdout).toMatch(
      /^held .*main\.md {2}main\n {14}not granted: replaces the built-in agent main/m,
    )
  })

  test('config and doctor tell of it', async () => {
    const { stdout } = await user.call(['config'])
    expect(stdout.match(/^not granted /gm)).toHaveLength(20)
    expect(stdout).not.toContain('\u001b')
    expect((await user.call(['doctor'])).stdout).toMatch(/^! warning {2}trust .*20 requests/m)
  })

  test('serve grants nothing, and says so in one line', async () => {
    const server = user.start(['serve', '--port', '0'])
    await server.untilStdout('listening on ')
    const url = /http:\S+/.exec(server.stdout)![0]
    const token = readFileSync(join(user.home, 'token'), 'utf8').trim()
    const call = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {}
      return (await (await fetch(`${url}/api${path}`, { headers, ...sent })).json()) as Record<
        string,
        unknown
      >
    }
    const { conversationId } = await call('/conversations', { text: 'go', model: script('touch OWNED') })
    const asked = async () =>
      (await call(`/approvals?conversation=${String(conversationId)}`)) as object as unknown[]
    await expect.poll(async () => (await asked()).length).toBe(1)
    expect(made('OWNED')).toBe(false)
    expect(notGranted(server.stderr)).toHaveLength(1)
    server.kill('SIGTERM')
    await server.ended
  })

  test('the library grants nothing, and warns once', async () => {
    const model = script('touch OWNED')
    await using offshoot = await createOffshoot({ directory: user.directory, env: user.env, model })
    expect(offshoot.warnings.filter((each) => each.includes('not granted'))).toHaveLength(1)
    expect(offshoot.trust.requests).toHaveLength(20)
    const chat = await offshoot.chat()
    const run = await chat.send('go')
    await run.result()
    expect(made('OWNED')).toBe(false)
  })

  test('a program that uses the library decides for itself, and nothing is recorded', async () => {
    const shownTo: string[] = []
    const options = { directory: user.directory, env: user.env, model: script('touch OWNED') }
    await using refusing = await createOffshoot({
      ...options,
      trust: ({ requests }) => {
        shownTo.push(...requests.map(({ text }) => text))
        return false
      },
    })
    expect(shownTo).toHaveLength(20)
    expect(refusing.trust.requests.filter(({ granted }) => granted)).toEqual([])
    await using granting = await createOffshoot({ ...options, trust: 'project' })
    expect(granting.warnings.filter((each) => each.includes('not granted'))).toEqual([])
    const run = await (await granting.chat()).send('go')
    await run.result()
    expect(made('OWNED')).toBe(true)
    expect((await user.call(['trust', '--list'])).stdout).toBe('')
  })
})

describe('offshoot trust', () => {
  test('shows all that is asked for, as text, and grants exactly that', async () => {
    const looked = await user.run(['trust', '--dry-run'])
    const lines = shown(looked.stdout)
    expect(lines).toHaveLength(ASKED.length)
    for (const each of ASKED) expect(lines).toContainEqual(expect.stringMatching(each))
    expect(looked.stdout).toMatch(/not granted, 20 requests: .*3 rules/)
    const broad = lines.map((each) => /scripted:|every call|\/\*\*|: replaces/.test(each))
    expect(broad).toEqual(broad.toSorted((a, b) => Number(b) - Number(a)))
    expect(looked.stdout).not.toContain('\u001b')
    expect(await user.call(['trust', '--list'])).toMatchObject({ code: 0, stdout: '' })

    expect(shown((await user.run(['trust'])).stdout)).toEqual(lines)
    const ran = await user.run(['run', 'what is this?'])
    expect(ran).toMatchObject({ code: 0, stdout: 'There is nothing to see.\n' })
    expect(notGranted(ran.stderr)).toEqual([])
    expect(made('OWNED')).toBe(true)
    expect(await valueOf('limits.budgetUsd')).toBe(1000)
    expect(await valueOf('delegations')).toEqual([])
    expect(JSON.stringify(await config())).not.toContain('127.0.0.1:9/evil')
    expect((await user.call(['trust', '--list'])).stdout).toMatch(
      /^\S+ {2}\d{4}-.*\n {2}offshoot\.jsonc {2}10 requests {2}sha256 /,
    )

    expect(await user.call(['trust', '--revoke'])).toMatchObject({ code: 0 })
    expect(await valueOf('limits.budgetUsd')).toBe(5)
  })

  test('after a change of a file what was granted before is in force, and nothing else', async () => {
    user.write('offshoot.jsonc', '{ "permissions": ["bash:touch old*"], "limits": { "budgetUsd": 7 } }')
    await user.call(['trust'])
    user.write(
      'offshoot.jsonc',
      '{ "permissions": ["bash:touch old*", "bash:touch new*"], "limits": { "budgetUsd": 7, "maxTokens": 3000000 } }',
    )
    user.write('.offshoot/agents/main.md', '---\nname: main\ndescription: x\n---\nHOSTILE, and changed.')
    const ran = await user.call(['run', 'go', '-m', script('touch old.txt', 'touch new.txt')])
    expect(ran.code).toBe(5)
    expect([made('old.txt'), made('new.txt')]).toEqual([true, false])
    expect(notGranted(ran.stderr)).toEqual([expect.stringMatching(/: 3 requests of .*touch new\*/)])
    expect(await valueOf('limits.budgetUsd')).toBe(7)
    expect(await valueOf('limits.maxTokens')).toBe(2_000_000)
    expect((await user.call(['agents', 'show', 'main'])).stdout).toMatch(/^source +built-in$/m)
  })

  test('an allow that loses what narrowed it is not the one that was granted', async () => {
    const rules = (...more: object[]) =>
      user.write(
        'offshoot.jsonc',
        JSON.stringify({ permissions: [{ tool: 'bash', pattern: 'touch *', action: 'allow' }, ...more] }),
      )
    const deny = { tool: 'bash', pattern: 'touch secret*', action: 'deny' }
    rules(deny)
    await user.call(['trust'])
    rules({ tool: 'bash', pattern: 'touch other*', action: 'ask' }, deny)
    expect((await user.call(['run', 'go', '-m', script('touch a', 'touch secret')])).code).toBe(0)
    expect([made('a'), made('secret')]).toEqual([true, false])
    rules()
    expect((await user.call(['run', 'go', '-m', script('touch b', 'touch secret')])).code).toBe(5)
    expect([made('b'), made('secret')]).toEqual([false, false])
  })

  test('what narrowed in a trusted file stays in force until the change is trusted', async () => {
    const deny = { tool: 'bash', pattern: 'touch secret*', action: 'deny' }
    user.write('offshoot.jsonc', JSON.stringify({ permissions: [deny], limits: { maxTurns: 7 } }))
    await user.call(['trust'])
    for (const text of ['{ "limits": { "maxTurns": 40 } }', '{}', null]) {
      if (text === null) rmSync(join(user.directory, 'offshoot.jsonc'))
      else user.write('offshoot.jsonc', text)
      const ran = await user.call(['run', 'go', '-m', script('touch secret'), '--mode', 'auto'])
      expect(ran).toMatchObject({ code: 0 })
      expect(made('secret')).toBe(false)
      expect(notGranted(ran.stderr)).toEqual([
        expect.stringContaining('no longer denies bash with touch secret*'),
      ])
      expect(await valueOf('limits.maxTurns')).toBe(7)
    }
    await user.call(['trust'])
    expect(await valueOf('limits.maxTurns')).toBe(50)
    await user.call(['run', 'go', '-m', script('touch secret'), '--mode', 'auto'])
    expect(made('secret')).toBe(true)
  })

  test('a script that changes is granted no more, and is found from the directory of the project', async () => {
    await user.call(['trust'])
    const elsewhere = { cwd: user.root }
    const run = () => user.call(['run', 'hi', '-C', user.directory], elsewhere)
    expect(await run()).toMatchObject({ code: 0, stdout: 'There is nothing to see.\n' })
    const answers = { '*': [bash('touch CHANGED'), { text: 'Changed.' }] }
    user.write('evil.json', JSON.stringify({ agents: answers }))
    const more = await user.call(['run', 'hi', '--continue'])
    expect(more.stdout).not.toContain('Changed.')
    const ran = await run()
    expect(ran.stdout).not.toContain('Changed.')
    expect(ran.stderr).toContain('model offline')
    expect(notGranted(ran.stderr)).toEqual([expect.stringMatching(/: 3 requests of .*scripted:evil\.json/)])
    expect(made('CHANGED')).toBe(false)
    rmSync(join(user.directory, 'evil.json'))
    expect(notGranted((await run()).stderr)).toEqual([expect.stringMatching(/: 3 requests of /)])
  })

  test('a record that the directory brings along, or that nobody can read, grants nothing', async () => {
    await user.call(['trust'])
    const record = readFileSync(join(user.home, 'trust.json'), 'utf8')
    user.write('data/trust.json', record)
    const env = { OFFSHOOT_HOME: join(user.directory, 'data') }
    const own = await user.call(['run', 'hi'], { env })
    expect(notGranted(own.stderr)).toEqual([expect.stringMatching(/is inside the directory that it covers/)])
    expect(made('OWNED')).toBe(false)
    expect(await user.call(['trust'], { env })).toMatchObject({ code: 3 })
    for (const broken of ['{', '[]', record.replace('"version": 1', '"version": 2'), record.slice(0, -9)]) {
      writeFileSync(join(user.home, 'trust.json'), broken)
      const ran = await user.call(['run', 'hi'])
      expect(notGranted(ran.stderr)).toEqual([expect.stringMatching(/trust\.json cannot be read/)])
      expect(made('OWNED')).toBe(false)
      expect(await user.call(['trust'])).toMatchObject({ code: 3, stdout: '' })
    }
  })
})

describe('on a terminal', () => {
  test.each([
    ['n', false],
    ['', false],
    ['yes please', false],
    ['y', true],
  ])('run asks before it begins; %j', async (typed, granted) => {
    const program = user.terminal(['run', 'hi'])
    await program.untilStdout('[y/N]')
    const before = program.stdout
    for (const each of ASKED.map((expression) => new RegExp(expression.source.slice(1).replace(/\$$/, ''))))
      expect(before).toMatch(each)
    expect(before).not.toMatch(/\u001b\[(2J|1A)/)
    program.type(`${typed}\r`)
    const { code, stdout } = await program.ended
    expect(code).toBe(0)
    expect(made('OWNED')).toBe(granted)
    expect(stdout.includes('not granted')).toBe(!granted)
  })

  test('an agent has nobody to ask, whatever its terminal looks like', async () => {
    const program = user.terminal(['run', 'hi'], { env: { OFFSHOOT_RUN_ID: 'run_1' } })
    const { stdout } = await program.ended
    expect(stdout).not.toContain('[y/N]')
    expect(made('OWNED')).toBe(false)
  })
})

test('in no mode an agent writes the record without a question, by a tool or by a redirect', async () => {
  await user.call(['trust'])
  await user.call(['trust', '--revoke'])
  const record = join(user.home, 'trust.json')
  const before = readFileSync(record, 'utf8')
  const model = user.script({
    main: [
      { toolCalls: [{ tool: 'write', input: { file_path: record, content: '{}' } }] },
      { toolCalls: [{ tool: 'edit', input: { file_path: record, old_string: '1', new_string: '2' } }] },
      bash(`echo '{}' > ${record}`, `cp evil.json ${record}`, `rm ${record}`),
      { text: 'Done.' },
    ],
  })
  const ran = await user.call(['run', 'go', '-m', model, '--mode', 'auto', '--output-format', 'json'])
  expect(ran.code).toBe(5)
  expect((JSON.parse(ran.stdout) as { permission_denials: unknown[] }).permission_denials).toHaveLength(5)
  expect(readFileSync(record, 'utf8')).toBe(before)
})

test('an agent that rewrites the files of the directory has no more authority in the next run', async () => {
  const again = new TestUser({
    'test.sh': `cp -r '${HOSTILE}/.' .\n`,
    'config.jsonc': '{}',
  })
  try {
    const env = { OFFSHOOT_PERMISSIONS: '["bash:sh test.sh"]' }
    const write = again.script({ main: [bash('sh test.sh'), { text: 'Tested.' }] })
    expect(await again.run(['run', 'test it', '-m', write], { env })).toMatchObject({ code: 0 })
    expect(existsSync(join(again.directory, '.offshoot/agents/main.md'))).toBe(true)
    const next = again.script({ main: [bash('touch OWNED'), { text: 'Tried.' }] })
    expect(await again.call(['run', 'go on', '-m', next], { env })).toMatchObject({ code: 5 })
    expect(await again.call(['run', 'hi'], { env })).toMatchObject({ code: 0 })
    expect(existsSync(join(again.directory, 'OWNED'))).toBe(false)
  } finally {
    again.remove()
  }
})
