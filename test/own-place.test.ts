import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownPlace } from '../scripts/own-place.mjs'
import { temporaryFolder } from './support/fresh-copy.ts'

const root = temporaryFolder('root')
beforeAll(() => {
  mkdirSync(join(root, 'src/tools/prompts'), { recursive: true })
  mkdirSync(join(root, 'src/tools/fixtures'))
  for (const name of ['read.txt', 'page.css', 'worker.ts', 'fixtures/sample.md'])
    writeFileSync(join(root, 'src/tools', name), '')
})
afterAll(() => rmSync(root, { recursive: true }))

/** What the build makes of `src/tools/read.ts`. */
function transformed(code: string): string {
  const programs = { 'src/tools/watch.ts': 'watch' }
  return ownPlace(root, programs).transform.handler(code, join(root, 'src/tools/read.ts'))
}

describe('a module in a bundle', () => {
  it('sees the place that it would have had', () => {
    const code = `// 🙂 import.meta.url\nconst a = new URL('./read.txt', import.meta.url), b = import.meta.url\n`
    const place = 'new URL("./src/tools/read.ts", import.meta.url).href'
    expect(transformed(code)).toBe(
      `// 🙂 import.meta.url\nconst a = new URL('./read.txt', ${place}), b = ${place}\n`,
    )
  })

  it('may name a style sheet', () => {
    expect(transformed(`new URL('page.css', import.meta.url)`)).toContain('src/tools/read.ts')
  })

  it('may name a folder or the manifest, and keeps what else import.meta has', () => {
    expect(transformed(`new URL('../../package.json', import.meta.url)`)).toContain('src/tools/read.ts')
    expect(transformed(`new URL('./prompts/', import.meta.url)`)).toContain('src/tools/read.ts')
    expect(transformed('if (import.meta.main) start()')).toBe('if (import.meta.main) start()')
  })

  it('names the bundle of a program that it starts', () => {
    const code = `start(new URL('./watch.ts', import.meta.url), new URL('../tools/watch.ts', import.meta.url))`
    const bundle = 'new URL("../../watch.js", new URL("./src/tools/read.ts", import.meta.url).href)'
    expect(transformed(code)).toBe(`start(${bundle}, ${bundle})`)
  })

  it.each(['./missing.txt', './worker.ts', './missing/', './fixtures/sample.md', '../../.npmrc'])(
    'may not name %s',
    (name) => {
      expect(() => transformed(`new URL('${name}', import.meta.url)`)).toThrow(
        `${name} is not copied to dist`,
      )
    },
  )

  it.each(['dirname', 'filename'])('may not ask for import.meta.%s', (name) => {
    expect(() => transformed(`console.log(import.meta.${name})`)).toThrow("is the bundle's place")
  })
})
