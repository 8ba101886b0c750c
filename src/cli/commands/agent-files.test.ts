import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

const CRITIC = `---
name: critic
description: Judges: "things" \u001b[31mred
tools: Read, Bash(git log:*), mcp__x__y
model: sonnet
color: red
---

You judge.
`

const own = (name: string) => join(user.directory, '.offshoot/agents', name)

describe('agents check', () => {
  test('tells of each file and skill, and ends with 0 when all are read', async () => {
    const file = user.write('.claude/agents/critic.md', CRITIC)
    const good = user.write('.codex/agents/porter.toml', 'name = "porter"\ndescription = "d"\n')
    const skill = user.write('.claude/skills/deploy/SKILL.md', '---\nname: deploy\ndescription: d\n---\nx')
    const { code, stdout, stderr } = await user.call(['agents', 'check'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      `used in part  ${file}  critic`,
      '              line 3: the value of description is not valid YAML; it is read as plain text',
      '              tools: not available here: mcp__x__y',
      '              kept, but has no effect here: color',
      '              the model sonnet cannot be used here; the agent inherits its model',
      `ok            ${good}  porter`,
      `ok            ${skill}  deploy`,
      '3 files, 0 skipped',
      '',
    ])
  })

  test('as JSON, with 1 when something is skipped, and names what comes first', async () => {
    const first = user.write('.claude/agents/critic.md', CRITIC)
    const second = user.write('.cursor/agents/critic.md', CRITIC)
    const bad = user.write('.github/agents/README.md', '# Agents')
    const { code, stdout } = await user.call(['agents', 'check', '--json'])
    expect(code).toBe(1)
    const { ok, files } = JSON.parse(stdout) as { ok: boolean; files: { path: string }[] }
    expect(ok).toBe(false)
    expect(files).toEqual([
      expect.objectContaining({
        path: first,
        kind: 'agent',
        format: 'claude',
        name: 'critic',
        status: 'ignored',
        reason: null,
      }),
      expect.objectContaining({
        path: second,
        status: 'skipped',
        reason: `the agent critic of ${first} takes precedence`,
      }),
      expect.objectContaining({ path: bad, name: null, status: 'skipped', reason: 'it has no description' }),
    ])
  })

  test('of paths: a file, a directory, another workspace; each by itself', async () => {
    user.write('drafts/codex/a.toml', 'name = "a"\ndescription = "d"')
    user.write('drafts/gemini/a.md', '---\ndescription: d\ntools: [read_file]\n---\nx')
    user.write('other/.claude/agents/b.md', '---\ndescription: d\n---\nx')
    user.write('other/README.md', 'no agent')
    const names = async (...paths: string[]) => {
      const { code, stdout } = await user.call(['agents', 'check', ...paths, '--json'])
      const { files } = JSON.parse(stdout) as { files: { format: string; name: string }[] }
      return [code, files.map(({ format, name }) => `${format} ${name}`)]
    }
    expect(await names('drafts')).toEqual([0, ['codex a', 'gemini a']])
    expect(await names('drafts/gemini/a.md', 'drafts/codex/a.toml')).toEqual([0, ['gemini a', 'codex a']])
    expect(await names('drafts/gemini/a.md', '--format', 'offshoot')).toEqual([0, ['offshoot a']])
    expect(await names('other')).toEqual([0, ['claude b']])
  })

  test('wrong usage', async () => {
    expect(await user.call(['agents', 'check', 'missing'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/missing cannot be read: there is no such file/),
    })
    expect(await user.call(['agents', 'check', '--format', 'nonsense'])).toMatchObject({ code: 2 })
  })

  test('nothing of a file reaches the terminal as a command', async () => {
    user.write('.claude/agents/x\u001b[31m.md', '---\nname: "a\\e[2J"\n"k\\e[1m": 1\n---\n')
    user.write('opencode.json', '{"agent": {"\\u001b]0;x\\u0007": {"description": "d"}, "b\\u009b1m": 1}}')
    for (const args of [['agents', 'check'], ['agents'], ['doctor'], ['agents', 'check', '--json']]) {
      const { stdout, stderr } = await user.call(args)
      expect(stdout + stderr, args.join(' ')).not.toMatch(/[\u001b\u0007\u009b]/)
    }
  })
})

