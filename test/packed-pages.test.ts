import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { packedPages } from '../scripts/packed-pages.mjs'

const ROOT = join(import.meta.dirname, '..')
const PACKED = [...packedPages, 'README.md', 'LICENSE', 'CHANGELOG.md']

const pages = PACKED.flatMap((name) =>
  statSync(join(ROOT, name)).isDirectory() ? globSync(`${name}/**/*.md`, { cwd: ROOT }) : [name],
).filter((name) => name.endsWith('.md'))

test('every relative link of a packed page leads to a packed file', () => {
  const dead = pages.flatMap((page) =>
    linksOf(readFileSync(join(ROOT, page), 'utf8'))
      .filter((link) => !isPacked(relative(ROOT, join(ROOT, dirname(page), link))))
      .map((link) => `${page}: ${link}`),
  )
  expect(pages.length).toBeGreaterThan(40)
  expect(dead).toEqual([])
})

/** Code is no link. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)\s]*)?\)/g)].map(([, path]) => path!)
}

function isPacked(path: string): boolean {
  const isNamed = PACKED.some((name) => path === name || path.startsWith(`${name}/`))
  return isNamed && existsSync(join(ROOT, path))
}
