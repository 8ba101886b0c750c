import { expect, test } from 'vitest'
import { guardOf } from './guarded-files.ts'

test.each([
  ['.claude/skills/deploy/SKILL.md', 'skill'],
  ['.opencode/skill/deploy/SKILL.md', 'skill'],
  ['.agents/skills/a/b/reference.md', 'skill'],
  ['packages/x/.offshoot/skills/a/SKILL.md', 'skill'],
  ['.claude/skills', 'config'],
  ['.claude/agents/skills/x.md', 'config'],
  ['.claude/settings.json', 'config'],
  ['.vscode/skills/x/tasks.json', 'config'],
  ['.claude/skills/a/.vscode/tasks.json', 'config'],
  ['.claude/skills/a/.claude/settings.json', 'config'],
  ['.claude/skills/a/opencode.json', 'config'],
  ['.claude/skills/a/.git/config', 'git'],
  ['.claude/skills/a/.env', 'secret'],
  ['skills/a/SKILL.md', null],
])('%s: %s', (path, guard) => {
  expect(guardOf(path)).toBe(guard)
})
