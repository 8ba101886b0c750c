import { expect, test } from 'vitest'
import { sandboxHints } from './sandbox-hints.ts'

const failed = (output: string) => sandboxHints({ exitCode: 1, output })

test.each([
  ['error: could not write config file .git/config: Device or resource busy', '.git/config'],
  ['fatal: Branch is renamed, but update of config-file failed', '.git/config'],
  ["error: cannot lock ref 'worktrees/a/HEAD': Unable to create '/b': Read-only file system", 'git gc'],
  ["error: failed to delete '.git/worktrees/a': Read-only file system", 'git worktree prune'],
  ["fatal: could not read Username for 'https://github.com': terminal prompts disabled", 'logins'],
  ['git@example.com: Permission denied (publickey).', 'logins'],
  ['To get started with GitHub CLI, please run:  gh auth login', 'logins'],
  ['ssh: Could not resolve hostname github.com: Temporary failure in name resolution', 'only its proxy'],
  ['Error: getaddrinfo EAI_AGAIN example.com', 'only its proxy'],
  ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is it running?', 'such as Docker'],
  ['psql: error: connection to server at "localhost" failed: Connection refused', 'sandbox.ports'],
  ['Error: connect ECONNREFUSED 127.0.0.1:6379', 'sandbox.ports'],
])('%s', (output, hint) => {
  expect(failed(`one\n${output}\ntwo\n`)).toEqual([expect.stringContaining(hint)])
})

test('a command that succeeds, or fails otherwise, gets no hint', () => {
  expect(sandboxHints({ exitCode: 0, output: 'Connection refused' })).toEqual([])
  expect(failed('AssertionError: 1 !== 2\n')).toEqual([])
})

test('each hint is said once', () => {
  expect(failed('ECONNREFUSED\nECONNREFUSED\nEAI_AGAIN')).toHaveLength(2)
})
