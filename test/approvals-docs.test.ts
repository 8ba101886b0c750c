import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestUser } from './support/test-user.ts'

const page = (name: string) => readFileSync(join(import.meta.dirname, '../docs', name), 'utf8')
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, body]) => body!)

let user: TestUser

beforeEach(() => {
  user = new TestUser({
    '.offshoot/agents/critic.md': '---\nname: critic\ndescription: asks\ntools: [ask_user]\n---\nYou ask.\n',
  })
})

afterEach(() => user.remove())

it('docs/approvals.md shows commands that do what stands beside them', async () => {
  const [first, second] = blocks(page('approvals.md'), 'sh').map(commands)
  const task = (subagent_type: string) => ({ tool: 'task', input: { subagent_type, prompt: 'Go.' } })
  const bash = (command: string) => ({ toolCalls: [{ tool: 'bash', input: { command } }] })
  const question = { question: 'Which?', options: ['one', 'two'] }
  const model = user.script({
    main: [{ toolCalls: [task('critic'), task('general')] }, { text: 'Done.' }],
    critic: [{ toolCalls: [{ tool: 'ask_user', input: question }] }, { text: 'Asked.' }],
    general: [bash('touch made'), bash('rm made'), { match: 'not that file', text: 'Left it.' }],
  })
  user.write('offshoot.jsonc', JSON.stringify({ model }))
  await user.trust()
  const run = user.start([...first![0]!.words])
  const asked = async (prefix: string, nth = 0) => {
    const all = () => [...run.stderr.matchAll(new RegExp(`offshoot a\\w+ (${prefix}_\\w{26})`, 'g'))]
    while (all().length <= nth) await new Promise((resolve) => setImmediate(resolve))
    return all()[nth]![1]!
  }
  const ids: Record<string, () => Promise<string> | string> = {
    QUESTION: () => asked('que'),
    APPROVAL: () => asked('apr'),
    OTHER: () => asked('apr', 1),
    GRANT: () => user.rows('select id from rules')[0]!['id'] as string,
  }
  expect([first?.length, second?.length]).toEqual([1, 8])
  await Promise.all([asked('que'), asked('apr')])
  for (const { words, comment } of second!) {
    const args = await Promise.all(words.map(async (word) => (await ids[word]?.()) ?? word))
    const { code, stdout } = await user.call(args)
    expect([words, code]).toEqual([words, comment.includes('exits with 2') ? 2 : 0])
    expect(stdout, words.join(' ')).not.toBe('')
  }
  expect(await run.ended).toMatchObject({ code: 0, stdout: 'Done.\n' })
  expect(user.rows('select answer from questions')).toEqual([{ answer: 'two' }])
  expect(user.processes()).toEqual([])
}, 60_000)

it('docs/permissions.md shows what permissions check answers', async () => {
  const text = page('permissions.md')
  const section = text.slice(text.indexOf('## Checking rules'), text.indexOf('## The shell'))
  const { words } = commands(blocks(section, 'sh')[0]!)[0]!
  const [input, answers] = blocks(section, 'jsonl')
  user.write('rules.json', blocks(section, 'json')[0]!)
  expect(words.slice(-2)).toEqual(['<', 'calls.jsonl'])
  const { code, stdout } = await user.call(words.slice(0, -2), { input: input! })
  expect(code).toBe(0)
  expect(stdout).toBe(answers)
})

it('docs/permissions.md shows a delegation that is read and listed', async () => {
  const text = page('permissions.md')
  const [example] = blocks(text.slice(text.indexOf('## Delegations')), 'jsonc')
  const XDG_CONFIG_HOME = join(user.directory, 'config')
  user.write('config/offshoot/config.jsonc', example!)
  const { code, stdout, stderr } = await user.call(['config'], { env: { XDG_CONFIG_HOME } })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^delegated +implementer for planner: edit:src\/\*\* +user config$/m)
})

function commands(body: string) {
  return body
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [command = '', comment = ''] = line.split(/\s+#\s/)
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
      expect(words.shift()).toBe('offshoot')
      return { words, comment }
    })
}
