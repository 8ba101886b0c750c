import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callOf, decide, levelOf } from '../permissions/fixtures/example-workspace.ts'
import type { Level } from '../permissions/types.ts'
import type { AgentFormat } from '../agents/agent-format.ts'
import { claudeFormat } from '../agents/foreign/claude.ts'
import { codexFormat } from '../agents/foreign/codex.ts'
import { cursorFormat } from '../agents/foreign/cursor.ts'
import { opencodeFormat } from '../agents/foreign/opencode.ts'
import { anyPathPattern, ignorePattern } from '../agents/foreign/path-pattern.ts'

/** What a user allows, so that only the imported file can say anything else. */
const EVERYTHING = levelOf('user config', [{ tool: '*', action: 'allow' }])

function levelFrom(format: AgentFormat, matter: string): Level {
  const text =
    format === codexFormat ? `description = "d"\n${matter}` : `---\ndescription: d\n${matter}\n---\nx`
  const [parsed] = format.parse(text, '/p/a.md')
  if (!parsed || !('agent' in parsed)) throw new Error(parsed?.skipped)
  return levelOf('agent a', parsed.agent.permissions ?? [])
}

const actions = (level: Level, calls: readonly (readonly [tool: string, argument: string])[]) =>
  calls.map(([tool, argument]) => decide(callOf(tool, argument), [EVERYTHING, level], []).action)

describe('rules of Claude Code: deny, then ask, then allow, in whatever order they stand', () => {
  test('a special allow does not lift a general deny, nor an ask', () => {
    const level = levelFrom(
      claudeFormat,
      `permissions:
  deny: ["Bash(aws:*)", "Read(./secrets/**)"]
  allow: ["Bash(aws s3 ls)", "Bash(git push origin)", "Read(secrets/public.txt)"]
  ask: ["Bash(git push:*)", "Bash(aws:*)"]`,
    )
    expect(
      actions(level, [
        ['bash', 'aws s3 ls'],
        ['bash', 'aws'],
        ['bash', 'awsome'],
        ['bash', 'git push origin'],
        ['bash', 'git status'],
        ['read', 'secrets/public.txt'],
        ['grep', 'secrets/deep/x'],
        ['read', 'src/secrets.ts'],
      ]),
    ).toEqual(['deny', 'deny', 'allow', 'ask', 'allow', 'deny', 'deny', 'allow'])
  })

  test('a tool that is listed for some calls is denied for all others, disallowed ones among them', () => {
    const level = levelFrom(
      claudeFormat,
      'tools: Bash(git:*), Edit(docs/**), WebFetch(domain:example.com)\ndisallowedTools: Bash(git push:*)',
    )
    expect(
      actions(level, [
        ['bash', 'git log'],
        ['bash', 'git push origin'],
        ['bash', 'rm -r x'],
        ['edit', 'docs/a/b.md'],
        ['edit', 'src/a.ts'],
        ['webfetch', 'example.com/a'],
        ['webfetch', 'example.org/a'],
      ]),
    ).toEqual(['allow', 'deny', 'deny', 'allow', 'deny', 'allow', 'deny'])
  })

  test('a file without a slash in its pattern is meant at any depth, a directory with all below it', () => {
    const level = levelFrom(claudeFormat, 'permissions: {deny: ["Edit(*.lock)", "Edit(/build/)"]}')
    expect(
      actions(level, [
        ['edit', 'a.lock'],
        ['write', 'deep/er/a.lock'],
        ['edit', 'build/x/y'],
        ['edit', 'src/build/x'],
      ]),
    ).toEqual(['deny', 'deny', 'deny', 'allow'])
  })

  test('what ours cannot say becomes stricter', () => {
    expect(actions(levelFrom(claudeFormat, 'permissions: {deny: ["Read(~/x)"]}'), [['read', 'a']])).toEqual([
      'deny',
    ])
    expect(actions(levelFrom(claudeFormat, 'tools: Read(![a])'), [['read', 'a']])).toEqual(['deny'])
  })

  test('a mode can only narrow', () => {
    expect(
      actions(levelFrom(claudeFormat, 'tools: Bash(git:*)\npermissionMode: plan'), [
        ['bash', 'git log'],
        ['edit', 'a'],
        ['read', 'a'],
      ]),
    ).toEqual(['deny', 'deny', 'allow'])
    for (const mode of ['bypassPermissions', 'acceptEdits', 'auto'])
      expect(levelFrom(claudeFormat, `permissionMode: ${mode}`).layers[0]!.rules).toEqual([])
  })
})

