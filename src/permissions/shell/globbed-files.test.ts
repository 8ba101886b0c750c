import { expect, test } from 'vitest'
import { callOf, decide, decideRow, levelOf, SECRET_FILES } from '../fixtures/example-workspace.ts'
import { modeLayer } from '../modes.ts'
import type { FoundPath } from '../types.ts'

test.each([
  ['cat config/*', 'config/id_rsa looks like a secret and always asks'],
  ['cat c*/*', 'config/id_rsa looks like a secret and always asks'],
  ['cat < config/*', 'config/id_rsa looks like a secret and always asks'],
  ['cd config && cat *', 'config/id_rsa looks like a secret and always asks'],
  ['for f in config/*; do cat "$f"; done', 'config/id_rsa looks like a secret and always asks'],
  ['rm config/*', 'config/id_rsa looks like a secret and always asks'],
  ['touch nested/.*/config', 'nested/.git/config belongs to version control and always asks'],
  ['split -l 1 config/* out', 'config/id_rsa looks like a secret and always asks'],
  ['split -l 1 .e* out', '.env looks like a secret and always asks'],
])('a glob that matches a guarded file asks: %s', (command, why) => {
  const found = decideRow({ rules: ['allow *'], command, mode: 'auto' }, SECRET_FILES)
  expect(found).toMatchObject({ action: 'ask', why })
})

test.each(['cat *', 'cat *.md', 'cat src/*.ts', 'wc -l src/* test/*', 'split -l 1 src/* out', 'ls nested/*'])(
  'a glob that matches none does not: %s',
  (command) => {
    expect(decideRow({ rules: [], command, mode: 'auto' }, SECRET_FILES).action).toBe('allow')
  },
)

const INSIDE = { relative: '.env', absolute: '/repo/.env', outside: false, guarded: 'secret' } as const
const AWAY = { relative: '/elsewhere/a', absolute: '/elsewhere/a', outside: true, guarded: null } as const

test.each([
  ['a secret', INSIDE, '.env looks like a secret and always asks'],
  ['a file outside', AWAY, 'no rule matches, and external_directory asks by default'],
])('a glob that matches a link to %s asks', (_, target, why) => {
  const link: FoundPath = { ...target, link: true, at: '/repo/src/link' }
  const action = (command: string) => {
    const call = { ...callOf('bash', command), filesBelow: () => [link] }
    return decide(call, [{ ...levelOf('root', []), layers: [modeLayer('auto')] }])
  }
  expect(action('cat src/*')).toMatchObject({ action: 'ask', why })
  expect(action('cat s*/l*')).toMatchObject({ action: 'ask', why })
  expect(action('cat src/*/*')).toMatchObject({ action: 'ask', why })
  expect(action('cat src/*.ts')).toMatchObject({ action: 'allow' })
  expect(action('cat *')).toMatchObject({ action: 'allow' })
})
