import { chmodSync, chownSync, readdirSync, readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { vi } from 'vitest'
import { processIds } from '../../src/exec/process-table.ts'
import type { HostilePlace, HostileResult } from './hostile-deeds.ts'
import type { ProgramCopy } from './ordinary-user.ts'
import { commandLine, StartedProgram, type Ended } from './started-program.ts'
import { TestUser } from './test-user.ts'

const FILES = {
  'offshoot.jsonc': '{}',
  '.env': 'KEY=a secret\n',
  'build.sh': '#!/bin/sh\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[core]\n',
  '.git/refs/heads/.keep': '',
  '.git/objects/.keep': '',
  '.git/worktrees/other/commondir': '../..\n',
  '.git/worktrees/other/gitdir': '/elsewhere/other/.git\n',
  '.git/hooks/post-commit': '#!/bin/sh\n',
  '.git/hooks/post-merge': '#!/bin/sh\n',
}
const TOUCH = { toolCalls: [{ tool: 'bash', input: { command: 'touch approved' } }] }

/** Somebody with a server that waits for two answers, an ended conversation, and a service of their own. */
export class Victim {
  readonly user = new TestUser(FILES)
  readonly time = String(randomInt(1e6, 1e9))
  readonly reached = new Set<'loopback' | 'socket'>()
  readonly #copy: ProgramCopy
  readonly #uid: number | undefined
  readonly #undo: (() => unknown)[] = [() => this.user.remove()]

  constructor(copy: ProgramCopy, uid?: number) {
    this.#copy = copy
    this.#uid = uid
    this.user.write('../.ssh/id_rsa', 'a key\n')
    this.user.write('../.bashrc', '')
  }

  start(args: readonly string[]): StartedProgram {
    const { env, directory, root } = this.user
    if (this.#uid !== undefined) giveTo(this.#uid, root)
    const path = `${join(this.#copy.folder, 'bin')}:${env['PATH']}`
    return new StartedProgram([this.#copy.node, this.#copy.main, ...args], {
      cwd: directory,
      env: { ...env, PATH: path, HOSTILE_SECRET: this.time },
      ...(this.#uid !== undefined && { uid: this.#uid }),
    })
  }

  /** What a script can find. */
  async place(): Promise<HostilePlace> {
    const { user, time } = this
    const port = await this.#listen('loopback', 0)
    const socket = join(user.root, 'service')
    await this.#listen('socket', socket)
    await succeeded(this.start(['run', 'Nothing.', '-m', user.script({ main: [{ text: 'Done.' }] })]))
    const [conversation] = user.rows('SELECT id FROM conversations')
    const server = this.start(['serve', '--port', '0'])
    this.#undo.push(async () => {
      server.kill('SIGTERM')
      await server.ended
    })
    await server.untilStdout('listening on ')
    const url = /listening on (\S+)/.exec(server.stdout)![1]!
    const token = readFileSync(join(user.home, 'token'), 'utf8').trim()
    for (const name of ['one', 'two']) {
      const model = user.script({ main: [TOUCH, { text: 'Done.' }] }, `${name}.json`)
      await this.#post(`${url}/api/conversations`, token, { text: name, model })
    }
    const open = () => user.rows('SELECT id FROM approvals WHERE answer IS NULL').map(({ id }) => String(id))
    await vi.waitUntil(() => open().length === 2, { timeout: 20_000 })
    const [refused = '', forged = ''] = open()
    return {
      directory: user.directory,
      root: user.root,
      home: user.home,
      program: `${this.#copy.node} ${this.#copy.main}`,
      installed: this.#copy.folder,
      url,
      token,
      approvals: [refused, forged],
      conversation: String(conversation!['id']),
      port,
      socket,
      time,
    }
  }

  result(place: HostilePlace, { stdout }: Ended): HostileResult {
    const said = [...stdout.matchAll(/did: ([^\\"]+)/g)].map(([, name]) => name!)
    const sleeping = this.#sleeping().map(({ time }) => time)
    return { place, said, reached: this.reached, sleeping, rows: (sql) => this.user.rows(sql) }
  }

  /** As this user: the server takes nobody's word whom it cannot see. */
  async #post(url: string, token: string, body: object): Promise<void> {
    const headers = [`authorization: Bearer ${token}`, 'content-type: application/json']
    const args = ['-fsS', ...headers.flatMap((each) => ['-H', each]), '-d', JSON.stringify(body), url]
    const { directory, env } = this.user
    const as = this.#uid === undefined ? {} : { uid: this.#uid }
    await succeeded(new StartedProgram(['curl', ...args], { cwd: directory, env, ...as }))
  }

  #sleeping(): { readonly pid: number; readonly time: string }[] {
    return processIds()
      .map((pid) => ({ pid, line: commandLine(pid) }))
      .filter(({ line }) => line.startsWith(`sleep ${this.time}`))
      .map(({ pid, line }) => ({ pid, time: line.slice('sleep '.length) }))
  }

  /** Ends what it has started, and takes its files away. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pid } of this.#sleeping()) process.kill(pid, 'SIGKILL')
    for (const each of this.#undo.toReversed()) await each()
  }

  async #listen(name: 'loopback' | 'socket', at: number | string): Promise<number> {
    const server: Server = createServer((_, response) => response.end('reached'))
    server.on('connection', () => this.reached.add(name))
    if (typeof at === 'number') server.listen(at)
    else server.listen(at)
    await once(server, 'listening')
    if (typeof at === 'string') chmodSync(at, 0o777)
    this.#undo.push(() => server.close())
    return (server.address() as AddressInfo).port
  }
}

async function succeeded(program: StartedProgram): Promise<void> {
  const { code, stderr } = await program.ended
  if (code !== 0) throw new Error(stderr)
}

function giveTo(uid: number, path: string): void {
  chownSync(path, uid, uid)
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    chownSync(join(path, name), uid, uid)
}
