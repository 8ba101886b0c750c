import { mkdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inCell } from '../support/in-cell.ts'
import type { StartedProgram } from '../support/started-program.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
let proxy: Server
let asked: string[]

beforeEach(async () => {
  user = new TestUser()
  asked = []
  proxy = createServer((request, response) => {
    asked.push(request.url!)
    response.end('from far away\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  proxy.close().closeAllConnections()
  user.remove()
})

const HOSTS = { hosts: ['far.invalid:80'] }
const get = (widen?: object, host = 'far.invalid') => ({
  toolCalls: [{ tool: 'bash', input: { command: `curl -sS http://${host}/`, ...(widen && { widen }) } }],
})
const task = { toolCalls: [{ tool: 'task', input: { agent: 'general', task: 'fetch it', label: 'fetch' } }] }

function start(main: object[], more: readonly string[] = [], agents: object = {}): StartedProgram {
  const model = user.script({ main: [...main, { text: 'Done.' }], ...agents })
  const env = { http_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
  const args = ['run', 'Go.', '-m', model, '--sandbox', 'required', '--allow', 'bash', ...more]
  return user.start([...args, '--output-format', 'json'], { env })
}

const wait = ['--approvals', 'wait']
const question = /access to far\.invalid:80/

async function answer(program: StartedProgram, words: readonly string[]) {
  await program.untilStderr('offshoot approve')
  const shown = (await user.call(['approve', '#1'])).stdout
  expect(await user.call(['approve', '#1', ...words])).toMatchObject({ code: 0 })
  return shown
}

/** Its commands, with what they reached beyond the settings. */
async function ended(program: StartedProgram) {
  const { code, stdout, stderr } = await program.ended
  expect([code, stderr]).toEqual([0, expect.any(String)])
  const { receipts, conversation_id: id } = JSON.parse(stdout)
  const widened = receipts.commands.map(
    (each: { widened?: { hosts: string[] } }) => each.widened?.hosts ?? [],
  )
  const said = (await user.call(['log', id, '--tools'])).stdout
  return { widened, said, id: id as string }
}

test(
  'a refused command says how to ask again; once allows that command, and the next one asks again',
  inCell(async () => {
    const program = start([get(), get(HOSTS), get()], wait)
    const shown = await answer(program, ['once'])
    expect(shown).toContain('with access to far.invalid:80: $ curl -sS http://far.invalid/')
    expect(shown).toMatch(
      /runs in a sandbox: no network, writes only in \S+; asks for more: access to far\.invalid:80\n/,
    )
    expect(shown).toContain(
      'because: access to far.invalid:80 is beyond the settings of the sandbox, and asks',
    )
    expect(shown).toContain('"run" and "always" allow: sandbox_network:far.invalid:80')
    const { widened, said } = await ended(program)
    expect(said).toContain('run the command again with "widen": {"hosts":["far.invalid:80"]}')
    expect(widened).toEqual([[], ['far.invalid:80'], []])
    expect(asked).toEqual(['http://far.invalid/'])
  }),
)

test(
  'for the run allows its later commands and not those of a subagent',
  inCell(async () => {
    const program = start([get(HOSTS), get(), task, get(undefined, 'other.invalid')], wait, {
      general: [get(), { text: 'Refused.' }],
    })
    await answer(program, ['run'])
    const { widened, said } = await ended(program)
    expect(widened).toEqual([['far.invalid:80'], ['far.invalid:80'], ['far.invalid:80']])
    expect(said).toContain('the sandbox refused other.invalid:80')
    expect(asked).toEqual(['http://far.invalid/', 'http://far.invalid/'])
    expect((await user.call(['permissions', 'ls'])).stdout).not.toMatch('far.invalid')
  }),
)

test(
  'always stands for every later run of the directory until it is revoked',
  inCell(async () => {
    const first = start([get(HOSTS)], wait)
    await answer(first, ['always', '--scope', 'project'])
    await ended(first)
    const { widened } = await ended(start([get(), task], [], { general: [get(), { text: 'Read.' }] }))
    expect(widened).toEqual([['far.invalid:80']])
    expect(asked).toHaveLength(3)
    const grants = JSON.parse((await user.call(['permissions', 'ls', '--json'])).stdout)
    expect(grants).toMatchObject([{ tool: 'sandbox_network', pattern: 'far.invalid:80' }])
    expect(await user.call(['permissions', 'revoke', grants[0].id])).toMatchObject({ code: 0 })
    expect(await ended(start([get()]))).toMatchObject({
      widened: [[]],
      said: expect.stringContaining('the sandbox refused far.invalid:80'),
    })
    expect(asked).toHaveLength(3)
  }),
)

test(
  'an answer with a pattern for every host, or for one of this machine, is refused, and the question stays',
  inCell(async () => {
    const program = start([get(HOSTS)], wait)
    await program.untilStderr('offshoot approve')
    for (const pattern of ['*', '*.com', '127.0.0.1:80', 'localhost'])
      expect(await user.call(['approve', '#1', 'always', '--pattern', pattern])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('the pattern'),
      })
    expect(await user.call(['approve', '#1', 'deny'])).toMatchObject({ code: 0 })
    await program.ended
    expect(asked).toEqual([])
  }),
)

test(
  'where nobody can answer it is denied in every mode, and the model reads what a person can set',
  inCell(async () => {
    for (const mode of ['ask', 'accept-edits', 'auto']) {
      const calls = [get({ ...HOSTS, directories: [user.root.replace(/\w+$/, 'none')] })]
      const { code, stdout, stderr } = await start(calls, ['--mode', mode]).ended
      expect([code, stderr]).toEqual([5, expect.stringMatching(question)])
      const { conversation_id: id } = JSON.parse(stdout)
      expect((await user.call(['log', id, '--tools'])).stdout).toContain(
        'a person allows it beforehand with sandbox.network ["far.invalid:80"] in their configuration and the option --add-dir /',
      )
    }
    expect(asked).toEqual([])
  }),
)

test(
  'a rule of the person allows it beforehand; a file of the repository or an agent file does not',
  inCell(async () => {
    const rule = { tool: 'sandbox_network', pattern: 'far.invalid', action: 'allow' }
    user.write(
      'offshoot.jsonc',
      JSON.stringify({ permissions: [rule], sandbox: { network: ['far.invalid'] } }),
    )
    user.write(
      '.offshoot/agents/main.md',
      '---\npermissions: ["sandbox_network:far.invalid"]\n---\nYou work.\n',
    )
    expect((await start([get(HOSTS)]).ended).code).toBe(5)
    expect(asked).toEqual([])
    const { widened } = await ended(start([get(HOSTS), get()], ['--allow', 'sandbox_network:far.invalid:80']))
    expect(widened).toEqual([['far.invalid:80'], []])
    expect(asked).toEqual(['http://far.invalid/'])
  }),
)

const write = (directory: string, widens: boolean) => ({
  toolCalls: [
    {
      tool: 'bash',
      input: {
        command: `echo made >> ${directory}/file`,
        ...(widens && { widen: { directories: [directory] } }),
      },
    },
  ],
})

test(
  'a directory is asked for in the same way, and for the run its later commands write there',
  inCell(async () => {
    const out = join(user.root, 'out')
    mkdirSync(out)
    const calls = [write(out, false), write(out, true), write(out, false)]
    const program = start(calls, [...wait, '--mode', 'auto'])
    const shown = await answer(program, ['run'])
    expect(shown).toContain(`with write access to ${out}: $ echo made`)
    expect(shown).toContain(`"run" and "always" allow: sandbox_write:${out}`)
    const { said } = await ended(program)
    expect(said).toContain(`run the command again with "widen": {"directories":["${out}"]}`)
    expect(readFileSync(join(out, 'file'), 'utf8')).toBe('made\nmade\n')
  }),
)

test(
  'nobody is asked for what no answer gives: keys, the data of the program, protected files, the home',
  inCell(async () => {
    const names = ['.ssh', '.config/offshoot', 'home', 'work/.git/hooks', '.', 'work']
    for (const name of names) mkdirSync(join(user.root, name), { recursive: true })
    const calls = names.map((name) => write(join(user.root, name), true))
    // it would wait for an answer
    const { stdout } = await start([...calls, write('/etc', true), write('/proc/self/root', true)], wait)
      .ended
    const { conversation_id: id } = JSON.parse(stdout)
    const said = (await user.call(['log', id, '--tools'])).stdout
    expect(said.match(/cannot be made writable/g)!.length).toBeGreaterThanOrEqual(8)
  }),
)

test('where no sandbox is there is nothing to widen, and nobody is asked', async () => {
  const program = start([get(HOSTS)], ['--approvals', 'wait', '--sandbox', 'off'])
  const { stdout } = await program.ended
  const { conversation_id: id } = JSON.parse(stdout)
  expect((await user.call(['log', id, '--tools'])).stdout).toContain('there is nothing to widen')
  expect(asked).toEqual([])
})
