import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { openSqliteStore } from '../../store/sqlite/open.ts'
import type { RuleRow } from '../../store/port.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

const fixture = (name: string) =>
  readFileSync(new URL(`../../permissions/fixtures/${name}.jsonl`, import.meta.url), 'utf8')

interface Answer {
  readonly decision?: string
  readonly rule?: object | null
  readonly layer?: string | null
  readonly why?: string
  readonly error?: { readonly code: string; readonly message: string }
  readonly line?: number
}

async function check(rules: unknown, lines: readonly unknown[] | string) {
  const file = user.write('rules.json', typeof rules === 'string' ? rules : JSON.stringify(rules))
  const input = typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const { code, stdout, stderr } = await user.call(['permissions', 'check', '--rules', file], { input })
  const answers = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Answer)
  return { code, answers, stderr, decisions: answers.map(({ decision }) => decision) }
}

const GIT = [
  { tool: 'bash', pattern: 'git *', action: 'allow' },
  { tool: 'bash', pattern: 'git push*', action: 'deny' },
  { tool: 'edit', pattern: 'src/**', action: 'allow' },
  { tool: 'webfetch', pattern: 'example.com', action: 'allow' },
  { tool: 'task', pattern: 'explore', action: 'allow' },
]

describe('permissions check', () => {
  test('answers each line with the decision, the rule that made it, its layer, and why', async () => {
    const { code, answers } = await check(GIT, [
      { tool: 'bash', input: { command: 'git status' }, id: 7 },
      { tool: 'bash', subject: 'git push --force' },
      { tool: 'bash', input: { command: 'rm -rf x' } },
    ])
    expect(code).toBe(0)
    expect(answers).toEqual([
      {
        id: 7,
        tool: 'bash',
        decision: 'allow',
        rule: GIT[0],
        layer: 'rules',
        why: 'allowed by rules: bash git *',
      },
      {
        tool: 'bash',
        decision: 'deny',
        rule: GIT[1],
        layer: 'rules',
        why: 'denied by rules: bash git push*',
      },
      {
        tool: 'bash',
        decision: 'ask',
        rule: null,
        layer: null,
        why: 'no rule matches, and it asks by default',
      },
    ])
  })

  test.each([
    [{ tool: 'bash', input: { command: 'git log && git push' } }, 'deny'],
    [{ tool: 'Bash', arg: 'git log' }, 'allow'],
    [{ command: 'git log' }, 'allow'],
    [{ call: { tool: 'bash', arg: 'git log' } }, 'allow'],
    [{ tool: 'bash', subject: [{ kind: 'command', value: 'git log' }] }, 'allow'],
    [{ tool: 'edit', input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } }, 'allow'],
    [{ tool: 'edit', subject: 'test/a.ts' }, 'ask'],
    [{ tool: 'edit', subject: 'src/../test/a.ts' }, 'ask'],
    [{ tool: 'edit', subject: 'src/.env' }, 'ask'],
    [{ tool: 'edit', subject: '/etc/src/a' }, 'ask'],
    [{ tool: 'webfetch', input: { url: 'https://example.com/x' } }, 'allow'],
    [{ tool: 'webfetch', subject: 'https://evil.net/example.com' }, 'ask'],
    [{ tool: 'task', input: { prompt: 'x', subagent_type: 'explore' } }, 'allow'],
    [{ tool: 'task', subject: 'general' }, 'ask'],
    [{ tool: 'server/tool', subject: 'x' }, 'ask'],
    [{ tool: 'bash', subject: 'rm x', interactive: false }, 'deny'],
    [{ tool: 'bash', subject: 'git log', interactive: false }, 'allow'],
    [{ tool: 'bash', subject: 'git log', rules: [] }, 'ask'],
  ])('%j: %s', async (line, decision) => {
    const { code, decisions } = await check(GIT, [line])
    expect({ code, decisions }).toEqual({ code: 0, decisions: [decision] })
  })

  test('takes a chain: the strictest level counts, and says its name', async () => {
    const allow = { tool: 'bash', pattern: '*', action: 'allow' }
    const chain = [
      { name: 'root', rules: [allow] },
      { name: 'planner', rules: [{ tool: 'bash', pattern: 'rm *', action: 'deny' }] },
      [allow],
    ]
    const { answers } = await check({ chain }, [{ command: 'rm x' }, { command: 'ls' }])
    expect(answers).toMatchObject([{ decision: 'deny', layer: 'planner' }, { decision: 'allow' }])
    expect((await check({ rules: [allow] }, [{ command: 'ls' }])).decisions).toEqual(['allow'])
  })

  test('asks where the root says nothing, or has the defaults of the tools', async () => {
    const lines = ['read', 'edit', 'todo'].map((tool) => ({ tool, subject: 'a' }))
    expect((await check([], lines)).decisions).toEqual(['ask', 'ask', 'ask'])
    expect((await check({ rules: [], default: 'tools' }, lines)).decisions).toEqual(['allow', 'ask', 'allow'])
  })

  test('decides the examples of chains as they expect', async () => {
    const rows = fixture('agent-rules')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { readonly call?: object; readonly expected: string })
      .filter((row) => row.call !== undefined)
    const { decisions } = await check([], rows)
    expect(decisions).toEqual(rows.map(({ expected }) => expected))
  })

  test('answers a bad line with an error that counts it, goes on, and exits with 1', async () => {
    const good = '{"tool":"bash","subject":"git log"}'
    const bad = [
      'nonsense',
      '[]',
      'null',
      '{}',
      '{"tool":5}',
      '{"tool":"bash"}',
      '{"tool":"bash","input":{"command":{}}}',
      '{"tool":"bash","input":{}}',
      '{"tool":"bash","subject":"ls","rules":[{"tool":"bash"}]}',
      '{"tool":"bash","subject":"ls","chain":[]}',
      '{"tool":"bash","subject":[{"kind":"x","value":"y"}]}',
      `{"tool":"bash","subject":"${'x'.repeat(1024 * 1024)}"}`,
    ]
    const { code, answers } = await check(GIT, [good, '', ...bad, good].join('\r\n'))
    expect(code).toBe(1)
    expect(answers).toHaveLength(bad.length + 2)
    expect([answers[0]?.decision, answers.at(-1)?.decision]).toEqual(['allow', 'allow'])
    answers.slice(1, -1).forEach(({ error, line }, at) => {
      expect(error, bad[at]!.slice(0, 80)).toMatchObject({
        code: expect.stringMatching(/^\w+$/),
        message: expect.stringMatching(/\w/),
      })
      expect(line).toBe(at + 3)
    })
  })

  test.each([
    ['no JSON', 'nope'],
    ['no rules', '{"chain":[]}'],
    ['a number', '5'],
    ['a rule without an action', '[{"tool":"bash"}]'],
    ['a rule with an unknown key', '[{"tool":"bash","action":"allow","when":"now"}]'],
    ['an unknown default', '{"rules":[],"default":"allow"}'],
  ])('refuses a file with %s, by name, with exit code 3', async (_, text) => {
    const { code, answers, stderr } = await check(text, [{ command: 'ls' }])
    expect({ code, answers }).toEqual({ code: 3, answers: [] })
    expect(stderr).toMatch(/^offshoot: .*rules\.json:1: .+\n {2}\S/)
  })

  test('needs a file that can be read', async () => {
    expect(await user.call(['permissions', 'check', '--rules', 'none.json'])).toMatchObject({ code: 2 })
    expect(await user.call(['permissions', 'check'])).toMatchObject({ code: 2 })
  })
})

