import { expect, test } from 'vitest'
import { decide } from './fixtures/example-workspace.ts'
import { modeLayer } from './modes.ts'
import type { PermissionCall, PermissionPath } from './types.ts'

const SKILL: PermissionPath = {
  absolute: '/repo/.claude/skills/a/SKILL.md',
  relative: '.claude/skills/a/SKILL.md',
  outside: false,
  guarded: 'skill',
}

const actionOf = (call: Pick<PermissionCall, 'tool' | 'effects' | 'subjects'>) => {
  const auto = { name: 'root', layers: [modeLayer('auto')] }
  return decide({ toolset: 'files', resolvePath: () => SKILL, ...call }, [auto]).action
}

test('reading a skill needs no approval, and changing it always asks', () => {
  const subjects = [{ kind: 'path', path: SKILL }] as const
  expect(actionOf({ tool: 'read', effects: 'none', subjects })).toBe('allow')
  expect(actionOf({ tool: 'edit', effects: 'write', subjects })).toBe('ask')
})

test('the same holds for shell commands', () => {
  const command = (command: string) =>
    actionOf({ tool: 'bash', effects: 'execute', subjects: [{ kind: 'command', command }] })
  expect(command('cat .claude/skills/a/SKILL.md')).toBe('allow')
  expect(command('echo x > .claude/skills/a/SKILL.md')).toBe('ask')
})
