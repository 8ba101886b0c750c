import { afterAll, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'

const user = new TestUser()
afterAll(() => user.remove())

test.each([
  [['trust', '']],
  [['trust', '--revoke', ' ']],
  [['run', 'x', '-m', 'offline', '-C', '']],
  [['config', '-C', '']],
  [['import', '']],
  [['permissions', 'check', '--rules', '']],
])('%j: an empty path is not the current directory', async (args) => {
  const { code, stdout, stderr } = await user.call(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('The path is empty. Name one, or leave it out.')
  expect(stderr).toContain('usage: offshoot')
})

test.each([
  [['agents', 'check', 'missing'], 'offshoot: missing cannot be read: there is no such file or directory\n'],
  [['agents', 'import', 'missing'], 'offshoot: missing cannot be read: there is no such file or directory\n'],
  [
    ['run', 'x', '-m', 'offline', '--add-dir', 'missing'],
    'cannot be used: there is no such file or directory\n',
  ],
  [['run', 'x', '-m', 'scripted:missing'], 'missing cannot be read: there is no such file or directory\n'],
])('%j names the file, without the words of the system', async (args, said) => {
  const { code, stdout, stderr } = await user.call(args)
  expect([stdout, stderr]).toEqual(['', expect.stringContaining(said)])
  expect([2, 3]).toContain(code)
  expect(stderr).not.toMatch(/E[A-Z]{4,}:/)
})

test('the error for an unknown tool names each tool once', async () => {
  const { code, stderr } = await user.call(['run', 'x', '-m', 'offline', '--allow', 'blorp'])
  expect(code).toBe(2)
  const [, tools, sets] = /; tools: (read, .*); toolsets: (files, .*)$/m.exec(stderr)!
  const names = [...tools!.split(', '), ...sets!.split(', ')]
  expect(names.length).toBe(new Set(names).size)
})
