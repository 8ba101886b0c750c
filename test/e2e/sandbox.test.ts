import { randomInt } from 'node:crypto'
import { chmodSync, chownSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processIds } from '../../src/exec/process-table.ts'
import { inCell } from '../support/in-cell.ts'
import { ORDINARY_UID, programCopy, type ProgramCopy } from '../support/ordinary-user.ts'
import { commandLine, StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

/** A killed program leaves nothing after ten seconds. */
const IN_TIME = { timeout: 10_000, interval: 50 }

/** What a hostile repository could have in its test script. It prints `held`, and what it has reached. */
const HOSTILE = `
  for file in ~/.ssh/id_rsa ../home/token /etc/shadow; do cat $file 2>/dev/null | grep -q . && echo "read $file"; done
  cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q OFFSHOOT_HOME && echo "read an environment"
  echo x > ../outside; echo x > ~/outside
  for file in /etc/outside /usr/outside ~/../outside/x; do (echo x > $file) 2>/dev/null && echo "wrote $file" ; done
  mv .git g2 2>/dev/null && cp -a g2 .git 2>/dev/null
  for file in .git/config .git/hooks/post-commit offshoot.jsonc; do
    (echo evil >> $file) 2>/dev/null; ln $file linked 2>/dev/null && echo evil >> linked; rm -f $file 2>/dev/null; (echo evil > $file) 2>/dev/null
  done
  unshare -Urm true 2>/dev/null && echo "made a namespace"
  timeout 2 bash -c ': < /dev/tcp/192.0.2.1/80' 2>/dev/null && echo "connected"
  env -i setsid sleep TIME > /dev/null 2>&1 &
  echo held`

const users: TestUser[] = []
const copies: ProgramCopy[] = []
afterAll(() => {
  for (const user of users) user.remove()
  for (const { folder } of copies) rmSync(folder, { recursive: true, force: true })
})

const sleeping = (time: string) => processIds().filter((pid) => commandLine(pid) === `sleep ${time}`)

function hostileUser(uid: number | undefined) {
  const time = String(randomInt(1e6, 1e9))
  const user = new TestUser({
    'test.sh': HOSTILE.replace('TIME', time),
    'offshoot.jsonc': '{}',
    '.git/config': '[core]\n',
    '.git/hooks/post-commit': '#!/bin/sh\n',
  })
  users.push(user)
  user.write('../.ssh/id_rsa', 'a key\n')
  const paths = [
    '.',
    '..',
    '../.ssh',
    '../.ssh/id_rsa',
    'test.sh',
    'offshoot.jsonc',
    '.git',
    '.git/config',
    '.git/hooks',
    '.git/hooks/post-commit',
  ]
  if (uid !== undefined) for (const path of paths) chownSync(join(user.directory, path), uid, uid)
  return { user, time }
}

const kept = (user: TestUser) =>
  ['.git/config', '.git/hooks/post-commit', 'offshoot.jsonc'].map((name) =>
    readFileSync(join(user.directory, name), 'utf8'),
  )

function script(user: TestUser, end: object) {
  return user.script({ main: [{ toolCalls: [{ tool: 'bash', input: { command: 'sh test.sh' } }] }, end] })
}

const ARGS = ['--sandbox', 'required', '--allow', 'bash', '--output-format', 'events']

describe.each([
  ['the user of the tests', undefined],
  ['an ordinary user', ORDINARY_UID],
])('a hostile repository, as %s', (_, uid) => {
  let copy: ProgramCopy | undefined
  beforeAll(() => {
    if (uid === undefined) return
    copy = programCopy()
    chmodSync(copy.folder, 0o755)
    copies.push(copy)
  })

  test(
    'reaches nothing, and leaves nothing',
    inCell(async () => {
      const { user, time } = hostileUser(uid)
      const args = ['run', 'Go.', '-m', script(user, { text: 'Done.' }), ...ARGS]
      const before = kept(user)
      const { code, stdout, stderr } = copy
        ? await new StartedProgram([copy.node, copy.main, ...args], {
            cwd: user.directory,
            env: user.env,
            uid: uid!,
          }).ended
        : await user.run(args)
      expect([code, stderr]).toEqual([0, expect.any(String)])
      expect(stdout).toMatch(/"held\\n\(exit code 0/)
      expect(kept(user)).toEqual(before)
      expect(existsSync(join(user.root, 'outside'))).toBe(false)
      expect(sleeping(time)).toEqual([])
    }),
  )
})

test(
  'a program that is killed leaves no process of its cells',
  inCell(async () => {
    const { user, time } = hostileUser(undefined)
    const program = user.start([
      'run',
      'Go.',
      '-m',
      script(user, { text: 'Done.', delayMs: 600_000 }),
      ...ARGS,
    ])
    await expect.poll(() => sleeping(time).length, { timeout: 30_000 }).toBe(1)
    program.kill('SIGKILL')
    await program.ended
    await expect.poll(() => sleeping(time), IN_TIME).toEqual([])
    await expect
      .poll(() => user.processes().filter((pid) => commandLine(pid).includes('bwrap')), IN_TIME)
      .toEqual([])
  }),
)
