import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ToolResultPart } from '../src/core/message.ts'
import { outputForModel } from '../src/core/report/report-envelope.ts'
import { TestUser } from './support/test-user.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../docs/delegation.md'), 'utf8')
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, body]) => body!)

let user: TestUser

beforeEach(() => {
  user = new TestUser({ 'README.md': 'A parser.\n', 'src/parser.ts': 'export const parser = 1\n' })
})

afterEach(() => user.remove())

const explore = [
  { toolCalls: [{ tool: 'grep', input: { pattern: 'parser' } }] },
  { text: 'src/parser.ts:1; nobody calls it.' },
]

/** What the main agent reads as the answer of its call, without what differs from run to run. */
async function answered(more: object): Promise<string> {
  const input = { ...(JSON.parse(blocks('json')[0]!) as object), ...more }
  const main = [{ toolCalls: [{ tool: 'task', input }] }, { text: 'Thanks.' }, { text: 'Read.' }]
  const { code, stderr } = await user.run(['run', 'Go.', '-m', user.script({ main, explore })])
  expect(code, stderr).toBe(0)
  const [row] = user.rows("SELECT part FROM parts WHERE part LIKE '%tool-result%' AND part LIKE '%\"task\"%'")
  const { output } = JSON.parse(String(row!['part'])) as ToolResultPart
  return `${outputForModel(output)
    .replaceAll(/brn_\w+/g, 'BRANCH')
    .replace(/\d+\.\d s/, 'SECONDS s')}\n`
}

it('docs/delegation.md shows a call, its report, and its answer in the background', async () => {
  const [report, started] = blocks('text')
  expect((await answered({})).slice(0, report!.length)).toBe(report)
  const [system] = user.rows(
    "SELECT part FROM parts JOIN messages ON message_id = messages.id JOIN branches ON branch_id = branches.id WHERE role = 'system' AND kind = 'subagent'",
  )
  expect(String(system!['part'])).toContain('--- README.md ---')
  user.remove()
  user = new TestUser({ 'README.md': 'A parser.\n' })
  expect(await answered({ run_in_background: true })).toBe(started)
})

it('its commands start subagents, whose reports stand in the conversation', async () => {
  user.write('offshoot.jsonc', JSON.stringify({ model: user.script({ explore, general: explore }) }))
  await user.trust()
  const [first, second] = blocks('sh')[0]!.trim().split('\n').map(wordsOf)
  expect(await user.call(first!)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('nobody calls it'),
  })
  const [run] = JSON.parse((await user.call(['ps', '--all', '--json'])).stdout) as {
    conversationId: string
  }[]
  const args = second!.map((word) => (word === 'CONVERSATION' ? run!.conversationId : word))
  const again = await user.call(args)
  expect(again, again.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('nobody calls it') })
  const shown = await user.call(['show', run!.conversationId])
  expect(shown.stdout).toMatch(/Who calls the parser\?[^]*tests/)
})

function wordsOf(line: string): string[] {
  const words = [...line.split('#')[0]!.matchAll(/"([^"]*)"|(\S+)/g)]
  return words.map(([, quoted, bare]) => quoted ?? bare!).slice(1)
}
