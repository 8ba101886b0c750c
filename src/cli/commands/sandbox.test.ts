import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inCell } from '../../../test/support/in-cell.ts'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

/** A PATH with a bubblewrap that the kernel refuses, before all else. */
function refused(): { PATH: string } {
  const directory = join(user.root, 'bin')
  mkdirSync(directory, { recursive: true })
  writeFileSync(
    join(directory, 'bwrap'),
    `#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n`,
  )
  chmodSync(join(directory, 'bwrap'), 0o755)
  return { PATH: `${directory}:${process.env['PATH'] ?? ''}` }
}

const WHY =
  'AppArmor restricts user namespaces; the profile bwrap-userns-restrict allows them to bubblewrap (bubblewrap: setting up uid map: Permission denied)'

const bash = (command: string) => ({
  main: [{ toolCalls: [{ tool: 'bash', input: { command } }] }, { text: 'Done.' }],
})

function run(
  args: readonly string[] = [],
  env: Record<string, string> = {},
  what = 'id -un; cat /proc/1/comm',
) {
  const model = user.script(bash('sh what.sh'))
  user.write('what.sh', what)
  return user.call(['run', 'Go.', '-m', model, '--allow', 'bash', '--output-format', 'events', ...args], {
    env,
  })
}

describe('where a sandbox is refused', () => {
  test('one that is required ends the program with exit code 3, and nothing runs', async () => {
    const { code, stdout, stderr } = await run(['--sandbox', 'required'], refused())
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toBe(
      `offshoot: a sandbox is required but not available: ${WHY}\n  offshoot doctor checks again; "sandbox": "auto" runs without a sandbox and says so\n`,
    )
  })

  test('auto runs as without one, and says why', async () => {
    const { code, stdout, stderr } = await run(['--sandbox', 'auto'], refused())
    expect([code, stderr]).toEqual([0, expect.stringContaining(`offshoot: sandbox: none: ${WHY}\n`)])
    expect(stdout).toContain('exit code 0')
  })

  test('without a setting commands run without one, and receipts say so', async () => {
    const { code, stdout, stderr } = await run([], refused())
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('sandbox')])
    expect(stdout).toContain('exit code 0')
    const [{ facts }] = user.rows('select facts from tool_calls') as [{ facts: string }]
    expect(JSON.parse(facts)).toMatchObject([{ type: 'command', sandbox: 'off' }])
  })

  test('off does not look for one', async () => {
    expect((await run(['--sandbox', 'off'], refused())).stderr).not.toContain('sandbox')
  })

  test('doctor and config say so', async () => {
    for (const [setting, status, code] of [
      ['required', 'problem', 3],
      ['auto', 'warning', 0],
      ['off', 'warning', 0],
    ] as const) {
      const env = { ...refused(), OFFSHOOT_SANDBOX: setting }
      const looked = await user.call(['doctor', '--json'], { env })
      const { checks } = JSON.parse(looked.stdout) as {
        checks: { name: string; status: string; message: string }[]
      }
      const check = checks.find(({ name }) => name === 'sandbox')
      expect([looked.code, check?.status]).toEqual([code, status])
      expect(check?.message).toContain(WHY)
      const { stdout } = await user.call(['config'], { env })
      expect(stdout).toContain(`sandboxInForce             none: ${WHY}\n`)
      expect(stdout).toMatch(new RegExp(`^sandbox\\.mode +${setting} `, 'm'))
    }
  })
})

