import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
beforeEach(() => {
  user = new TestUser()
})
afterEach(() => user.remove())

const touch = (name: string) => ({ toolCalls: [{ tool: 'bash', input: { command: `touch ${name}` } }] })

async function serve(): Promise<{ readonly program: StartedProgram; readonly url: string }> {
  const program = user.start(['serve', '--port', '0'])
  await program.untilStdout('\n')
  expect(program.stdout).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/)
  return { program, url: program.stdout.trim().replace('listening on ', '') }
}

async function api<T>(url: string, path: string, body?: object): Promise<T> {
  const token = readFileSync(join(user.home, 'token'), 'utf8').trim()
  const answer = await fetch(`${url}/api${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  })
  expect([path, answer.ok]).toEqual([path, true])
  return (await answer.json()) as T
}

/** Resolves when the stream of a conversation holds the text. */
async function untilEvent(url: string, id: string, text: string): Promise<void> {
  const token = readFileSync(join(user.home, 'token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/api/conversations/${id}/events`, { headers })
  let held = ''
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    held += chunk
    if (held.includes(text)) return
  }
  throw new Error(`the stream ended without ${text}`)
}

interface Ids {
  readonly conversationId: string
  readonly runId: string
}

describe('offshoot serve', () => {
  it('is found by server.json, pauses what it drives at SIGTERM, and leaves nothing behind', async () => {
    const { program, url } = await serve()
    const file = join(user.home, 'server.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      port: Number(new URL(url).port),
      pid: program.pid,
      pid_start: expect.any(Number),
    })
    const model = user.script({ '*': [{ toolCalls: [{ tool: 'bash', input: { command: 'sleep 600' } }] }] })
    const order = { text: 'x', model, mode: 'auto' }
    const { conversationId, runId } = await api<Ids>(url, '/conversations', order)
    await untilEvent(url, conversationId, 'event: tool.started')
    program.kill('SIGTERM')
    const { code, stderr } = await program.ended
    expect([code, stderr]).toEqual([
      143,
      expect.stringMatching(/^offshoot: open http:\S+\/#key=\S+ \(it works once, for ten minutes; .*\)\n$/),
    ])
    expect(existsSync(file)).toBe(false)
    expect(user.processes()).toEqual([])
    expect(user.rows(`SELECT status, reason FROM runs WHERE id = '${runId}'`)).toEqual([
      { status: 'paused', reason: 'restart' },
    ])
  })

  it('that is killed is started again: the question is the same, and its answer ends the run', async () => {
    const first = await serve()
    const model = user.script({ '*': [touch('made'), { text: 'all done' }] })
    const { conversationId, runId } = await api<Ids>(first.url, '/conversations', { text: 'x', model })
    const [before] = await untilApproval(first.url, conversationId)
    first.program.kill('SIGKILL')
    await first.program.ended
    user.script({ '*': [{ text: 'all done' }] }) // a process begins a script at its beginning
    const { program, url } = await serve()
    await program.untilStderr('recovered 1 run of a process that has died: 1 resumed, in ')
    const [after] = await untilApproval(url, conversationId)
    expect(after!.id).toBe(before!.id)
    await api(url, `/approvals/${after!.id}`, { answer: 'once' })
    await untilEvent(url, conversationId, 'event: run.completed')
    expect(await api(url, `/runs/${runId}`)).toMatchObject({ status: 'completed', headline: 'all done' })
    expect(existsSync(join(user.directory, 'made'))).toBe(true)
    program.kill('SIGINT')
    expect((await program.ended).code).toBe(130)
  })

  async function untilApproval(url: string, id: string): Promise<{ id: string }[]> {
    await untilEvent(url, id, 'event: approval.requested')
    return await api(url, `/approvals?conversation=${id}`)
  }

  it('says which port is in use', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const { code, stdout, stderr } = await user.run(['serve', '--port', String(port)])
    other.close()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      new RegExp(`^offshoot: port ${port} of 127\\.0\\.0\\.1 is in use\\n {2}.*--port.*\\n$`),
    )
    expect(existsSync(join(user.home, 'server.json'))).toBe(false)
  })

  it('says that another has the store, and starts where that one is gone', async () => {
    const { program, url } = await serve()
    const { code, stdout, stderr } = await user.run(['serve', '--port', '0'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`already uses this store: pid ${program.pid}, port ${new URL(url).port}\n`)
    expect(stderr).toContain('offshoot sessions link prints a link that opens it')
    expect(await api(url, '/health')).toMatchObject({ ok: true }) // nothing of it was touched
    program.kill('SIGKILL')
    await program.ended
    const file = join(user.home, 'server.json')
    const gone = { port: 1, pid: process.pid, pid_start: 1 } // a pid that another process has by now
    for (const text of [JSON.stringify(gone), '{', '[]', '', '{"pid": "x"}']) {
      writeFileSync(file, text)
      expect((await user.call(['run', 'x', '--background', '-m', 'offline'])).code).toBe(2)
    }
    const next = await serve()
    next.program.kill('SIGTERM')
    expect((await next.program.ended).code).toBe(143)
  })

  it('says that it cannot say where it is', async () => {
    mkdirSync(join(user.home, 'server.json'), { recursive: true })
    const { code, stdout, stderr } = await user.run(['serve', '--port', '0'])
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(/^offshoot: \S+server\.json cannot be written: /)
  })

  it('says that its data cannot be kept', async () => {
    writeFileSync(user.home, 'a file where the directory should be')
    const { code, stdout, stderr } = await user.run(['serve', '--port', '0'])
    expect([code, stdout]).toEqual([3, ''])
    expect(stderr).toMatch(/^offshoot: \S.*\n( {2}.*\n)?$/)
  })

  it.each([
    [['--host', '0.0.0.0'], /^offshoot: --host 0\.0\.0\.0 would let other machines connect\n {2}.*--expose/],
    [['--port', '70000'], /Expected a port/],
    [['--port', 'x'], /Expected a port/],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stderr } = await user.call(['serve', ...args])
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('ignores a server.json of a process that is gone', async () => {
    const { program } = await serve()
    program.kill('SIGKILL')
    await program.ended
    expect(existsSync(join(user.home, 'server.json'))).toBe(true)
    const { code, stderr } = await user.call(['run', 'x', '--background', '-m', 'offline'])
    expect(code).toBe(2)
    expect(stderr).toContain('no offshoot serve is running to hand it to')
  })

  it('mends the rights of a token that others can read, and refuses a file that holds none', async () => {
    const { program } = await serve()
    program.kill('SIGTERM')
    await program.ended
    const file = join(user.home, 'token')
    chmodSync(file, 0o644)
    const again = await serve()
    again.program.kill('SIGTERM')
    await again.program.ended
    expect(readFileSync(file, 'utf8')).toMatch(/^[\w-]{43}\n$/)
    writeFileSync(file, 'short\n')
    const { code, stderr } = await user.run(['serve', '--port', '0'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('contains no token')])
  })
})

