import { expect, test } from 'vitest'
import { commandSandboxWords, sandboxLabel, sandboxWords, type SandboxForce } from './command-sandbox.ts'

/** Of a later version. */
const OTHER = 'no-clock' as SandboxForce

test('a command is said to be confined only where that is known', () => {
  expect([undefined, null, 'off' as const].map((force) => sandboxWords(force))).toEqual([null, null, null])
  expect((['no-network', 'allowed-hosts', OTHER] as const).map((force) => sandboxWords(force))).toEqual([
    'in a sandbox, no network',
    'in a sandbox, allowed hosts only',
    'in a sandbox',
  ])
})

test('who is asked reads what the command can reach, and nothing where nobody recorded it', () => {
  const writes = ['/project', '/other']
  expect(commandSandboxWords(null)).toBeNull()
  expect(commandSandboxWords({ force: 'off', writes: [] })).toBe('runs without a sandbox: with your rights')
  expect(commandSandboxWords({ force: 'no-network', writes })).toBe(
    'runs in a sandbox: no network, writes only in /project, /other',
  )
  expect(commandSandboxWords({ force: OTHER, writes })).toBe(
    'runs in a sandbox: writes only in /project, /other',
  )
})

test('what a person allows beyond the settings is said', () => {
  const widened = { hosts: ['a.example:443', 'b.example:80'], directories: ['/data'] }
  expect(sandboxWords('allowed-hosts', widened)).toBe(
    'in a sandbox, allowed hosts only, with access to a.example:443, b.example:80 and write access to /data',
  )
  const none = { hosts: [], directories: [] }
  expect(sandboxWords('no-network', none)).toBe('in a sandbox, no network')
  const sandbox = { force: 'no-network', writes: ['/project'] } as const
  expect(commandSandboxWords({ ...sandbox, asks: { ...widened, directories: [] } })).toBe(
    'runs in a sandbox: no network, writes only in /project; asks for more: access to a.example:443, b.example:80',
  )
  expect(commandSandboxWords({ ...sandbox, asks: none })).toBe(
    'runs in a sandbox: no network, writes only in /project',
  )
})

test('a label stands alone', () => {
  const words = (['off', 'no-network', 'allowed-hosts', OTHER] as const).map(
    (force) => sandboxLabel(force)?.words,
  )
  expect(words).toEqual(['no sandbox', 'sandbox: no network', 'sandbox: allowed hosts only', 'sandbox'])
  expect(sandboxLabel(null)).toBeNull()
})
