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

test('--search, --status and --limit keep those that fit', async () => {
  const model = user.script({ '*': [{ text: 'done' }] })
  for (const said of ['Compare the parsers', 'Compare the ports', 'Write it down'])
    await user.call(['run', said, '-m', model])
  const titles = async (...more: string[]) => {
    const { stdout, stderr } = await user.call(['ls', '--json', ...more])
    expect(stderr).toBe('')
    return (JSON.parse(stdout) as { title: string }[]).map(({ title }) => title)
  }
  expect(await titles('--search', 'COMPARE')).toEqual(['Compare the ports', 'Compare the parsers'])
  expect(await titles('--search', 'compare', '--limit', '1')).toEqual(['Compare the ports'])
  expect(await titles('--status', 'completed')).toHaveLength(3)
  expect(await titles('--status', 'failed')).toEqual([])
  const { stdout } = await user.call(['ls', '--search', 'write'])
  expect(stdout).toMatch(/^cnv_\w{26} {2}.* {2}Write it down {2}.*\n$/)
})
