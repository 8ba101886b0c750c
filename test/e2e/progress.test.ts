import { spawnSync } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Screen } from '../support/screen.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser

beforeEach(() => {
  user = new TestUser({ 'a.txt': 'text\n' })
})

afterEach(() => user.remove())

const HEAD = expect.stringMatching(/^offshoot: model scripted:/)

describe('the tree of a run on a terminal', () => {
  it('stays above the answer, at 80 and at 40 columns', async () => {
    expect(await afterRun(80)).toEqual([
      HEAD,
      '● 3 subagents ended in TIME · 2 done, 1 failed · 2 tools · $0',
      '  ✓ ◎  explore    list the files — done in TIME · 1 tool · $0: Found one file.',
      expect.stringMatching(/^ {2}✗ ●  general {4}count words — failed after TIME · 0 tools · \$0: .*…$/),
      '  ✓ ◎  explore    測試 😀 read it — done in TIME · 1 tool · $0: Read it.',
      'The answer is here.',
      '',
      '✓ main — done in TIME · 5 tools · $0 in all',
    ])
    expect(await afterRun(40)).toEqual([
      HEAD,
      '● 3 subagents ended in TIME',
      '  ✓ ◎  explore list the files',
      expect.stringMatching(/^ {4}done in TIME · 1 tool · \$0: Found/),
      '  ✗ ●  general count words',
      expect.stringMatching(/^ {4}failed after TIME · 0 tools · \$0/),
      '  ✓ ◎  explore 測試 😀 read it',
      expect.stringMatching(/^ {4}done in TIME · 1 tool · \$0: Read/),
      'The answer is here.',
      '',
      '✓ main',
      '  done in TIME · 5 tools · $0 in all',
    ])
  })

  it('shows who works, who waits for a slot, and after Ctrl-C that they are paused', async () => {
    const program = user.terminal(['run', 'hi', '-m', slow()], { columns: 80, env: { NO_COLOR: '1' } })
    await program.untilStdout('· 1 tool')
    expect(rows(program.stdout, 80)).toEqual([
      HEAD,
      '● 4 explore subagents at work · 2 queued · TIME',
      // what it does now: the call that runs, or the model after it
      expect.stringMatching(/^ {2}◐ ◎  explore {4}part 1 — (?:Glob \*\*\/\*\.ts|Thinking) · TIME · 1 tool$/),
      ...[2, 3, 4].map((n) => expect.stringMatching(new RegExp(`^ {2}◐ ◎  explore {4}part ${n} — `))),
      '  ⧗ ◎  explore    part 5 — Queued (number 1 of 2)',
      '  ⧗ ◎  explore    part 6 — Queued (number 2 of 2)',
      'Ctrl-C pauses and exits; a second one cancels',
    ])
    program.type('\u0003')
    const ended = await program.ended
    expect(ended.code).toBe(130)
    expect(rows(ended.stdout, 80)).toContain('● 6 explore subagents ended in TIME · 6 paused · 1 tool · $0')
    expect(ended.stdout).not.toMatch(/\u001b\[\d*m/)
  })

  it('survives a change of the width: nothing above it is lost, nothing of it stands there twice', async () => {
    const program = user.terminal(['run', 'hi', '-m', slow()], { columns: 80 })
    await program.untilStdout('· 1 tool')
    resize(40)
    await program.untilStdout('explore part 1') // on a row of its own
    program.type('\u0003')
    const { stdout } = await program.ended
    const screen = new Screen(80, 50)
    // the first picture for the new width: what was still written for the old one came before
    const before = stdout.lastIndexOf('\r\u001b[', stdout.indexOf('explore part 1'))
    screen.write(stdout.slice(0, before))
    screen.resize(40)
    screen.write(stdout.slice(before))
    expect(screen.lines[0]).toMatch(/^offshoot: model scripted:/)
    expect(screen.lines.filter((line) => line.startsWith('●'))).toEqual([
      expect.stringMatching(/^● 6 explore subagents ended in /),
    ])
    for (let n = 1; n <= 6; n++)
      expect(screen.lines.filter((line) => line.includes(`part ${n}`)).length).toBe(1)
  })

  it('is not drawn where events are written to the same terminal', async () => {
    const args = ['run', 'hi', '-m', quick(), '--output-format', 'events']
    const { stdout } = await user.terminal(args, { columns: 80 }).ended
    expect(stdout).not.toMatch(/\u001b\[\d*[A-LN-Za-ln-z]/)
    const lines = stdout
      .trim()
      .split('\r\n')
      .filter((line) => line.startsWith('{'))
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toContain('run.completed')
  })
})

const task = (subagent_type: string, description: string) => ({
  tool: 'task',
  input: { subagent_type, description, prompt: description },
})

function quick(): string {
  const list = { toolCalls: [{ tool: 'list', input: { path: '.' } }] }
  const read = { toolCalls: [{ tool: 'read', input: { path: 'a.txt' } }] }
  return user.script({
    main: [
      {
        toolCalls: [
          task('explore', 'list the files'),
          task('general', 'count words'),
          task('explore', '測試 😀 read it'),
        ],
      },
      { text: 'The answer\nis here.' },
    ],
    explore: [
      { match: 'list the files', ...list },
      { match: 'read it', ...read },
      { match: 'a.txt$', text: 'Found one file. It is small.' },
      { text: 'Read it.' },
    ],
    general: [{ error: { status: 400 } }],
  })
}

/** Six subagents for four slots, of which the first makes a call and then thinks for a minute, as the others do. */
function slow(): string {
  const parts = [1, 2, 3, 4, 5, 6].map((n) => task('explore', `part ${n}`))
  const wait = { delayMs: 60_000, text: 'Late.' }
  const glob = { match: 'part 1', toolCalls: [{ tool: 'glob', input: { pattern: '**/*.ts' } }] }
  return user.script({
    main: [{ toolCalls: parts }, { text: 'Never.' }],
    explore: [glob, ...parts.map(() => wait)],
  })
}

async function afterRun(columns: number): Promise<string[]> {
  const { stdout } = await user.terminal(['run', 'hi', '-m', quick()], { columns }).ended
  return rows(stdout, columns)
}

/** The lines that a person sees, with a word for what is different each time. */
function rows(stdout: string, columns: number): string[] {
  const screen = new Screen(columns, 50)
  screen.write(stdout)
  return screen.lines.map((line) => line.replaceAll(/\b\d+(\.\d)?s\b/g, 'TIME').replaceAll(/[◓◑◒]/g, '◐'))
}

/** Changes the width of the terminal that the program of this user writes to. */
function resize(columns: number): void {
  const terminal = user
    .processes()
    .map((pid) => readlinkSync(`/proc/${pid}/fd/2`))
    .find((path) => path.startsWith('/dev/pts/'))
  spawnSync('stty', ['-F', terminal!, 'cols', String(columns)])
}
