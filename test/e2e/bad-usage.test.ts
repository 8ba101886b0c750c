import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Ended } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser

beforeEach(() => {
  user = new TestUser({ 'a.txt': 'text\n' })
})

afterEach(() => user.remove())

describe('a wrong command line', () => {
  it('is one clear error on stderr and exit code 2', async () => {
    const cases: [readonly string[], RegExp][] = [
      [['nonsense'], /unknown command "nonsense"/],
      [['rum', 'hi'], /unknown command "rum"\n\(Did you mean .*\brun\b.*\?\)/],
      [['run', '--nonsense', 'hi'], /unknown option "--nonsense"/],
      [['run', '--mode', 'wild', 'hi'], /"wild" is invalid.*plan, ask, accept-edits, auto/],
      [['run', '--max-turns', '0', 'hi'], /--max-turns.*whole number/],
      [['run', '--output-format', 'yaml', 'hi'], /"yaml" is invalid.*text, json,.* events/],
      [['run', 'hi', '-m'], /argument missing/],
      [['run', 'one', 'two'], /too many arguments/],
      [['run', 'hi', '-m', 'nonsense/x'], /unknown model "nonsense\/x".*\n.*anthropic, openai, google/],
      [
        ['run', 'hi', '-m', 'claude-sonnet-5'],
        /unknown model.*\n.*Did you mean anthropic\/claude-sonnet-5\?/,
      ],
      [['run', 'hi', '-m', 'openai/'], /malformed model/],
      [['run', 'hi', '-m', ''], /the model of -m is empty/],
      [['run', 'hi', '-m', 'scripted:'], /needs the path of a script/],
      [['run', 'hi', '--agent', 'nobody'], /unknown agent "nobody"; known: main, .*explore/],
      [['run'], /there is no prompt/],
      [['run', ' '], /there is no prompt/],
      [['run', 'hi', '-C', 'missing'], /there is no directory \S*missing\n/],
      [['run', 'hi', '-C', 'a.txt'], /a\.txt is not a directory/],
      [['agents', '-C', 'missing'], /there is no directory \S*missing\n/],
      [
        ['run', 'hi', '--conversation', 'cnv_00000000000000000000000000', '--continue'],
        /"-c, --continue" cannot be used with option "--conversation <id>"/,
      ],
      [['run', 'hi', '--conversation', ''], /there is no conversation ""/],
      [['run', 'hi', '--conversation', 'cnv_00000000000000000000000000'], /there is no conversation cnv_0/],
      [['run', 'hi', '--continue'], /there is no conversation in/],
      [['show', 'x'], /there is no conversation, branch or run x/],
    ]
    const ended = await inTurns(cases, ([args]) => user.call(args))
    for (const [at, [args, message]] of cases.entries()) {
      expect(ended[at], args.join(' ')).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(message),
      })
      expectClear(ended[at]!)
    }
    const [command, model] = await Promise.all([
      user.run(['rum']),
      user.run(['run', 'hi', '-m', 'nonsense/x']),
    ])
    for (const program of [command, model]) {
      expect(program).toMatchObject({ code: 2, stdout: '' })
      expectClear(program)
    }
    await expectGoodRun()
  })

  it('shows help and version on stdout without one', async () => {
    const [none, help, version] = await Promise.all([
      user.run([]),
      user.run(['run', '--help']),
      user.run(['--version']),
    ])
    expect(none).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^  run \[prompt\] /m),
    })
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('--output-format') })
    expect(version).toMatchObject({ code: 0, stderr: '', stdout: '0.1.0\n' })
  })
})

describe('a key that is missing', () => {
  it('is named, with exit code 3', async () => {
    const cases = {
      anthropic: 'ANTHROPIC_API_KEY',
      'openai/gpt-6-sol': 'OPENAI_API_KEY',
      google: 'GEMINI_API_KEY',
    }
    const ended = await inTurns(Object.entries(cases), ([model]) => user.call(['run', 'hi', '-m', model]))
    for (const [at, key] of Object.values(cases).entries()) {
      expect(ended[at]).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining(`${key} is not set`),
      })
      expectClear(ended[at]!)
    }
  })
})

