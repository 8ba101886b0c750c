import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CellLayout } from './cell-layout.ts'
import { seatbeltProfile } from './seatbelt-profile.ts'

const layout: CellLayout = {
  workspace: '/Users/me/work',
  writable: ['/Users/me/work'],
  home: '/Users/me',
  shown: ['/opt/local'],
  pinned: ['/Users/me/work/.git'],
  readOnly: ['/Users/me/work/.git/hooks', '/Users/me/work/.github/agents'],
  hidden: ['/opt/local/id_rsa'],
}

/** The rules in their order, each with the names it is for. */
function rules(profile: string): { readonly what: string; readonly names: readonly string[] }[] {
  return [...profile.matchAll(/^\(([^()"\n]+)\n((?: {2}\(.*\)\n)+)\)$/gm)].map(([, what, body]) => ({
    what: what!,
    names: [...body!.matchAll(/^ {2}\(\S+ (".*")\)$/gm)].map(([, name]) => JSON.parse(name!) as string),
  }))
}

test('everything is denied that is not allowed, and the network is never allowed', () => {
  const profile = seatbeltProfile(layout, '/private/tmp/run')
  expect(profile).toMatch(/^\(version 1\)\n\(deny default\)\n/)
  expect(profile).not.toMatch(/network|allow default|\(allow file-write\*\)|\(allow file-read\*\)/)
})

test('the workspace and the temporary directory can be written, the home cannot even be listed', () => {
  const all = rules(seatbeltProfile(layout, '/private/tmp/run'))
  const namesOf = (what: string) => all.find((rule) => rule.what === what)!.names
  expect(namesOf('allow file-write*')).toEqual(['/Users/me/work', '/private/tmp/run'])
  expect(namesOf('allow file-read*')).toContain('/opt/local')
  expect(namesOf('allow file-read*')).not.toContain('/Users/me')
  expect(namesOf('allow file-read-metadata')).toEqual(expect.arrayContaining(['/', '/Users', '/Users/me']))
})

test('what is protected comes after what allows, so that it decides', () => {
  const all = rules(seatbeltProfile(layout, '/private/tmp/run'))
  expect(all.map(({ what }) => what).slice(-3)).toEqual([
    'deny file-write-unlink',
    'deny file-write*',
    'deny file-read* file-write*',
  ])
  const [kept, readOnly, hidden] = all.slice(-3).map(({ names }) => names)
  expect(kept).toEqual([
    '/Users/me/work',
    '/private/tmp/run',
    '/Users/me/work/.git',
    '/Users/me/work/.github',
  ])
  expect([readOnly, hidden]).toEqual([layout.readOnly, layout.hidden])
})

test('no name of a directory becomes a rule', () => {
  const name = fc
    .string({ unit: fc.constantFrom('a', '"', '\\', '(', ')', ' ', ';') })
    .map((text) => `/x${text}`)
  fc.assert(
    fc.property(name, (path) => {
      const profile = seatbeltProfile({ ...layout, writable: [path], readOnly: [] }, '/t')
      expect(rules(profile).find(({ what }) => what === 'allow file-write*')!.names).toEqual([path, '/t'])
      const plain = seatbeltProfile({ ...layout, writable: ['/x'], readOnly: [] }, '/t')
      const whats = (text: string) => rules(text).map(({ what }) => what)
      expect(whats(profile)).toEqual(whats(plain))
    }),
  )
})

test('a profile without anything protected has no empty rule', () => {
  const bare = { ...layout, shown: [], pinned: [], readOnly: [], hidden: [] }
  expect(seatbeltProfile(bare, '/t')).not.toMatch(/^\([^()]*\n\)/m)
})
