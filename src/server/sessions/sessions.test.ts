import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { handClock, type HandClock } from '../../testing.ts'
import { LINK_MS, LinkKeys } from './link-keys.ts'
import { bounds } from '../../core/limits.ts'
import { Sessions } from './sessions.ts'

let home: string
let clock: HandClock
let said: string[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'offshoot-sessions-'))
  clock = handClock()
  said = []
})
afterEach(() => rmSync(home, { recursive: true }))

function server({ token = 'a'.repeat(43), port = 4680 } = {}): Sessions {
  return new Sessions({ home, token, port, clock, log: (line) => void said.push(line) })
}

const file = () => join(home, 'sessions.json')

describe('a session', () => {
  test('ends after a day to the millisecond, however much it is used, and what it has open ends with it', async () => {
    const sessions = server()
    const { id, token, expiresAt } = sessions.open('Firefox')
    expect(expiresAt).toBe(clock.now() + bounds.sessionMs)
    const { signal } = sessions.find(token)!
    for (let hour = 0; hour < 23; hour++) {
      await clock.advance(60 * 60_000)
      expect(sessions.find(token)?.id).toBe(id)
    }
    await clock.advance(60 * 60_000 - 1)
    expect([sessions.find(token)?.id, signal.aborted]).toEqual([id, false])
    await clock.advance(1)
    expect([sessions.find(token), signal.aborted, sessions.list()]).toEqual([undefined, true, []])
    expect(readFileSync(file(), 'utf8')).not.toContain(id)
  })

  test('outlasts a restart of the server on the same port, and no longer than its day', async () => {
    const first = server()
    const { id, token } = first.open('Firefox')
    first.close()
    await clock.advance(bounds.sessionMs - 1)
    const second = server()
    expect(second.find(token)?.id).toBe(id)
    second.close()
    await clock.advance(1)
    expect(server().find(token)).toBeUndefined()
  })

  test('is of one installation and one port', () => {
    const { token } = server().open('Firefox')
    expect(server().find(token)).toBeDefined()
    expect(server({ port: 4681 }).find(token)).toBeUndefined()
    expect(server({ token: 'b'.repeat(43) }).find(token)).toBeUndefined()
    // a record that is given another port is no session of that port
    writeFileSync(file(), readFileSync(file(), 'utf8').replace('4680', '4681'))
    expect(server({ port: 4681 }).find(token)).toBeUndefined()
  })

  test('is revoked, alone or with all others, and stays revoked after a restart', () => {
    const sessions = server()
    const [one, two, three] = ['one', 'two', 'three'].map((name) => sessions.open(name))
    const signal = sessions.find(one!.token)!.signal
    expect([sessions.end(one!.id), sessions.end(one!.id), sessions.end('ses_none')]).toEqual([
      true,
      false,
      false,
    ])
    expect(signal.aborted).toBe(true)
    expect(sessions.find(one!.token)).toBeUndefined()
    expect(
      server()
        .list()
        .map(({ id }) => id),
    ).toEqual([three!.id, two!.id])
    expect(sessions.endAll()).toBe(2)
    expect([sessions.find(two!.token), server().find(three!.token)]).toEqual([undefined, undefined])
  })

  test('that is revoked where nothing can be written has ended all the same, and it is said', () => {
    const sessions = server()
    const { id, token } = sessions.open('Firefox')
    rmSync(home, { recursive: true })
    expect(() => sessions.end(id)).toThrow('cannot be written')
    expect(sessions.find(token)).toBeUndefined()
    expect(() => sessions.open('Chrome')).toThrow('cannot be written')
    mkdirSync(home)
  })

  test('leaves nothing of its token in the file, which is for its user alone', () => {
    const { token } = server().open('Mozilla/5.0 \u001b[31mFirefox\u202e')
    expect(readFileSync(file(), 'utf8')).not.toContain(token)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(server().list()[0]!.browser).not.toMatch(/[\u001b\u202e]/)
  })

  test('is listed with its last use, also after a restart', async () => {
    const sessions = server()
    const { token, createdAt } = sessions.open('Firefox')
    await clock.advance(90_000)
    sessions.find(token)
    expect(sessions.list()[0]).toMatchObject({ createdAt, usedAt: createdAt + 90_000 })
    sessions.close()
    expect(server().list()[0]).toMatchObject({ usedAt: createdAt + 90_000 })
  })

  test('is one of at most a hundred: the oldest ends', () => {
    const sessions = server()
    const first = sessions.open('first')
    for (let i = 0; i < 100; i++) sessions.open(`${i}`)
    expect(sessions.find(first.token)).toBeUndefined()
    expect(sessions.list()).toHaveLength(100)
  })

  test.each([
    '{',
    '[]',
    '{"sessions": [{}]}',
    '{"sessions": [], "more": 1}',
    JSON.stringify({
      sessions: [
        {
          id: 'ses_000000000000',
          hash: 'x'.repeat(43),
          port: 4680,
          createdAt: 0,
          expiresAt: 9e15,
          usedAt: 0,
          browser: '',
        },
      ],
    }),
  ])('of a file that is none lets nobody in: %s', (text) => {
    writeFileSync(file(), text)
    expect(server().list()).toEqual([])
    expect(said).toEqual([expect.stringContaining('every browser must sign in again')])
    server().open('Firefox') // and the file is mended
    expect(server().list()).toHaveLength(1)
    expect(existsSync(`${file()}.${process.pid}`)).toBe(false)
  })
})

describe('the key of a link', () => {
  test('is 32 bytes, and is taken once', () => {
    const keys = new LinkKeys(clock)
    const key = keys.make()
    expect(Buffer.from(key, 'base64url')).toHaveLength(32)
    expect([keys.use(key), keys.use(key), keys.use('')]).toEqual(['used', 'wrong', 'wrong'])
  })

  test('is taken for ten minutes', async () => {
    const keys = new LinkKeys(clock)
    const [one, two] = [keys.make(), keys.make()]
    await clock.advance(LINK_MS - 1)
    expect(keys.use(one)).toBe('used')
    await clock.advance(1)
    expect(keys.use(two)).toBe('wrong')
  })

  test('is one of at most a hundred: the oldest is forgotten', () => {
    const keys = new LinkKeys(clock)
    const first = keys.make()
    for (let i = 0; i < 100; i++) keys.make()
    expect(keys.use(first)).toBe('wrong')
  })

  test('is taken however many wrong ones came before, which have to wait', async () => {
    const keys = new LinkKeys(clock)
    const answers = Array.from({ length: 30 }, () => keys.use('x'))
    expect(answers).toEqual([...Array<string>(20).fill('wrong'), ...Array<string>(10).fill('many')])
    expect(keys.use(keys.make())).toBe('used')
    await clock.advance(60_000)
    expect(keys.use('x')).toBe('wrong')
  })
})