describe('--background', () => {
  it('hands a run, a message and a subagent to the server, and prints the ids', async () => {
    const { program, url } = await serve()
    const model = user.script({ main: [{ text: 'one' }, { text: 'two' }], general: [{ text: 'a report' }] })
    const format = ['--background', '--output-format', 'json']
    const run = await user.call(['run', 'x', '-m', model, ...format])
    expect([run.code, run.stderr]).toEqual([0, ''])
    const { conversation_id: id } = JSON.parse(run.stdout) as { conversation_id: string }
    await untilEvent(url, id, 'event: run.completed')
    const next = await user.call(['run', 'y', '--continue', '--background'])
    expect(next.stdout).toMatch(new RegExp(`^run_\\w+ of ${id}, on brn_\\w+\\n$`))
    const [runId] = next.stdout.split(' ')
    expect(next.stderr).toContain(`offshoot: to watch it: offshoot log -f ${runId}\n`)
    const spawned = await user.call(['spawn', 'z', '--conversation', id, '-m', model, ...format])
    expect([spawned.code, spawned.stderr]).toEqual([0, ''])
    await untilEvent(url, id, 'a report')
    const refused = await user.call(['run', 'y', '--agent', 'nobody', '-m', 'offline', '--background'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('unknown agent "nobody"')])
    program.kill('SIGTERM')
    await program.ended
  })
})

