import { expect, test } from 'vitest'
import { secretMask } from './known-secrets.ts'

const HOME = '/nowhere'

test.each([
  ['ANTHROPIC_API_KEY', 'plain words 1'],
  ['MY_DEPLOY_TOKEN', 'correct-horse'],
  ['db_password', 'staple99'],
  ['GH_PAT', 'eightchr'],
  ['CLIENT_SECRETS', 'https://me:pw@host/'],
])('the value of %s is masked: %s', (name, value) => {
  expect(secretMask({ HOME, [name]: value }).text(`a ${value} b`)).not.toContain(value)
})

test.each([
  ['SHORT_TOKEN', 'seven77'],
  ['SSH_KEY_PATH', '/home/me/.ssh/id'],
  ['TOKEN_URL', 'https://example.com/token'],
  ['USE_TOKEN', 'disabled'],
  ['KEYBOARD', 'qwertyuiop'],
  ['EDITOR', 'emacsclient'],
])('the value of %s is not: %s', (name, value) => {
  expect(secretMask({ HOME, [name]: value }).text(`a ${value} b`)).toContain(value)
})

test('a key of the configuration is masked', () => {
  expect(secretMask({ HOME }, [undefined, 'brave-key-1']).text('a brave-key-1')).toBe('a •••••••••••')
})
