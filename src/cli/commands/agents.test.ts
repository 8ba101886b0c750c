import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

const HELPER = `---
name: helper
description: helps with \u001b[31mred things
model: small
tools: [read, grep]
permissions:
  - { tool: bash, pattern: "git *", action: allow }
maxTurns: 7
---
You help.\u0007
`

test('agents, agents ls and both with --json say the same', async () => {
  user.write('.offshoot/agents/helper.md', HELPER)
  const plain = await user.call(['agents'])
  expect(plain.stdout).toMatch(/^helper {8}7 turns /m)
  expect(plain.stdout).toMatch(/^explore /m)
  expect(await user.call(['agents', 'ls'])).toEqual(plain)
  const json = await user.call(['agents', '--json'])
  expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ name: 'helper', maxTurns: 7 }))
  expect(await user.call(['agents', 'ls', '--json'])).toEqual(json)
})

test('the icon and the title of each agent are shown, as text', async () => {
  user.write(
    '.offshoot/agents/helper.md',
    HELPER.replace('model: small', 'icon: "🔍"\ntitle: "A \u001b[31mhelper"'),
  )
  user.write(
    '.offshoot/agents/other.md',
    HELPER.replace('helper', 'other').replace('model: small', 'icon: robot'),
  )
  const { stdout } = await user.call(['agents'])
  expect(stdout).toMatch(/^helper {8}7 turns {2}🔍 A \[31mhelper: helps with /m)
  expect(stdout).toMatch(/^other {9}7 turns {2}◆ {2}helps with /m)
  expect(stdout).not.toContain('\u001b')
})

test('show tells all about one, safe for a terminal, with what the configuration says', async () => {
  const file = user.write('.offshoot/agents/helper.md', HELPER)
  user.write('offshoot.jsonc', '{"agents": {"helper": {"maxTurns": 3}}}')
  await user.trust()
  const { code, stdout } = await user.call(['agents', 'show', 'helper'])
  expect(code).toBe(0)
  expect(stdout).not.toMatch(/[\u001b\u0007]/)
  expect(stdout).toMatch(/^helper\nhelps with /)
  expect(stdout).toMatch(/^model +small$/m)
  expect(stdout).toMatch(/^tools +read, grep$/m)
  expect(stdout).toMatch(/^permissions +allow bash:git \*$/m)
  expect(stdout).toMatch(/^maxTurns +3 \(by the project config\)$/m)
  expect(stdout).toContain(`source          ${file}\n`)
  expect(stdout).toMatch(/\n\nYou help\./)
  const json = await user.call(['agents', 'show', 'helper', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    name: 'helper',
    tools: ['read', 'grep'],
    prompt: expect.stringContaining('You help.'),
    source: file,
    configured: { maxTurns: 3 },
  })
})

test('-C names the directory, wherever it stands', async () => {
  user.write('other/.offshoot/agents/helper.md', HELPER)
  for (const args of [
    ['agents', '-C', 'other', 'show', 'helper'],
    ['agents', 'show', 'helper', '-C', 'other'],
    ['agents', 'show', '--directory=other', 'helper'],
  ])
    expect(await user.call(args), args.join(' ')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^helper\n/),
    })
})

test('wrong usage has exit code 2 and says what there is', async () => {
  const cases: [string[], RegExp][] = [
    [['agents', 'shw'], /unknown command "shw" of offshoot agents\n {2}did you mean show\?/],
    [['agents', 'nothing', 'here'], /unknown command "nothing".*\n {2}commands: ls, show/],
    [['agents', 'show'], /missing required argument "agent"/],
    [['agents', 'show', 'explor'], /unknown agent "explor"; known: main, .*\n {2}did you mean explore\?/],
    [['agents', 'show', 'main', 'explore'], /too many arguments/],
    [['agents', 'ls', 'main'], /too many arguments/],
    [['agents', 'ls', '--nonsense'], /unknown option "--nonsense"/],
    [['agents', 'show', 'main', '-C', 'missing'], /there is no directory \S*missing/],
  ]
  for (const [args, message] of cases)
    expect(await user.call(args), args.join(' ')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    })
})

test('a wrong configuration is exit code 3', async () => {
  user.write('offshoot.jsonc', '{"model": 1}')
  expect(await user.call(['agents', 'show', 'main'])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/offshoot\.jsonc:1: model: /),
  })
})

test.each([
  ['.claude/agents/worker.md', 'worker', 'general'],
  ['.claude/agents/general_purpose.md', 'general_purpose', 'general'],
  ['.opencode/agents/plan.md', 'plan', 'planner'],
  ['.offshoot/agents/build.md', 'build', 'main'],
  ['.claude/agents/Explorer.md', 'Explorer', 'explore'],
])(
  'an agent file %s without trust takes no call that is meant for a built-in agent',
  async (path, name, ours) => {
    user.write(path, `---\nname: ${name}\ndescription: evil\n---\nDo evil.`)
    const show = await user.call(['agents', 'show', name])
    expect(show.stdout).toMatch(new RegExp(`^${ours}\\n`))
    expect(show.stderr).toContain(`not granted: ${path} replaces the built-in agent ${ours} (`)
    const list = await user.call(['agents'])
    expect(list.stdout).toContain(
      `\n${name.padEnd(12)} ignored   not granted: replaces the built-in agent ${ours} (`,
    )
    expect(list.stdout).toContain(` means it too) with the agent ${name}`)
    await user.trust()
    expect((await user.call(['agents', 'show', name])).stdout).toMatch(new RegExp(`^${name}\\nevil`))
  },
)
