import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { protectedMounts } from '../../exec/sandbox/cell-layout.ts'
import { cellPlaces, layoutOf, whyNotConfined } from './cell-layout-of.ts'
import { protect } from './protected-paths.ts'

let home: string
beforeEach(() => {
  home = join(realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-test-'))), 'home')
  mkdirSync(join(home, 'work'), { recursive: true })
})
afterEach(() => rmSync(dirname(home), { recursive: true, force: true }))

function make(...names: string[]): string {
  for (const name of names) {
    mkdirSync(join(home, dirname(name)), { recursive: true })
    if (name.endsWith('/')) mkdirSync(join(home, name), { recursive: true })
    else writeFileSync(join(home, name), 'x')
  }
  return names.map((name) => join(home, name.replace(/\/$/, ''))).join(':')
}

function layout(env: Record<string, string>, own: readonly string[] = []) {
  const directories = [join(home, 'work')] as const
  const places = cellPlaces({ directories, ownDirectories: own, env: { HOME: home, ...env } })
  return layoutOf(places, protect(directories))
}

test('programs of the user are shown with what stands beside them, and the rest of the home is not', () => {
  const path = make('.nvm/versions/node/v24/bin/', '.local/bin/', 'bin/', '.local/share/', 'go/bin/')
  const { shown } = layout({
    PATH: `${path}:/usr/bin:relative:${home}/missing/bin:${home}/.local/../bin`,
    GOPATH: `${home}/go/`,
  })
  expect(shown).toEqual(
    expect.arrayContaining([`${home}/.nvm`, `${home}/.local/bin`, `${home}/bin`, `${home}/go`]),
  )
  expect(shown).not.toContain(home)
  expect(shown).not.toContain(`${home}/.local`)
})

test('what looks like a secret beside them is hidden, and so are the data of the program', () => {
  make('.cargo/bin/', '.cargo/credentials.toml', 'work/data/token')
  const { shown, hidden } = layout({ PATH: `${home}/.cargo/bin` }, [
    join(home, 'work/data'),
    join(home, 'elsewhere'),
  ])
  expect(shown).toEqual([`${home}/.cargo`])
  expect(hidden).toEqual([`${home}/work/data`, `${home}/.cargo/credentials.toml`])
})

test('the settings of a service beside its program are hidden in the home, as they hold tokens', () => {
  const path = make('.fly/bin/', '.railway/bin/', '.docker/bin/', 'tools/bin/', '.volta/bin/')
  make(
    '.fly/config.yml',
    '.railway/config.json',
    '.docker/config.json',
    'tools/list.json',
    '.volta/layout.v4',
  )
  expect(layout({ PATH: path }).hidden).toEqual(
    ['.fly/config.yml', '.railway/config.json', '.docker/config.json'].map((name) => join(home, name)),
  )
})

test('a directory on the PATH that leads to keys or to the home is not shown', () => {
  make('.ssh/', 'project/node_modules/')
  symlinkSync('../../.ssh', join(home, 'project/node_modules/.bin'))
  symlinkSync('..', join(home, 'project/links'))
  expect(layout({ PATH: `${home}/project/node_modules/.bin:${home}/project/links` }).shown).toEqual([])
})

test('what is hidden in the workspace cannot be moved from under its cover', () => {
  make('work/deep/data/token')
  expect(protectedMounts(layout({}, [join(home, 'work/deep/data')]))).toEqual([`${home}/work/deep`])
})

test('files of certificates that the environment names are shown, and nothing else that it names so', () => {
  const certificate = '-----BEGIN CERTIFICATE-----\n'
  const files = {
    'ca.pem': certificate,
    'both.pem': `${certificate}-----BEGIN PRIVATE KEY-----\n`,
    notes: 'x',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  const { shown } = layout({
    NODE_EXTRA_CA_CERTS: `${home}/ca.pem`,
    SSL_CERT_FILE: `${home}/ca.pem`,
    GIT_SSL_CAINFO: `${home}/both.pem`,
    PIP_CERT: `${home}/notes`,
    CURL_CA_BUNDLE: `${home}/missing`,
    SSL_CERT_DIR: home,
    REQUESTS_CA_BUNDLE: '/etc/ssl/certs/ca-certificates.crt',
  })
  expect(shown).toEqual([`${home}/ca.pem`])
})

test('neither the home, the disk nor keys are shown, whatever the PATH says', () => {
  make('.ssh/bin/')
  const { shown } = layout({
    PATH: `${home}:/:${home}/.ssh:${dirname(home)}:${home}/work:${home}/work/bin`,
    NVM_DIR: home,
  })
  expect(shown).toEqual([])
})

test('a directory that holds the home, by any name, cannot be confined', () => {
  const why = (directory: string, own = home) =>
    whyNotConfined(cellPlaces({ directories: [directory], ownDirectories: [], env: { HOME: own } }))
  symlinkSync(home, join(dirname(home), 'linked'))
  expect(why(home)).toMatch(/holds the home directory/)
  expect(why(dirname(home), join(dirname(home), 'linked'))).toMatch(/holds the home directory/)
  expect(why('/')).toMatch(/^\/ holds the home directory/)
  expect(why(join(home, 'work'))).toBeUndefined()
})
