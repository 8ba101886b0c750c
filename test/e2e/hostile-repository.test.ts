import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { processIds } from '../../src/exec/process-table.ts'
import { DEEDS, doneOf, hostileScript } from '../support/hostile-deeds.ts'
import { Victim } from '../support/hostile-victim.ts'
import { inCell } from '../support/in-cell.ts'
import { ORDINARY_UID, programCopy, type ProgramCopy } from '../support/ordinary-user.ts'
import { commandLine } from '../support/started-program.ts'

/** A killed program leaves nothing after ten seconds. */
const IN_TIME = { timeout: 10_000, interval: 50 }
/** Its script starts the program a dozen times. */
const SLOW = { timeout: 600_000 }
const HOSTILE = { toolCalls: [{ tool: 'bash', input: { command: 'sh test.sh', timeout_ms: 600_000 } }] }

let copy: ProgramCopy
beforeAll(() => {
  copy = programCopy()
  chmodSync(copy.folder, 0o755)
})
afterAll(() => rmSync(copy.folder, { recursive: true, force: true }))

/** What was done, of all that was tried. */
async function tried(uid: number | undefined, sandbox: 'required' | 'off'): Promise<string[]> {
  await using victim = new Victim(copy, uid)
  const place = await victim.place()
  victim.user.write('test.sh', hostileScript(place))
  const model = victim.user.script({ main: [HOSTILE, { text: 'Done.' }] })
  const how = ['--sandbox', sandbox, '--allow', 'bash', '--output-format', 'events']
  const ended = await victim.start(['run', 'Go.', '-m', model, ...how]).ended
  const { code, stdout, stderr } = ended
  if (code !== 0 || !/over\\n\(exit code 0/.test(stdout)) throw new Error(`${stdout}\n${stderr}`)
  return doneOf(victim.result(place, ended))
}

const namesOf = (deeds: typeof DEEDS) => deeds.map(({ name }) => name)

describe.each([
  ['the user of the tests', undefined],
  ['an ordinary user', ORDINARY_UID],
])('a hostile repository, as %s', (_, uid) => {
  test(
    'reaches nothing in the sandbox, answers nothing, and leaves nothing',
    inCell(async () => {
      expect(await tried(uid, 'required')).toEqual(namesOf(DEEDS.filter(({ confined }) => confined)))
    }),
    SLOW.timeout,
  )

  test('does without a sandbox what docs/security.md says, and nothing else', SLOW, async () => {
    const isRoot = uid === undefined && process.getuid?.() === 0
    const can = DEEDS.filter(
      ({ row, confined, root, open }) => !open && (confined || row !== undefined) && (!root || isRoot),
    )
    const open = namesOf(DEEDS.filter((deed) => deed.open))
    expect((await tried(uid, 'off')).filter((name) => !open.includes(name))).toEqual(namesOf(can))
  })
})

/** Of the table of what escapes without a sandbox: what can be done, and what becomes of it in one. */
function rowsOfThePage(): { readonly what: string; readonly confined: string }[] {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  const [, table = ''] = /^\| without a sandbox it can .*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page) ?? []
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, what = '', , confined = '']) => ({ what, confined }))
}

test('each row of docs/security.md about what escapes is tried, and no other is claimed', () => {
  const rows = rowsOfThePage()
  expect(new Set(DEEDS.flatMap(({ row }) => row ?? []))).toEqual(new Set(rows.map(({ what }) => what)))
  const confined = rows
    .filter(({ confined: text }) => /^the same|can be changed$/.test(text))
    .map(({ what }) => what)
  expect(new Set(DEEDS.flatMap((deed) => (deed.confined && deed.row) || []))).toEqual(new Set(confined))
})

test(
  'a program that is killed leaves no process of its cells',
  inCell(async () => {
    await using victim = new Victim(copy)
    const { user } = victim
    const sleeping = () => processIds().filter((pid) => commandLine(pid) === `sleep ${victim.time}`)
    const command = `env -i setsid sleep ${victim.time} > /dev/null 2>&1 &`
    const calls = { toolCalls: [{ tool: 'bash', input: { command } }] }
    const model = user.script({ main: [calls, { text: 'Done.', delayMs: 600_000 }] })
    const program = user.start(['run', 'Go.', '-m', model, '--sandbox', 'required', '--allow', 'bash'])
    await expect.poll(() => sleeping().length, { timeout: 30_000 }).toBe(1)
    program.kill('SIGKILL')
    await program.ended
    await expect.poll(sleeping, IN_TIME).toEqual([])
    await expect
      .poll(() => user.processes().filter((pid) => commandLine(pid).includes('bwrap')), IN_TIME)
      .toEqual([])
  }),
)