describe('a script that cannot be used', () => {
  it('is an error of the configuration that names the file; an exhausted one fails the run', async () => {
    user.write('no.json', '{"agents":')
    user.write('other.json', '{"agents":{"main":[{"txt":"x"}]}}')
    const [missing, notJson, shape, exhausted] = await inTurns(
      ['scripted:missing.json', 'scripted:no.json', 'scripted:other.json', user.script({ main: [] })],
      (model) => user.call(['run', 'hi', '-m', model]),
    )
    expect(missing).toMatchObject({ code: 3, stderr: expect.stringMatching(/missing\.json cannot be read/) })
    expect(notJson).toMatchObject({ code: 3, stderr: expect.stringMatching(/no\.json is not JSON/) })
    expect(shape).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/other\.json: agents\.main\.0: .*txt/),
    })
    expect(exhausted).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no answer left for the agent main/),
    })
    for (const ended of [missing, notJson, shape]) expectClear(ended!)
  })
})

const UNKNOWN_MODEL = '{"model": "nonsense/x"}'

describe('a wrong configuration', () => {
  it('is an error with file, line and what is expected, and exit code 3', async () => {
    const cases: [string | Uint8Array, RegExp][] = [
      ['{\n  "limits": {\n', /offshoot\.jsonc:\d: not valid JSON/],
      ['null', /offshoot\.jsonc:1: .*expected an object, got null/],
      ['[]', /expected an object, got a list/],
      [
        '{\n  "limits": {\n    "maxTurns": "many"\n  }\n}',
        /offshoot\.jsonc:3: limits\.maxTurns: expected a (?:whole )?number/,
      ],
      ['{"permissions": {"bash": true}}', /permissions: expected a list of rules, not /],
      [
        '{"permissions": [{"tool": "bash", "action": "maybe"}]}',
        /offshoot\.jsonc:1: permissions\.0\.action: .*"maybe"; it must be "allow", "ask" or "deny"/,
      ],
      [
        '{\n"permissions": [],\n"permissions": []\n}',
        /offshoot\.jsonc:3: the key "permissions" appears twice/,
      ],
      [Buffer.from([0x7b, 0x22, 0x6d, 0xe4, 0x22, 0x3a, 0x31, 0x7d]), /cannot be read: it is not UTF-8/],
      [Buffer.from('\ufeff{"model":1}', 'utf16le'), /cannot be read: it is not UTF-8/],
      [`{"a":"${'x'.repeat(5_000_000)}"}`, /cannot be read: it has 5000008 bytes/],
      ['['.repeat(200_000), /offshoot\.jsonc:1: nested deeper than 64 levels/],
      [UNKNOWN_MODEL, /unknown model "nonsense\/x".*\n.*of the configuration/],
    ]
    const ended = await inTurns([...cases.keys()], async (at) => {
      user.write(`${at}/offshoot.jsonc`, cases[at]![0])
      if (cases[at]![0] === UNKNOWN_MODEL) await user.trust(join(user.directory, String(at)))
      return await user.call(['run', 'hi', '-C', String(at)])
    })
    for (const [at, [content, message]] of cases.entries()) {
      const shown = String(content).slice(0, 40)
      expect(ended[at], shown).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(message) })
      expectClear(ended[at]!)
    }
  })

  it('names a file that is none, without waiting for it', async () => {
    for (const name of ['directory', 'loop', 'device']) mkdirSync(join(user.directory, name))
    mkdirSync(join(user.directory, 'directory/offshoot.jsonc'))
    symlinkSync('offshoot.jsonc', join(user.directory, 'loop/offshoot.jsonc'))
    symlinkSync('/dev/zero', join(user.directory, 'device/offshoot.jsonc'))
    for (const ended of await inTurns(['directory', 'loop', 'device'], (name) =>
      user.call(['run', 'hi', '-C', name]),
    )) {
      expect(ended).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/offshoot\.jsonc cannot be read: /),
      })
      expectClear(ended)
    }
  })

  it('may come from the user or the environment', async () => {
    const config = join(user.root, '.config/offshoot')
    mkdirSync(config, { recursive: true })
    const inEnvironment = (name: string, value: string) =>
      user.call(['run', 'hi'], { env: { [name]: value } })
    const [turns, whole, rules] = await Promise.all([
      inEnvironment('OFFSHOOT_LIMITS__MAX_TURNS', 'many'),
      inEnvironment('OFFSHOOT_LIMITS', '5'),
      inEnvironment('OFFSHOOT_PERMISSIONS', 'allow'),
    ])
    expect(turns.stderr).toMatch(
      /environment OFFSHOOT_LIMITS__MAX_TURNS: limits\.maxTurns: expected a (?:whole )?number/,
    )
    expect(whole.stderr).toMatch(/environment OFFSHOOT_LIMITS: limits: .*expected an object/)
    expect(rules.stderr).toMatch(
      /environment OFFSHOOT_PERMISSIONS: permissions: expected a list of rules, not "allow"/,
    )
    writeFileSync(join(config, 'config.jsonc'), '{\n"limits": 5 }')
    const file = await user.call(['run', 'hi'])
    expect(file.stderr).toMatch(/config\.jsonc:2: limits: .*expected an object/)
    for (const ended of [turns, whole, rules, file]) {
      expect(ended).toMatchObject({ code: 3, stdout: '' })
      expectClear(ended)
    }
    rmSync(config, { recursive: true })
    await expectGoodRun()
  })
})

