import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestUser } from './support/test-user.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../docs/export.md'), 'utf8')
const [commands] = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, body]) => body!.trim().split('\n'))

let user: TestUser

beforeAll(async () => {
  user = new TestUser()
  user.write('offshoot.jsonc', JSON.stringify({ model: user.script({ main: [{ text: 'Hello.' }] }) }))
  await user.trust()
  await user.call(['run', 'Hi.'])
})

afterAll(() => user.remove())

it('shows commands that write what stands beside them', async () => {
  const id = String(user.rows('SELECT id FROM conversations')[0]!['id'])
  expect(commands).toHaveLength(4)
  const written: Record<string, string> = {}
  for (const command of commands!) {
    const [line = ''] = command.split(/\s+#\s/)
    const [words = '', file] = line.split(' > ')
    const [program, ...args] = words.trim().split(' ')
    expect(program).toBe('offshoot')
    const { code, stdout } = await user.call(args.map((arg) => (arg === 'cnv_…' ? id : arg)))
    expect([command, code]).toEqual([command, 0])
    if (file) user.write(file.trim(), stdout)
    written[file?.trim() ?? args.join(' ')] = stdout
  }
  expect(JSON.parse(written['talk.json']!)).toMatchObject({ id })
  expect(written['import talk.json']).toMatch(/^cnv_\w{26}\n$/)
  expect(written['export cnv_… --format md']).toMatch(/^# Hi\.\n/)
  expect(written['talk.html']).toMatch(/^<!doctype html>[^]*Hello\./)
})