describe('where there is a sandbox', () => {
  test(
    'commands run in it',
    inCell(async () => {
      for (const args of [['--sandbox', 'required'], ['--sandbox', 'auto'], []]) {
        const { code, stdout } = await run(args)
        expect(code).toBe(0)
        expect(stdout).toContain('agent\\nbwrap\\n(exit code 0)')
      }
    }),
  )

  test(
    'off runs them outside, and doctor says that there is one',
    inCell(async () => {
      expect((await run(['--sandbox', 'off'])).stdout).not.toContain('bwrap')
      const { stdout } = await user.call(['doctor'], { env: { OFFSHOOT_SANDBOX: 'off' } })
      expect(stdout).toMatch(/! warning {2}sandbox +not in use: it is off \(bubblewrap \S+ is installed\)/)
      const auto = await user.call(['doctor'])
      expect(auto.stdout).toMatch(/✓ ok {7}sandbox +bubblewrap \S+ confines the commands of agents/)
    }),
  )

  test(
    'mode auto does not ask about files that are only in the sandbox, and guards what it always guards',
    inCell(async () => {
      user.write('.env', 'KEY=secret')
      const model = user.script({
        main: [
          { toolCalls: [{ tool: 'bash', input: { command: 'cat /etc/hostname; cp what.sh /tmp/copy' } }] },
          { toolCalls: [{ tool: 'bash', input: { command: 'cat .env' } }] },
          { text: 'Done.' },
        ],
      })
      user.write('what.sh', 'true')
      const decided = async (sandbox: string) => {
        const args = ['run', 'Go.', '-m', model, '--mode', 'auto', '--sandbox', sandbox]
        const { stdout } = await user.call([...args, '--output-format', 'json'])
        const { permission_denials: denials } = JSON.parse(stdout) as {
          permission_denials: { title: string }[]
        }
        return denials.map(({ title }) => title)
      }
      expect(await decided('required')).toEqual(['$ cat .env'])
      expect(await decided('off')).toEqual(['$ cat /etc/hostname; cp what.sh /tmp/copy', '$ cat .env'])
    }),
  )

  test(
    'a directory of --add-dir can be written in it, and what may not be made is moved',
    inCell(async () => {
      const other = new TestUser({ 'far.txt': 'far\n' })
      const what = `echo near > ${other.directory}/far.txt; mkdir .claude`
      const { stdout } = await run(['--sandbox', 'required', '--add-dir', other.directory], {}, what)
      const far = readFileSync(join(other.directory, 'far.txt'), 'utf8')
      other.remove()
      expect(far).toBe('near\n')
      expect(stdout).toContain('.claude may not be made in the sandbox and is .claude.quarantined-1 now')
    }),
  )
})

test(
  'a rule for a directory that is a link means where it leads, and one that is not there stops nothing',
  inCell(async () => {
    const other = new TestUser({ 'far.txt': 'far\n' })
    const linked = join(user.root, 'linked')
    symlinkSync(other.directory, linked)
    const rules = [linked, join(user.root, 'gone')].flatMap((path) => [
      '--allow',
      `external_directory:${path}/**`,
    ])
    const { stdout } = await run(['--sandbox', 'required', ...rules], {}, `cat ${other.directory}/far.txt`)
    other.remove()
    expect(stdout).toContain('far\\n(exit code 0)')
  }),
)

describe('a subagent with a directory outside the workspace', () => {
  const asked = (directory: string) => ({
    tool: 'task',
    input: { subagent_type: 'general', prompt: 'Do it.', directory },
  })

  test(
    'works there in its sandbox, and nobody else does',
    inCell(async () => {
      const other = new TestUser({ 'far.txt': 'far\n' })
      const bash = (command: string) => ({ tool: 'bash', input: { command } })
      const model = user.script({
        main: [
          { toolCalls: [asked(other.directory)] },
          { toolCalls: [bash(`cat ${other.directory}/near.txt`)] },
          { text: 'Done.' },
        ],
        general: [{ toolCalls: [bash('pwd; cat far.txt; echo near > near.txt')] }, { text: 'Done.' }],
      })
      const rule = { tool: 'external_directory', pattern: `${other.directory}/**`, action: 'allow' }
      const config = JSON.stringify({ model, permissions: [rule, { tool: 'bash', action: 'allow' }] })
      user.write('../.config/offshoot/config.jsonc', config)
      const { code, stdout } = await user.call(['run', 'Go.', '--output-format', 'events'])
      const near = readFileSync(join(other.directory, 'near.txt'), 'utf8')
      other.remove()
      expect([code, near]).toEqual([0, 'near\n'])
      expect(stdout).toContain(`${other.directory}\\nfar\\n(exit code 0)`)
      expect(stdout).toContain('near.txt: No such file or directory')
    }),
  )

  test(
    'that no sandbox may show is told so, and runs nothing outside of one',
    inCell(async () => {
      const hidden = join(user.root, '.hidden')
      mkdirSync(hidden)
      const model = user.script({
        main: [{ toolCalls: [asked(hidden)] }, { text: 'Done.' }],
        general: [{ toolCalls: [{ tool: 'bash', input: { command: 'touch made' } }] }, { text: 'Done.' }],
      })
      const rule = { tool: 'external_directory', pattern: `${hidden}/**`, action: 'allow' }
      const config = JSON.stringify({ model, permissions: [rule, { tool: 'bash', action: 'allow' }] })
      user.write('../.config/offshoot/config.jsonc', config)
      const { stdout } = await user.call(['run', 'Go.', '--output-format', 'events'])
      expect(existsSync(join(hidden, 'made'))).toBe(false)
      expect(stdout).toContain(`the sandbox does not show ${hidden}, where this command would start: `)
    }),
  )
})

