import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestUser } from '../../../test/support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

test('a title that was cut says so on every surface', async () => {
  const model = user.script({ '*': [{ text: 'done' }] })
  const said = `Compare ${'the long names of things '.repeat(6)}and stop.`
  await user.call(['run', said, '-m', model])
  const [{ id, title }] = user.rows('SELECT id, title FROM conversations') as [{ id: string; title: string }]
  expect(title).toMatch(/^Compare the long names .*…$/)
  expect(title.length).toBeLessThanOrEqual(80)
  expect((await user.call(['ls'])).stdout).toContain(`  ${title}  `)
  expect((await user.call(['gc', '--dry-run', '--keep', '0', '--older-than', '0d'])).stdout).toContain(title)
  expect((await user.call(['export', id, '--format', 'md'])).stdout).toContain(`# ${title}`)
})

test('a longer title that came with an import is cut with an ellipsis', async () => {
  const model = user.script({ '*': [{ text: 'done' }] })
  await user.call(['run', 'hi', '-m', model])
  const [{ id }] = user.rows('SELECT id FROM conversations') as [{ id: string }]
  const document = JSON.parse((await user.call(['export', id])).stdout) as object
  user.write('long.json', JSON.stringify({ ...document, title: 'a'.repeat(90) }))
  expect(await user.call(['import', 'long.json'])).toMatchObject({ code: 0 })
  expect((await user.call(['ls'])).stdout).toContain(`  ${'a'.repeat(79)}…  `)
})