describe('rules of opencode: the last match counts', () => {
  test('in the order of the file', () => {
    const level = levelFrom(
      opencodeFormat,
      `permission:
  "*": ask
  bash: {"*": deny, "git *": allow, "git push *": ask}
  edit: {"*": allow, "src/*.lock": deny}
  read: allow`,
    )
    expect(
      actions(level, [
        ['bash', 'git log'],
        ['bash', 'git push'],
        ['bash', 'rm x'],
        ['edit', 'src/deep/er/x.lock'],
        ['write', 'src/x.lock'],
        ['write', 'src/x.ts'],
        ['read', 'a'],
        ['webfetch', 'example.com'],
      ]),
    ).toEqual(['allow', 'ask', 'deny', 'deny', 'deny', 'allow', 'allow', 'ask'])
  })

  test('the same rules in another order are other rules', () => {
    const level = levelFrom(opencodeFormat, 'permission: {bash: {"git *": allow, "*": deny}}')
    expect(actions(level, [['bash', 'git log']])).toEqual(['deny'])
  })

  test('its star crosses directories', () => {
    const level = levelFrom(opencodeFormat, 'permission: {edit: {"*/x": deny, "a/*": deny, "*.env": deny}}')
    expect(
      actions(level, [
        ['edit', 'b/c/x'],
        ['edit', 'xs'],
        ['edit', 'a/b/c'],
        ['edit', 'deep/my.env'],
      ]),
    ).toEqual(['deny', 'allow', 'deny', 'deny'])
  })

  test('a list of rules, one word for everything, and keys with stars', () => {
    const list = `permissions:
  - {action: "*", resource: "*", effect: deny}
  - {action: shell, resource: "ls *", effect: allow}`
    expect(
      actions(levelFrom(opencodeFormat, list), [
        ['bash', 'ls'],
        ['read', 'a'],
      ]),
    ).toEqual(['allow', 'deny'])
    expect(actions(levelFrom(opencodeFormat, 'permission: deny'), [['read', 'a']])).toEqual(['deny'])
    expect(
      actions(levelFrom(opencodeFormat, 'permission: {"web*": deny}'), [
        ['webfetch', 'example.com'],
        ['read', 'a'],
      ]),
    ).toEqual(['deny', 'allow'])
  })

  test('what ours cannot say becomes stricter', () => {
    const level = levelFrom(
      opencodeFormat,
      'permission: {bash: {"*": allow, "rm ?": deny}, grep: {"*": deny, "x*": allow}, edit: {"~/x": deny}}',
    )
    expect(
      actions(level, [
        ['bash', 'rm a'],
        ['grep', 'x'],
        ['edit', 'a'],
      ]),
    ).toEqual(['deny', 'deny', 'deny'])
  })

  test('a pattern with many stars neither hangs nor is a regular expression', () => {
    const level = levelFrom(
      opencodeFormat,
      `permission: {bash: {"(a+)+$": deny}, edit: {"${'*a'.repeat(200)}": deny}}`,
    )
    expect(
      actions(level, [
        ['bash', `${'a'.repeat(40)}!`],
        ['edit', 'a'.repeat(1_000)],
      ]),
    ).toEqual(['allow', 'deny'])
  })
})

describe('no file of another program gives anything', () => {
  const value = fc.oneof(
    fc.constantFrom('allow', 'ask', 'deny'),
    fc.dictionary(fc.constantFrom('*', 'git *', 'src/*', 'a?'), fc.constantFrom('allow', 'ask', 'deny')),
  )
  const opencode = fc
    .dictionary(fc.constantFrom('*', 'bash', 'edit', 'read', 'web*', 'task'), value)
    .map((permission) => [opencodeFormat, `permission: ${JSON.stringify(permission)}`] as const)
  const entry = fc.constantFrom(
    'Bash',
    'Bash(git:*)',
    'Edit(src/**)',
    'Read',
    'WebFetch(domain:a.b)',
    'Read(~/x)',
    '*',
  )
  const entries = fc.array(entry, { maxLength: 4 })
  const claude = fc
    .record({
      tools: entries,
      disallowedTools: entries,
      permissions: fc.record({ allow: entries, ask: entries, deny: entries }),
    })
    .chain((keys) =>
      fc.constantFrom('plan', 'bypassPermissions', 'acceptEdits', 'default').map((permissionMode) => {
        const lines = Object.entries({ ...keys, permissionMode }).map(
          ([key, each]) => `${key}: ${JSON.stringify(each)}`,
        )
        return lines.join('\n')
      }),
    )
    .chain((matter) => fc.constantFrom(claudeFormat, cursorFormat).map((format) => [format, matter] as const))
  const sandbox = fc
    .constantFrom('read-only', 'workspace-write', 'danger-full-access')
    .map((mode) => [codexFormat, `sandbox_mode = "${mode}"`] as const)
  const RANK = { deny: 0, ask: 1, allow: 2 }
  const users = fc.array(
    fc.record({
      tool: fc.constantFrom('*', 'bash', 'edit', 'read', 'webfetch'),
      action: fc.constantFrom('allow', 'ask', 'deny'),
    }),
    { maxLength: 3 },
  )
  const CALLS = [
    ['bash', 'git log'],
    ['bash', 'rm -r x'],
    ['edit', 'src/a.ts'],
    ['read', 'a'],
    ['read', '.env'],
    ['webfetch', 'a.b/c'],
    ['task', 'general'],
  ] as const

  test('that the rules of the user do not', () => {
    fc.assert(
      fc.property(fc.oneof(opencode, claude, sandbox), users, ([format, matter], rules) => {
        const user = levelOf('user config', rules)
        const level = levelFrom(format, matter)
        for (const [tool, argument] of CALLS) {
          const without = decide(callOf(tool, argument), [user], []).action
          const withIt = decide(callOf(tool, argument), [user, level], []).action
          expect(RANK[withIt], `${tool} ${argument}`).toBeLessThanOrEqual(RANK[without])
        }
      }),
      { numRuns: 300 },
    )
  })
})

test.each([
  ['src/**', 'src/**'],
  ['./src/*.ts', 'src/*.ts/**'],
  ['*.env', '**/*.env/**'],
  ['/x', 'x/**'],
  ['//etc/x', '/etc/x/**'],
  ['dir/', '**/dir/**'],
  ['**', '*'],
  ['~/x', null],
  ['!x', null],
  ['../x', null],
  ['a/../b', null],
  ['[ab]', null],
  ['', null],
  ['/', null],
])('the pattern %j of an ignore file is %j', (pattern, ours) => {
  expect(ignorePattern(pattern)).toBe(ours)
})

test('a star of opencode is three of ours', () => {
  expect(['*', 'a/*', '**/x', 'x'].map(anyPathPattern)).toEqual(['*', 'a/***', '***/x', 'x'])
})
