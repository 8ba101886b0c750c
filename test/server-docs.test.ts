import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ServedUser } from './support/served-user.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/server.md'), 'utf8')
const lines = /^```sh\n([^]*?)^```/m.exec(page)![1]!.trimEnd().split('\n')

let served: ServedUser
beforeAll(async () => {
  served = await ServedUser.start()
})
afterAll(() => served.remove())

it.each(lines)('docs/server.md: %s', async (line) => {
  const env = { ...process.env, URL: served.server.url, TOKEN: served.token }
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { env })
  const answer = JSON.parse(stdout) as object
  expect(answer).not.toHaveProperty('error')
  expect(typeof answer).toBe('object')
})