describe('a conversation that was begun with a sandbox setting', () => {
  beforeEach(() => user.write('../.config/offshoot/config.jsonc', '{"sandbox": "off"}'))

  /** Begun with `how`; a later turn of it without the option runs a command. */
  async function begin(how: string): Promise<void> {
    const { code, stderr } = await run(['--sandbox', how], {}, 'true')
    expect([code, stderr]).toEqual([0, expect.any(String)])
  }
  const later = (...args: string[]) =>
    run([...args, '--output-format', 'json'], {}, 'cat /proc/1/comm').then(({ code, stdout, stderr }) => {
      const { receipts } = JSON.parse(stdout) as { receipts: { commands: { sandbox?: string }[] } }
      return { code, stderr, confined: receipts.commands.at(-1)?.sandbox }
    })

  test(
    'keeps it, and says so, until another one is named',
    inCell(async () => {
      await begin('required')
      const kept = await later('-c')
      expect(kept).toMatchObject({ code: 0, confined: 'no-network' })
      expect(kept.stderr).toContain('offshoot: sandbox required, as before; --sandbox off changes it\n')
      expect(await later('-c', '--fork-session')).toMatchObject({ code: 0, confined: 'no-network' })
      const off = await later('-c', '--sandbox', 'off')
      expect(off).toMatchObject({ code: 0, confined: 'off' })
      const since = await later('-c')
      expect(since).toMatchObject({ code: 0, confined: 'off' })
      expect(since.stderr).not.toContain('sandbox')
    }),
  )

  test(
    'does not go on where a required one is missing by now',
    inCell(async () => {
      await begin('required')
      const [{ id }] = user.rows('SELECT id FROM conversations') as [{ id: string }]
      const { code, stdout, stderr } = await run(['-c'], refused())
      expect([code, stdout]).toEqual([3, ''])
      expect(stderr).toContain(
        `offshoot: ${id} keeps --sandbox required: a sandbox is required but not available: ${WHY}\n` +
          `  offshoot doctor checks again; continue with --sandbox auto runs without a sandbox and says so\n`,
      )
      expect(user.rows('SELECT id FROM runs')).toHaveLength(1)
    }),
  )

  test(
    'says that there is none, where it may do without',
    inCell(async () => {
      await begin('auto')
      const { code, stderr } = await run(['-c'], refused())
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining(
          'offshoot: sandbox auto, as before, but there is none: offshoot doctor says why\n',
        ),
      ])
    }),
  )

  test(
    'takes no less than the configuration has',
    inCell(async () => {
      await begin('off')
      user.write('offshoot.jsonc', '{"sandbox": "auto"}')
      expect(await later('-c')).toMatchObject({ code: 0, confined: 'no-network' })
    }),
  )
})

test('a directory that holds the home cannot be confined', async () => {
  const { code, stderr } = await user.call([
    'run',
    'Go.',
    '--sandbox',
    'required',
    '-m',
    'offline',
    '-C',
    user.root,
  ])
  expect(code).toBe(3)
  expect(stderr).toContain(`${user.root} holds the home directory`)
})

test.each([
  ['{"sandbox": "on"}', /sandbox: expected one of "off", "auto", "required"/],
  ['{"sandbox": true}', /sandbox: expected one of "off", "auto", "required"/],
  ['{"sandbox": {"mode": "on"}}', /sandbox\.mode: expected one of "off", "auto", "required"/],
  ['{"sandbox": ["auto"]}', /sandbox: expected one of "off", "auto", "required"/],
  ['{"sandbox": {"hosts": []}}', /unknown key "sandbox\.hosts"; the keys are: mode, network, ports/],
  ['{"sandbox": {"netwrk": []}}', /unknown key "sandbox\.netwrk"; did you mean network\?/],
  ['{"sandbox": {"network": "example.com"}}', /sandbox\.network: /],
  ['{"sandbox": {"network": ["https://a.example"]}}', /sandbox\.network\.0: .*write the host alone/],
  ['{"sandbox": {"network": ["10.0.0.1"]}}', /sandbox\.network\.0: .*it is a private address/],
  ['{"sandbox": {"ports": [80]}}', /sandbox\.ports\.0: /],
  ['{"sandbox": {"ports": [5432, 5432]}}', /sandbox\.ports: a port appears twice/],
])('%s is refused', async (text, said) => {
  user.write('offshoot.jsonc', text)
  const { code, stderr } = await user.call(['config'])
  expect([code, stderr]).toEqual([3, expect.stringMatching(said)])
})

