import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

/** A paused conversation of the current directory, as a document that names another one. */
async function imported(directory: string) {
  const model = user.script({ main: [{ text: 'half', finishReason: 'length' }] })
  await user.call(['run', 'go', '-m', model])
  const [{ id }] = user.rows('SELECT id FROM conversations') as [{ id: string }]
  const document = JSON.parse((await user.call(['export', id])).stdout) as object
  user.write('talk.json', JSON.stringify({ ...document, directory }))
  await user.call(['rm', id, '--yes'])
  return user.call(['import', 'talk.json'])
}

test('says nothing more of a conversation of the current directory', async () => {
  expect(await imported(realpathSync(user.directory))).toMatchObject({ code: 0, stderr: '' })
})

test('says that a conversation is a copy, each time', async () => {
  const first = (await imported(realpathSync(user.directory))).stdout.trim()
  for (let times = 0; times < 2; times++) {
    const { code, stdout, stderr } = await user.call(['import', 'talk.json'])
    const copy = stdout.trim()
    expect([code, copy]).not.toContain(first)
    expect(stderr).toBe(
      `offshoot: ${first} of the file is here already; ${copy} is a copy with new ids (offshoot rm ${copy} deletes it)\n`,
    )
  }
  expect(user.rows('SELECT id FROM conversations')).toHaveLength(3)
})

test.each([
  ['missing.json', 'there is no such file or directory'],
  ['folder', 'this is a directory, not a file'],
  ['talk.json/inside', 'a part of this path is a file, not a directory'],
])('says why %s cannot be read', async (path, why) => {
  mkdirSync(join(user.directory, 'folder'))
  user.write('talk.json', '{}')
  const stderr = `offshoot: ${path} cannot be read: ${why}\n  check the path\n`
  expect(await user.call(['import', path])).toMatchObject({ code: 2, stdout: '', stderr })
  expect(await user.call(['permissions', 'check', '--rules', path])).toMatchObject({
    code: 2,
    stdout: '',
    stderr,
  })
})

test('says on stderr that a file names another directory, and what that means', async () => {
  const other = join(user.root, 'other')
  mkdirSync(other)
  expect(await imported(other)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^cnv_\w{26}\n$/),
    stderr: `offshoot: the file names the directory ${other}, not the current one; runs of this conversation work there, with the configuration, agents and trust of that directory\n`,
  })
})

test.each(['/nowhere/\u001b[2Jat all', 'C:\\work'])(
  'says that the directory %j does not exist, as text',
  async (directory) => {
    const { code, stderr } = await imported(directory)
    expect(code).toBe(0)
    expect(stderr).toContain('which does not exist here; you can read and export the conversation')
    expect(stderr).not.toContain('\u001b')
  },
)

test('gives the directory of the file no power that it has not been granted', async () => {
  const other = realpathSync(user.root) + '/other'
  mkdirSync(other)
  const config = { permissions: [{ tool: '*', action: 'allow' }] }
  writeFileSync(join(other, 'offshoot.jsonc'), JSON.stringify(config))
  const id = (await imported(other)).stdout.trim()
  const bash = { tool: 'bash', input: { command: 'touch OWNED' } }
  user.script({ main: [{ toolCalls: [bash] }, { text: 'Done.' }] })
  const { stderr } = await user.call(['continue', id, 'go on', '--approvals', 'deny'])
  expect(stderr).toContain('not granted')
  expect(existsSync(join(other, 'OWNED'))).toBe(false)
  const [call] = user.rows("SELECT status FROM tool_calls WHERE tool = 'bash'")
  expect(call).toEqual({ status: 'denied' })
})

test.each(['# A title\n\nText.\n', '<!doctype html>\n'])('says which format it reads: %j', async (text) => {
  const { code, stderr } = await user.call(['import', user.write('talk.md', text)])
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /it is not JSON: .*\n {2}nothing was imported; import reads JSON: offshoot export ID > FILE\n$/,
  )
})
