import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
let script: string

beforeAll(() => {
  user = new TestUser({ 'a.txt': 'the colour is decided here\n' })
  script = user.script({ '*': Array.from({ length: 50 }, () => ({ text: 'Good.' })) })
})

afterAll(() => user.remove())

describe('the prompt on stdin', () => {
  it('may have 10 MB for the offline model, and whatever bytes', async () => {
    const noise = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7_919) % 256))
    const [large, bytes] = await Promise.all([
      user.run(['run', '-m', 'offline'], { input: 'Where is the colour decided? '.repeat(350_000) }),
      user.run(['run', '-m', 'offline'], { input: noise }),
    ])
    expect(large.code).toBe(0)
    expect(large.stdout).toContain('a.txt:1 `the colour is decided here`')
    expect(bytes.code).toBe(0)
    expect(bytes.stdout).not.toBe('')
  })

  it('may be missing, empty or a directory: wrong usage', async () => {
    const closed = raw('exec "$1" "$2" run <&-')
    const directory = raw('exec "$1" "$2" run </')
    for (const ended of await Promise.all([
      user.run(['run', '-m', script], { input: '' }),
      closed,
      directory,
    ])) {
      expect(ended).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^offshoot: .*prompt.*\n.*\n$/),
      })
    }
  })

  it('gives no control character to what is shown of it', async () => {
    const prompt = 'Say\u001b[2J \u0000good\u009b31m.\r\u202e'
    const { code, stdout, stderr } = await user.run(['run', '-m', script], { input: prompt })
    const list = await user.run(['ls'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Good.\n' })
    for (const text of [stderr, list.stdout]) expect(text).not.toMatch(CONTROL)
  })
})

describe('a stream that somebody has closed', () => {
  it('ends the program quietly, whoever was to read it', async () => {
    const [run, events, help, none, both] = await Promise.all([
      raw('"$@" 2>err-run; echo $? >&2', { stdout: 'closed' }),
      raw('"$@" --output-format events 2>err-events; echo $? >&2', { stdout: 'closed' }),
      raw('"$1" "$2" --help 2>err-help; echo $? >&2', { stdout: 'closed' }),
      raw('exec "$@" >&-'),
      raw('exec "$@" 2>&-'),
    ])
    for (const ended of [run, events, help]) expect(ended.stderr).toBe('0\n')
    expect(none).toMatchObject({ code: 0 })
    expect(both).toMatchObject({ code: 0, stdout: 'Good.\n' })
    const shown = await raw('cat err-run err-events err-help')
    expect(shown.stdout).not.toMatch(/Error|\n\s+at /)
  })

  it('stops a run whose events nobody reads any more', async () => {
    const hanging = user.script(
      { main: [{ toolCalls: [{ tool: 'list', input: {} }] }, { text: 'x', delayMs: 3_600_000 }] },
      'hanging.json',
    )
    const ended = await raw(`set -- "$1" "$2" run hi -m ${hanging} --output-format events; "$@" | head -n 1`)
    expect(ended.stdout.split('\n')).toHaveLength(2)
    expect(ended.stderr).not.toMatch(/Error|\n\s+at /)
    expect(user.rows('select status, reason from runs order by id desc limit 1')).toEqual([
      { status: 'paused', reason: 'restart' },
    ])
    expect(user.processes()).toEqual([])
  })

  it('is an error where it is full, and none of the work is lost', async () => {
    const [out, err] = await Promise.all([raw('exec "$@" >/dev/full'), raw('exec "$@" 2>/dev/full')])
    expect(out).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^offshoot: the output cannot be written: ENOSPC/m),
    })
    expect(out.stderr).not.toMatch(/\n\s+at |defect/)
    expect(err).toMatchObject({ code: 0, stdout: 'Good.\n' })
  })
})

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

interface RawEnded {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A shell command around a good run (`"$@"`), its streams wired as the test wants them. */
function raw(command: string, { stdout = 'read' }: { stdout?: 'read' | 'closed' } = {}): Promise<RawEnded> {
  const args = ['-c', command, 'sh', ...user.command(['run', 'hi', '-m', script])]
  const child = spawn('/bin/sh', args, {
    cwd: user.directory,
    env: user.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  if (stdout === 'closed') child.stdout.destroy()
  else child.stdout.on('data', (data: Buffer) => (texts.stdout += data.toString()))
  child.stderr.on('data', (data: Buffer) => (texts.stderr += data.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })))
}
