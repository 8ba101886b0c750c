import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder, userEnvironment } from '../../test/support/fresh-copy.ts'

const MAIN = join(import.meta.dirname, 'main.ts')

let root = ''
beforeEach(() => (root = temporaryFolder('io')))
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('in a directory that is gone, help works, and what needs the directory says so in one line', () => {
  const inGone = (...args: string[]) => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    const command = ['-c', script, 'sh', process.execPath, MAIN, ...args]
    const env = userEnvironment(root)
    return spawnSync('sh', command, { cwd: root, env, encoding: 'utf8' })
  }
  expect(inGone('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage:'), stderr: '' })
  expect(inGone('agents')).toMatchObject({
    status: 2,
    stdout: '',
    stderr:
      'offshoot: the current directory no longer exists, or you may not read it\n  cd to another one, then try again\n',
  })
})