describe('an unknown key', () => {
  it('is an error where it may restrict or grant, and names the nearest known one', async () => {
    const cases: [string, RegExp][] = [
      [
        '{\n"limits": {"maxTurn": 1}}',
        /offshoot\.jsonc:2: unknown key "limits\.maxTurn"; did you mean maxTurns\?/,
      ],
      ['{\n\n"permision": []}', /offshoot\.jsonc:3: unknown key "permision"; did you mean permissions\?/],
      ['{"permissions": [{"tool": "bash", "patern": "x", "action": "allow"}]}', /"patern".*pattern/],
      ['{"mcp": {"x": {"command": "touch made.txt"}}}', /offshoot\.jsonc:1: "mcp" has no effect: /],
    ]
    const ended = await inTurns(cases, ([content]) => {
      user.write('offshoot.jsonc', content)
      return user.call(['run', 'hi', '-m', 'offline'])
    })
    for (const [at, [content, message]] of cases.entries()) {
      expect(ended[at], content).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringMatching(message),
      })
      expectClear(ended[at]!)
    }
  })

  it('is a warning with the nearest known one elsewhere, and gives nothing more than before', async () => {
    user.write(
      'offshoot.jsonc',
      '{\n"serach": {},\n"startup": {"x": {"command": "touch made.txt"}}, "a": 1,}',
    )
    const script = user.script({
      main: [{ toolCalls: [{ tool: 'bash', input: { command: 'touch made.txt' } }] }, { text: 'ok' }],
    })
    const { code, stdout, stderr } = await user.run(['run', 'hi', '-m', script], {
      env: { OFFSHOOT_PRICSE: 'x' },
    })
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'ok\n' })
    expect(stderr).toMatch(/offshoot\.jsonc:2: unknown key "serach" is ignored; did you mean search\?/)
    expect(stderr).toMatch(/offshoot\.jsonc:3: unknown key "startup" is ignored\n/)
    expect(stderr).toMatch(
      /environment OFFSHOOT_PRICSE: unknown key "pricse" is ignored; did you mean prices\?/,
    )
  })

  it('does not fill the terminal', async () => {
    const keys = Array.from({ length: 50_000 }, (_, at) => `"k\\u001b${at}":1`)
    user.write('offshoot.jsonc', `{${keys.join(',')}}`)
    const { code, stderr } = await user.run(['run', 'hi', '-m', 'offline'])
    expect(code).toBe(0)
    expect(stderr.split('\n').length).toBeLessThan(40)
    expect(stderr).toContain('49980 more unknown keys')
    expect(stderr).not.toContain('\u001b')
  })
})

describe('an agent file that is broken', () => {
  it('is named once on stderr, and the others load', async () => {
    user.write('.offshoot/agents/broken.md', '---\nname: [\n---\nx')
    user.write('.offshoot/agents/helper.md', '---\nname: helper\ndescription: helps\n---\nYou help.')
    const script = user.script({ helper: [{ text: 'Helped.' }] })
    const [ran, listed] = await Promise.all([
      user.run(['run', 'hi', '--agent', 'helper', '-m', script]),
      user.run(['agents']),
    ])
    expect(ran).toMatchObject({ code: 0, stdout: 'Helped.\n' })
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^helper /m) })
    for (const { stderr } of [ran, listed]) expect(stderr.match(/broken\.md: skipped: /g)).toHaveLength(1)
  })
})

/** No stack trace, nothing but a few lines of text, and no word of a defect. */
function expectClear({ stderr }: Ended): void {
  const lines = stderr.trimEnd().split('\n')
  expect(stderr).not.toMatch(/\n\s+at |node:internal|this is a defect/)
  expect(lines.length, stderr).toBeLessThanOrEqual(4)
  expect(
    lines.some((line) => line.startsWith('offshoot: ')),
    stderr,
  ).toBe(true)
}

async function expectGoodRun(): Promise<void> {
  const script = user.script({ main: [{ text: 'Good.' }] })
  expect(await user.run(['run', 'hi', '-m', script])).toMatchObject({ code: 0, stdout: 'Good.\n' })
}

/** One after the other: they share a store. */
async function inTurns<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await run(item))
  return results
}
