import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { inCell, thisMachine } from '../../../test/support/in-cell.ts'
import { findSandbox } from './find-sandbox.ts'
import { startCell } from './start-cell.ts'

const folder = mkdtempSync(join(tmpdir(), 'offshoot-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A directory with a bwrap that prints this and fails, as a refused one does. */
function bubblewrapThatSays(text: string, name: string): string {
  const directory = join(folder, name)
  mkdirSync(directory)
  const program = join(directory, 'bwrap')
  const quoted = text.replaceAll("'", String.raw`'\''`)
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = --version ] && echo 'bubblewrap 0.8.0' && exit\necho '${quoted}' >&2\nexit 1\n`,
  )
  chmodSync(program, 0o755)
  return directory
}

const find = (path: string | undefined, ...directories: readonly string[]) =>
  findSandbox({ path, directories, platform: 'linux' })

test(
  'it is found with its version',
  inCell(async () => {
    expect(thisMachine).toEqual({
      kind: 'bubblewrap',
      program: expect.stringMatching(/^\/.*\/bwrap$/),
      version: expect.stringMatching(/^\d+\.\d+/),
    })
  }),
)

test('without bubblewrap there is none', async () => {
  const none = { kind: 'none', why: 'bubblewrap is not installed: there is no bwrap on PATH' }
  for (const path of [undefined, '', '/no/such/directory', 'relative:.'])
    expect(await find(path)).toEqual(none)
})

test.each([
  ['darwin', 'there is none for macOS yet: the Seatbelt profile for it has never been run'],
  ['win32', 'there is none for this system (win32) yet'],
] as const)('another system has none: %s', async (platform, why) => {
  expect(await findSandbox({ path: '/usr/bin', directories: ['/'], platform })).toEqual({ kind: 'none', why })
})

test.each([
  [
    'seccomp',
    'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.',
    /^this machine allows no new user namespaces/,
  ],
  [
    'too-many',
    'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
    /^no more user namespaces are allowed/,
  ],
  ['uid-map', 'bwrap: setting up uid map: Permission denied', /^AppArmor restricts user namespaces/],
  ['loopback', 'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', /^AppArmor restricts/],
  ['proc', "bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /^a \/proc of its own/],
  ['slave', 'bwrap: Failed to make / slave: Permission denied', /^this machine allows no mounts/],
  ['old', 'bwrap: Unknown option --disable-userns', /^this bubblewrap is too old: 0\.8 is needed/],
  ['other', 'bwrap: Something new\nand more', /^bubblewrap: Something new$/],
])('what the kernel refuses is said in one line: %s', async (name, text, said) => {
  const found = await find(bubblewrapThatSays(text, name))
  expect(found).toEqual({ kind: 'none', why: expect.stringMatching(said) })
  expect(JSON.stringify(found)).not.toContain(String.raw`\n`)
})

test('a cell whose bubblewrap is gone by now says the same', async () => {
  const none = { home: null, shown: [], pinned: [], readOnly: [], hidden: [] }
  const layout = { workspace: folder, writable: [folder], ...none }
  await expect(startCell({ bubblewrap: 'bwrap-gone', layout, marks: {} })).rejects.toThrow(
    /^the sandbox cannot be used: bubblewrap is not installed: there is no bwrap on PATH$/,
  )
})

test('no program of the workspace is taken, by whatever name', async () => {
  const workspace = bubblewrapThatSays('never started', 'workspace')
  const linked = join(folder, 'linked')
  mkdirSync(linked)
  symlinkSync(join(workspace, 'bwrap'), join(linked, 'bwrap'))
  expect(await find(`${workspace}:${linked}`, workspace)).toMatchObject({
    why: 'bubblewrap is not installed: there is no bwrap on PATH',
  })
})
