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

test.each([
  '.config/gh/hosts.yml',
  '.config/glab-cli/config.yml',
  '.config/hub',
  '.config/gcloud/configurations/config_default',
  '.config/op/config',
  '.config/Bitwarden CLI/data.json',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.local/share/fish/fish_history',
  '.psql_history',
  '.mysql_history',
  '.node_repl_history',
  '.sqlite_history',
  'infra/terraform.tfstate',
  'infra/terraform.tfstate.backup',
  'infra/terraform.tfstate.1712345678.backup',
  '.terraform.d/credentials.tfrc.json',
  '.netrc',
  '.pgpass',
  '.mylogin.cnf',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.docker/config.json',
  '.config/containers/auth.json',
  '.kube/config',
  '.aws/config',
  '.azure/accessTokens.json',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.vault-token',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.local/share/keyrings/login.keyring',
  '.cache/huggingface/token',
])('%s counts as a secret', (path) => {
  expect(guardOf(path)).toBe('secret')
  expect(guardOf(`/home/u/${path.toUpperCase()}`)).toBe('secret')
})

test.each([
  'src/history.ts',
  'src/bash_history.md',
  'hosts.yml',
  'ansible/hosts.yml',
  'infra/main.tf',
  'infra/terraform.tfvars',
  'locales/en/auth.json',
  'gradle.properties',
  'settings.xml',
  'config/config.json',
  'src/token',
  'src/hub',
  'docs/op/config',
  '.gitignore',
  '.config/app.json',
])('%s is not guarded', (path) => {
  expect(guardOf(path)).toBeNull()
})