describe('run --conversation on what a server drives', () => {
  it('gives it the messages, and shows each run as one of its own', async () => {
    const { program, url } = await serve()
    const again = { ...touch('again'), text: 'I would touch it' }
    const answers = ['first', 'second', 'third', 'fourth', 'fifth'].map((text) => ({ text }))
    const model = user.script({ '*': [touch('made'), ...answers.slice(0, 4), again, answers[4]!] })
    const { conversationId: id, runId } = await api<Ids>(url, '/conversations', { text: 'x', model })
    await untilEvent(url, id, 'event: approval.requested')
    const refused = await user.call(['run', 'y', '--conversation', id, '--mode', 'auto'])
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('offshoot serve runs this conversation'),
    ])
    const followers: StartedProgram[] = []
    for (const format of ['events', 'json', 'stream-json', 'text']) {
      const follower = user.start(['run', format, '--conversation', id, '--output-format', format])
      await follower.untilStderr(`the message is read when ${runId} has ended`)
      await follower.untilStderr(`${runId} waits for an answer: $ touch made\n  offshoot approve apr_`)
      followers.push(follower)
    }
    await approveNext(url, id)
    await followers[3]!.untilStderr('answer it with: offshoot approve apr_')
    await approveNext(url, id)
    const [events, json, stream, text] = await Promise.all(followers.map(({ ended }) => ended))
    expect([events, json, stream, text].map((each) => each!.code)).toEqual([0, 0, 0, 0])
    const told = lines<{ type: string; runId: string | null }>(events!.stdout)
    expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['run.started', 'run.completed']))
    expect(told.filter((event) => event.runId === runId)).toEqual([])
    expect(JSON.parse(json!.stdout)).toMatchObject({ status: 'completed', text: 'third', turns: 1 })
    expect(lines(stream!.stdout)).toMatchObject([
      { type: 'system', session_id: id },
      ...lines(stream!.stdout).slice(1, -1),
      { type: 'result', result: 'fourth' },
    ])
    expect(text!.stdout).toBe('fifth\n')
    program.kill('SIGTERM')
    await program.ended
  })

  it('pauses that run at SIGINT, and not what else goes on', async () => {
    const { program, url } = await serve()
    const model = user.script({ '*': [touch('made'), { text: 'first' }, touch('more')] })
    const order = { text: 'x', model, mode: 'ask' }
    const { conversationId: id } = await api<Ids>(url, '/conversations', order)
    await untilEvent(url, id, 'event: approval.requested')
    const follower = user.start(['run', 'y', '--conversation', id])
    await follower.untilStderr('the message is read when')
    await approveNext(url, id)
    await follower.untilStderr('answer it with: offshoot approve apr_')
    follower.kill('SIGINT')
    const { code, stderr } = await follower.ended
    expect([code, stderr]).toEqual([130, expect.stringContaining(`offshoot continue ${id}`)])
    const [last] = await api<{ status: string; reason: string }[]>(
      url,
      `/runs?status=paused&conversation=${id}`,
    )
    expect(last).toMatchObject({ status: 'paused', reason: 'user' })
    program.kill('SIGTERM')
    await program.ended
  })

  it('says that the conversation was deleted', async () => {
    const { program, url } = await serve()
    const model = user.script({ '*': [touch('made'), { text: 'first' }, touch('more')] })
    const { conversationId: id } = await api<Ids>(url, '/conversations', { text: 'x', model })
    await untilEvent(url, id, 'event: approval.requested')
    const follower = user.start(['run', 'y', '--conversation', id])
    await follower.untilStderr('the message is read when')
    await approveNext(url, id)
    await follower.untilStderr('answer it with: offshoot approve apr_')
    expect((await user.call(['rm', id, '--yes'])).code).toBe(1) // what is driven is not taken away from here
    const token = readFileSync(join(user.home, 'token'), 'utf8').trim()
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${url}/api/conversations/${id}`, { method: 'DELETE', headers })
    const { code, stderr } = await follower.ended
    // a deletion stops the run first: whoever reads in between is told of that
    const told = /was deleted (?:meanwhile|in the meantime)|cancelled|the run was stopped/
    expect([code, stderr]).toEqual([1, expect.stringMatching(told)])
    program.kill('SIGTERM')
    await program.ended
  })

  it('says that the server has gone', async () => {
    const { program, url } = await serve()
    const ask = { toolCalls: [{ tool: 'ask_user', input: { question: 'Which?' } }] }
    const sleeps = { toolCalls: [{ tool: 'bash', input: { command: 'sleep 600' } }] }
    const model = user.script({ '*': [ask, { text: 'first' }, sleeps] })
    const { conversationId: id } = await api<Ids>(url, '/conversations', { text: 'x', model, mode: 'auto' })
    await untilEvent(url, id, 'event: question.asked')
    const follower = user.start(['run', 'y', '--conversation', id])
    await follower.untilStderr('the message is read when')
    const [question] = await api<{ id: string }[]>(url, `/questions?conversation=${id}`)
    await api(url, `/questions/${question!.id}`, { text: 'this' })
    await follower.untilStderr('main — ')
    program.kill('SIGKILL')
    const { code, stderr } = await follower.ended
    expect([code, stderr]).toEqual([1, expect.stringContaining(`no process drives ${id} any more`)])
    expect(stderr).not.toContain('mode') // that of the server: there is nothing to be said about it
  })

  async function approveNext(url: string, id: string): Promise<void> {
    const [approval] = await api<{ id: string }[]>(url, `/approvals?conversation=${id}`)
    await api(url, `/approvals/${approval!.id}`, { answer: 'once' })
  }

  function lines<T>(text: string): T[] {
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as T)
  }
})
