import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtinAgents } from '../src/agents/builtin-agents.ts'
import { summaryPresets } from '../src/core/report-summary.ts'
import { TestUser } from './support/test-user.ts'

const PAGE = readFileSync(new URL('../docs/typed-agents.md', import.meta.url), 'utf8')
const files = [...PAGE.matchAll(/^```md file=(\S+)\n([^]*?)^```/gm)].map(
  ([, name, text]) => [name!, text!] as const,
)

let user: TestUser

beforeAll(async () => {
  user = new TestUser({ 'README.md': 'A tool for everybody.\n' })
  for (const [name, text] of files) user.write(name, text)
  await user.trust()
})

afterAll(() => user.remove())

describe('docs/typed-agents.md', () => {
  it('shows an agent that is read without a word', async () => {
    expect(files).toHaveLength(1)
    const { code, stdout, stderr } = await user.call(['agents', 'show', 'scorer'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const field of ['inputSchema', 'outputSchema', 'exposeAsTool']) expect(stdout).toContain(field)
    expect(stdout).toContain('{"name":"score_text","description":"Rates a text from 0 to 10.","maxTurns":4}')
    const listed = await user.call(['agents', '--json'])
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({
        name: 'scorer',
        exposeAsTool: expect.objectContaining({ name: 'score_text' }),
      }),
    )
  })

  it('and whose tool can be called: with typed input, a corrective try, and a typed report', async () => {
    const input = { file: 'README.md', purpose: 'to tell what it is' }
    const model = user.script({
      main: [{ toolCalls: [{ tool: 'score_text', input }] }, { text: 'done' }],
      scorer: [
        { match: 'Read README.md and judge .* purpose: to tell what it is', text: 'Seven!' },
        { text: '{"score":7,"reasons":[]}' },
      ],
    })
    const run = await user.call(['run', 'go', '-m', model, '--output-format', 'json'])
    expect(run.code).toBe(0)
    expect(JSON.parse(run.stdout)).toMatchObject({
      text: 'done',
      subagents: [{ agent: 'scorer', status: 'completed', turns: 2 }],
    })
    const [id] = user.rows('select id from conversations order by id desc limit 1')
    const exported = await user.call(['export', String(id!['id'])])
    expect(exported.stdout).toContain('"output":{"score":7,"reasons":[]}')
  })

  it('and that a person can run, with the value in the output', async () => {
    const model = user.script({ scorer: [{ text: 'It is {"score": 8, "reasons": ["short"]}' }] }, 'good.json')
    const args = ['--agent', 'scorer', '-m', model, '--output-format', 'json']
    const run = await user.call(['run', 'rate it', ...args])
    expect(JSON.parse(run.stdout)).toMatchObject({
      status: 'completed',
      structured_output: { score: 8, reasons: ['short'] },
    })
    const bad = await user.call([
      'run',
      'rate it',
      '--agent',
      'scorer',
      '-m',
      user.script({ scorer: Array.from({ length: 3 }, () => ({ text: 'no' })) }),
      '--output-format',
      'json',
    ])
    expect(bad.code).toBe(1)
    expect(JSON.parse(bad.stdout)).toMatchObject({ status: 'failed', error: { code: 'output_schema' } })
    expect(JSON.parse(bad.stdout)).not.toHaveProperty('structured_output')
    const lines = await user.call([
      'run',
      'rate it',
      '--agent',
      'scorer',
      '-m',
      model,
      '--output-format',
      'stream-json',
    ])
    expect(JSON.parse(lines.stdout.trim().split('\n').at(-1)!)).toMatchObject({
      type: 'result',
      structured_output: { score: 8 },
    })
  })

  it('names every tool that is an agent of the program, with its turns', () => {
    const rows = builtinAgents().flatMap(({ name, exposeAsTool }) =>
      exposeAsTool ? [[exposeAsTool.name, name, exposeAsTool.maxTurns]] : [],
    )
    const table = [...PAGE.matchAll(/^\| `(\w+)` \| .* \| (\w+) \| (\d+) \|$/gm)].map(
      ([, tool, agent, turns]) => [tool, agent, Number(turns)],
    )
    expect(table).toEqual(rows)
  })

  it('names every preset of a summary', () => {
    const table = [...PAGE.matchAll(/^\| `([\w-]+)` \| the /gm)].map(([, name]) => name)
    expect(table).toEqual(Object.keys(summaryPresets))
  })
})

describe('an agent file', () => {
  const body = (schema: string, text: string) =>
    `---\nname: NAME\ndescription: d\ninputSchema: ${schema}\nexposeAsTool: true\n---\n${text}\n`

  it.each([
    [
      'whose input schema and template disagree',
      body('{ type: object, properties: { a: {} } }', '{{b}}'),
      'skipped: its body names {{b}}, which its inputSchema lacks (it has a)',
    ],
    [
      'whose input schema is none',
      body('{ type: object, properties: { a: { type: word } } }', '{{a}}'),
      'skipped: its field inputSchema cannot be used: it is not a JSON Schema',
    ],
    [
      'whose tool has the name of another',
      body('{ type: object }', 'x').replace('true', 'read'),
      'is not offered as the tool read: another tool has that name',
    ],
    [
      'whose tool has no input',
      body('{ type: object }', 'x').replace(/inputSchema.*\n/, ''),
      'is not offered as the tool name: it has no inputSchema',
    ],
    [
      'whose summary is a slip',
      body('{ type: object }', 'x').replace('exposeAsTool: true', 'summarize: bulets'),
      'summarize is ignored: expected headline, first-paragraph, bullets, or an instruction',
    ],
  ])('%s is named with the reason, and hides nothing', async (_, text, reason) => {
    const other = new TestUser({ '.offshoot/agents/name.md': text })
    await other.trust()
    const { code, stdout, stderr } = await other.call([
      'run',
      'hi',
      '-m',
      other.script({ main: [{ text: 'hello' }] }),
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello\n' })
    expect(stderr).toContain('name.md')
    expect(stderr).toContain(reason)
    other.remove()
  })
})
