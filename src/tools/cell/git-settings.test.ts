import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BUBBLEWRAP, inCell } from '../../../test/support/in-cell.ts'
import { cellPlaces, type CellPlaces } from './cell-layout-of.ts'
import { closedNetwork } from './fixtures/closed-network.ts'
import { gitSettings } from './git-settings.ts'
import { RunCells } from './run-cells.ts'

let home: string
let root: string
let env: Record<string, string>
let places: CellPlaces

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-test-')))
  root = join(home, 'work')
  mkdirSync(root)
  env = { HOME: home, PATH: process.env['PATH']! }
  places = cellPlaces({ directories: [root], ownDirectories: [], env })
  execFileSync('git', ['init', '--quiet'], { cwd: root })
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

const PERSON = `[user]
  name = "Ann \\"A\\" \\\\ O'Neil #1"
  email = ann@example.com
  signingkey = secret
[credential]
  helper = store
[includeIf "gitdir:~/work/"]
  path = ~/.gitconfig-work
`

const settings = () => gitSettings(places, undefined)

test('who commits is taken from the settings of the person, and nothing else of them', async () => {
  expect(await settings()).toBe('')
  writeFileSync(join(home, '.gitconfig'), PERSON)
  const name = '[user]\n\tname = "Ann \\"A\\" \\\\ O\'Neil #1"\n'
  expect(await settings()).toBe(`${name}[user]\n\temail = "ann@example.com"\n`)
  writeFileSync(join(home, '.gitconfig-work'), '[user]\n  email = ann@work.example\n')
  expect((await settings()).split('\n').at(-2)).toBe('\temail = "ann@work.example"')
})

test('what a repository says, or a name without a value, is not taken for theirs', async () => {
  execFileSync('git', ['config', 'user.name', 'Mallory'], { cwd: root })
  expect(await settings()).toBe('')
  writeFileSync(join(home, '.gitconfig'), '[user]\n  name\n  email = "a\\n[core]\\n b"\n')
  expect(await settings()).toBe('[user]\n\temail = "a\\n[core]\\n b"\n')
})

test('without git there is nothing to say', async () => {
  expect(await gitSettings({ ...places, env: { ...env, PATH: join(home, 'nothing') } }, undefined)).toBe('')
})

test('a git of the workspace is not started', async () => {
  const bin = join(root, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch '${home}/started'\n`, { mode: 0o755 })
  writeFileSync(join(home, '.gitconfig'), '[user]\n  name = Ann\n')
  const PATH = `${bin}:${env['PATH']!}`
  expect(await gitSettings({ ...places, env: { ...env, PATH } }, undefined)).toContain('Ann')
  expect(existsSync(join(home, 'started'))).toBe(false)
})

test(
  'a commit in a cell names the person, or whom the repository names',
  inCell(async () => {
    writeFileSync(join(home, '.gitconfig'), PERSON)
    const commits = () => execFileSync('git', ['log', '--format=%an <%ae>'], { cwd: root, encoding: 'utf8' })
    const cells = new RunCells({ bubblewrap: BUBBLEWRAP, places, network: closedNetwork, owner: 'own_x' })
    const command = `git commit --quiet --allow-empty -m one && ls -A ~ && git config --global a.b c`
    const args = ['-c', `{ ${command}; } 2>&1`]
    const commit = (run: string) =>
      cells.of(run).run({ program: 'bash', args, directory: root, environment: env })
    try {
      expect((await commit('run_1')).result).toMatchObject({ exitCode: 0, output: '.gitconfig\nwork\n' })
      expect(commits()).toBe(`Ann "A" \\ O'Neil #1 <ann@example.com>\n`)
      execFileSync('git', ['config', 'user.email', 'ann@repository.example'], { cwd: root })
      expect((await commit('run_2')).result).toMatchObject({ exitCode: 0 })
      expect(commits()).toContain(`Ann "A" \\ O'Neil #1 <ann@repository.example>\n`)
    } finally {
      await cells.close()
    }
  }),
)