describe('agents import', () => {
  test('writes ours, says what is lost, and the agent is the same', async () => {
    const file = user.write('.claude/agents/critic.md', CRITIC)
    const before = JSON.parse((await user.call(['agents', 'show', 'critic', '--json'])).stdout) as object
    const { code, stdout, stderr } = await user.call(['agents', 'import', file])
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${own('critic.md')}\n` })
    expect(stderr).toMatch(/not available here: mcp__x__y/)
    expect(stderr).toMatch(/the model sonnet cannot be used here/)
    const after = JSON.parse((await user.call(['agents', 'show', 'critic', '--json'])).stdout) as object
    expect(stderr).toMatch(/left out unknown tools: mcp__x__y/)
    const tools = ['read', 'bash']
    expect(after).toEqual({ ...before, tools, source: own('critic.md'), extra: { color: 'red' } })
  })

  test('never overwrites without --force, and goes on with the others', async () => {
    const critic = user.write('critic.md', CRITIC)
    const other = user.write('other.md', CRITIC.replace('critic', 'other'))
    user.write('.offshoot/agents/critic.md', 'mine')
    const refused = await user.call(['agents', 'import', critic, other])
    expect(refused).toMatchObject({ code: 1, stdout: `${own('other.md')}\n` })
    expect(refused.stderr).toMatch(/critic\.md already exists; --force replaces it/)
    expect(readFileSync(own('critic.md'), 'utf8')).toBe('mine')
    expect((await user.call(['agents', 'import', critic, '--force'])).code).toBe(0)
    expect(readFileSync(own('critic.md'), 'utf8')).toMatch(/^---\nname: critic\n/)
  })

  test('--force replaces a link and does not follow it', async () => {
    const outside = join(user.root, 'outside.md')
    writeFileSync(outside, 'kept')
    mkdirSync(own(''), { recursive: true })
    symlinkSync(outside, own('critic.md'))
    const file = user.write('critic.md', CRITIC)
    expect((await user.call(['agents', 'import', file, '--force'])).code).toBe(0)
    expect(readFileSync(outside, 'utf8')).toBe('kept')
  })

  test('nothing is written through a directory that leads out of the workspace', async () => {
    mkdirSync(join(user.root, 'outside'))
    mkdirSync(join(user.directory, '.offshoot'))
    symlinkSync(join(user.root, 'outside'), join(user.directory, '.offshoot/agents'))
    const file = user.write('critic.md', CRITIC)
    expect(await user.call(['agents', 'import', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/leads outside the workspace/),
    })
    expect(readdirSync(join(user.root, 'outside'))).toEqual([])
  })

  test.each([
    ['../../../evil', 'evil.md'],
    ['/etc/evil', 'etc-evil.md'],
    ['a|b', 'a-b.md'],
    ['..', 'agent-.md'],
    ['con', 'agent-con.md'],
    ['Mentor mode', 'Mentor-mode.md'],
  ])('a name such as %j leads nowhere else', async (name, file) => {
    const from = user.write('x.md', `---\nname: "${name}"\ndescription: d\n---\np`)
    expect(await user.call(['agents', 'import', from])).toMatchObject({ code: 0, stdout: `${own(file)}\n` })
    expect(existsSync(join(user.root, 'evil.md'))).toBe(false)
  })

  test('a name with markup is no name', async () => {
    const from = user.write('x.md', '---\nname: "a\\\\b"\ndescription: d\n---\np')
    expect(await user.call(['agents', 'import', from])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('its name contains \\; leave out'),
    })
  })

  test('every agent of a file, each with its own answer', async () => {
    const from = user.write(
      'team/opencode.json',
      '{"agent": {"a": {"description": "d", "permission": {"bash": "deny"}}, "b": {}}}',
    )
    const { code, stdout, stderr } = await user.call(['agents', 'import', from, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual([
      { from: `${from} (agent a)`, to: own('a.md'), notes: [] },
      { from: `${from} (agent b)`, to: null, notes: ['not imported: it has no description'] },
    ])
    expect(stderr).toMatch(/1 of 2 agents were not imported/)
    expect(readFileSync(own('a.md'), 'utf8')).toContain('  - tool: bash\n    action: deny\n')
  })

  test('a file with hundreds of problems prints the first hundred, and counts the others', async () => {
    const agents = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`a${at}`, {}]))
    const from = user.write('many/opencode.json', JSON.stringify({ agent: agents }))
    const { code, stderr } = await user.call(['agents', 'import', from])
    expect(code).toBe(1)
    expect(stderr.match(/not imported: it has no description/g)).toHaveLength(100)
    expect(stderr).toContain('offshoot: and 30 more; --json lists all of them\n')
  })

  test('wrong usage', async () => {
    expect(await user.call(['agents', 'import'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/file/),
    })
    expect(await user.call(['agents', 'import', 'missing.md'])).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('agents export', () => {
  test('the file goes to stdout, what is lost to stderr', async () => {
    const { code, stdout, stderr } = await user.call(['agents', 'export', 'reviewer', '--format', 'claude'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^---\nname: reviewer\ndescription: /)
    expect(stdout).toContain('tools:\n  - Read\n')
    expect(stdout).toContain('maxTurns: 10\n')
    expect(stderr).toMatch(/^(offshoot: left out.*\n)+$/)
    user.write('.claude/agents/reviewer.md', stdout)
    expect((await user.call(['agents', 'check'])).code).toBe(0)
  })

  test('wrong usage', async () => {
    expect(await user.call(['agents', 'export', 'reviewer'])).toMatchObject({ code: 2, stdout: '' })
    expect(await user.call(['agents', 'export', 'nobody', '--format', 'codex'])).toMatchObject({ code: 2 })
    expect(await user.call(['agents', 'export', 'reviewer', '--format', 'x'])).toMatchObject({ code: 2 })
  })
})

test('commands lists the slash commands of files, and what a description cannot do to a terminal', async () => {
  const file = user.write(
    '.claude/commands/git/commit.md',
    '---\ndescription: "Commits \\e[31mred"\n---\nCommit.',
  )
  const { code, stdout } = await user.call(['agents', 'commands'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: `/git:commit       Commits ␛[31mred  (${file})\n` })
  const [command] = JSON.parse((await user.call(['agents', 'commands', '--json'])).stdout) as object[]
  expect(command).toMatchObject({ name: 'git:commit', format: 'claude', path: file, problem: null })
})

test('ls and show say where an agent comes from', async () => {
  const file = user.write(
    '.gemini/agents/helper.md',
    '---\nname: helper\ndescription: Helps.\n---\nYou help.',
  )
  expect((await user.call(['agents', 'ls'])).stdout).toContain('Helps.  (.gemini/agents/helper.md)\n')
  expect((await user.call(['agents', 'show', 'helper'])).stdout).toContain(`source          ${file}\n`)
})

describe('in a run', () => {
  test('an agent of another program works, and what its file forbids is denied whatever the mode', async () => {
    user.write(
      '.claude/agents/helper.md',
      '---\nname: helper\ndescription: Helps.\ntools: Bash(echo:*)\n---\nYou help.',
    )
    const bash = (command: string) => ({ toolCalls: [{ tool: 'bash', input: { command } }] })
    const script = user.script({
      main: [
        { toolCalls: [{ tool: 'task', input: { prompt: 'x', subagent_type: 'helper' } }] },
        { text: 'Done.' },
      ],
      helper: [bash('echo yes > /dev/null'), bash('touch no'), { text: 'Helped.' }],
    })
    const { code, stdout } = await user.call([
      'run',
      'hi',
      '-m',
      script,
      '--mode',
      'auto',
      '--output-format',
      'json',
    ])
    const document = JSON.parse(stdout) as { permission_denials: unknown[]; subagents: unknown[] }
    expect(code).toBe(0)
    expect(document.subagents).toEqual([expect.objectContaining({ agent: 'helper', status: 'completed' })])
    expect(existsSync(join(user.directory, 'no'))).toBe(false)
  })

  test('skills are listed, and read without a question', async () => {
    user.write(
      '.claude/skills/deploy/SKILL.md',
      '---\nname: deploy\ndescription: How to deploy.\n---\nPush the button.',
    )
    const script = user.script({
      main: [
        { toolCalls: [{ tool: 'read', input: { file_path: '.claude/skills/deploy/SKILL.md' } }] },
        { match: 'Push the button', text: 'Pushed.' },
      ],
    })
    expect(await user.call(['run', 'hi', '-m', script])).toMatchObject({ code: 0, stdout: 'Pushed.\n' })
    const [{ id } = {}] = user.rows('select id from conversations')
    expect((await user.call(['export', String(id), '--format', 'json'])).stdout).toContain('# Skills\\n')
  })
})