test.each([['nearly'], ['read-only'], ['']])('--sandbox %s is wrong usage', async (how) => {
  const { code, stderr } = await user.call(['run', 'Go.', '--sandbox', how])
  expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are off, auto, required.')])
})

test('an agent confines itself more and never less', async () => {
  const env = { OFFSHOOT_RUN_ID: 'run_1', OFFSHOOT_OWNER: 'x' }
  for (const how of ['off', 'auto']) {
    const { code, stderr } = await user.call(['run', 'Go.', '--sandbox', how], { env })
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`the sandbox ${how} is reserved for a person`),
    ])
  }
  user.write('../.config/offshoot/config.jsonc', '{"sandbox": "auto"}')
  const value = async (sandbox: string) => {
    const { stdout } = await user.call(['config', '--json'], { env: { ...env, OFFSHOOT_SANDBOX: sandbox } })
    const { values } = JSON.parse(stdout) as { values: { key: string; value: unknown }[] }
    return values.find(({ key }) => key === 'sandbox.mode')?.value
  }
  expect([await value('off'), await value('required')]).toEqual(['auto', 'required'])
  expect(await value('{"mode": "required", "network": ["a.example"], "ports": [5432]}')).toBe('required')
})

test('a directory asks for more by itself, and for less only with trust', async () => {
  const inForce = async (own: unknown, project: unknown) => {
    user.write('../.config/offshoot/config.jsonc', JSON.stringify({ sandbox: own }))
    user.write('offshoot.jsonc', JSON.stringify({ sandbox: project }))
    const { stdout } = await user.call(['config', '--json'])
    const { values, held } = JSON.parse(stdout) as {
      values: { key: string; value: unknown }[]
      held: unknown[]
    }
    const named = values.filter(({ key }) => key.startsWith('sandbox.'))
    return [...named.map(({ value }) => value), held.length]
  }
  expect(await inForce('off', 'auto')).toEqual(['auto', [], [], 0])
  expect(await inForce('auto', 'required')).toEqual(['required', [], [], 0])
  expect(await inForce('required', 'off')).toEqual(['required', [], [], 1])
  const own = { mode: 'auto', network: ['*.example.com', 'example.org'], ports: [5432, 6379] }
  const narrower = { network: ['a.example.com'], ports: [5432] }
  expect(await inForce(own, narrower)).toEqual(['auto', ['a.example.com'], [5432], 0])
  expect(await inForce(own, 'required')).toEqual(['required', own.network, own.ports, 0])
  const wider = { network: ['*.example.com', 'evil.example'], ports: [22222] }
  expect(await inForce(own, wider)).toEqual(['auto', own.network, own.ports, 2])
})

test('the environment sets parts, and no part of what has a value of its own', async () => {
  const env = { OFFSHOOT_SANDBOX__MODE: 'auto', OFFSHOOT_SANDBOX__NETWORK: '["example.com"]' }
  expect((await user.call(['config'], { env })).stdout).toMatch(
    /^sandbox\.mode +auto +environment\nsandbox\.network +\["example\.com"\] +environment$/m,
  )
  const both = { OFFSHOOT_SANDBOX: 'required', OFFSHOOT_SANDBOX__NETWORK: '["example.com"]' }
  const { code, stderr } = await user.call(['config'], { env: both })
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining('OFFSHOOT_SANDBOX__NETWORK: it sets a part of OFFSHOOT_SANDBOX,'),
  ])
})

test(
  '--sandbox says how and keeps what can be reached; what is refused is said and is a receipt',
  inCell(async () => {
    user.write('../.config/offshoot/config.jsonc', '{"sandbox": {"network": ["listed.invalid"]}}')
    const model = user.script(
      bash('curl -s http://listed.invalid/ http://other.invalid/; curl -sv 1.1.1.1 2>&1'),
    )
    const args = ['run', 'Go.', '-m', model, '--allow', 'bash', '--sandbox', 'auto']
    const { stdout } = await user.call([...args, '--output-format', 'json'])
    const { receipts } = JSON.parse(stdout) as { receipts: object }
    const none = { sent: 0, received: 0 }
    expect(receipts).toMatchObject({
      connections: [
        { host: 'listed.invalid', port: 80, allowed: true, ...none },
        { host: 'other.invalid', port: 80, allowed: false, ...none },
        { host: '1.1.1.1', port: 80, allowed: false, ...none },
      ],
    })
    const events = await user.call([...args, '--output-format', 'events'])
    expect(events.stdout).toContain('offshoot: listed.invalid: unknown host')
    expect(events.stdout).toContain('the sandbox refused other.invalid:80: sandbox.network does not name it')
  }),
)
