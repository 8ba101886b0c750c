import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nodeProblem } from './check-node.ts'

test.each(['18.20.0', '20.20.2', '22.12.0', '24.14.9', ''])(
  'Node %s is too old, which is said in one sentence',
  (version) => {
    expect(nodeProblem(version)).toMatch(
      /^offshoot: Node 24\.15 or newer is needed, and this is .*\n {2}install it, .*\n$/,
    )
  },
)

test.each(['24.15.0', '24.21.0', '25.0.0', '26.1.0-nightly'])('Node %s will do', (version) => {
  expect(nodeProblem(version)).toBeUndefined()
})

test('that is what the package says', () => {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  expect(JSON.parse(manifest)).toMatchObject({ engines: { node: '>=24.15' } })
  expect(nodeProblem(process.versions.node)).toBeUndefined()
})