describe('what was allowed for good', () => {
  const rule = (more: Partial<RuleRow>): RuleRow => ({
    id: 'rul_1',
    conversationId: null,
    branchId: null,
    kind: 'grant',
    tool: 'bash',
    pattern: 'npm \u001b[31mtest *',
    action: 'allow',
    createdAt: 1_700_000_000_000,
    directory: user.directory,
    ...more,
  })

  async function store(rows: (conversation: NonNullable<RuleRow['conversationId']>) => readonly RuleRow[]) {
    await user.call(['run', 'hi', '-m', user.script({ main: [{ text: 'Hello.' }] })])
    const [row] = user.rows('select id from conversations')
    const opened = await openSqliteStore({ file: user.database, now: systemClock.now })
    await opened.tx((tx) => rows(row!['id'] as never).forEach((each) => tx.insert('rules', each)), {
      durable: true,
    })
    await opened.close()
    return row!['id'] as string
  }

  test('is listed for the directory, and can be taken back', async () => {
    const conversation = await store((conversationId) => [
      rule({}),
      rule({ id: 'rul_2', conversationId, directory: null, pattern: null }),
      rule({ id: 'rul_3', directory: '/elsewhere' }),
      rule({ id: 'rul_4', conversationId, directory: null, kind: 'restriction' }),
    ])
    const listed = await user.call(['permissions'])
    expect(listed.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['rul_1', 'project', 'bash:npm \u241b[31mtest *', '2023-11-14T22:13:20.000Z'],
      ['rul_2', conversation, 'bash', '2023-11-14T22:13:20.000Z'],
      [''],
    ])
    expect(await user.call(['permissions', 'ls'])).toEqual(listed)
    const json = JSON.parse((await user.call(['permissions', 'ls', '--json'])).stdout) as object[]
    expect(json).toMatchObject([
      { id: 'rul_1', scope: 'project', conversationId: null },
      { id: 'rul_2', scope: 'conversation', conversationId: conversation, pattern: null },
    ])
    for (const id of ['rul_1', 'rul_2'])
      expect(await user.call(['permissions', 'revoke', id])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(`^revoked: ${id}, bash`),
      })
    expect(user.rows('select id from rules order by id').map(({ id }) => id)).toEqual(['rul_3', 'rul_4'])
    for (const id of ['rul_1', 'rul_4', 'nonsense'])
      expect(await user.call(['permissions', 'revoke', id])).toMatchObject({ code: 2, stdout: '' })
  })

  test('is nothing at first', async () => {
    expect(await user.call(['permissions'])).toMatchObject({ code: 0, stdout: '' })
  })
})

test('a rules file that is no JSON is answered with what it holds', async () => {
  const other = new TestUser({ 'broken.json': '{"rules": [' })
  const { code, stdout, stderr } = await other.call(['permissions', 'check', '--rules', 'broken.json'])
  other.remove()
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).toMatch(
    /^offshoot: broken\.json:1: not valid JSON .*\n {2}write a JSON list of rules, .*\n$/,
  )
})
