import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Message } from '../src/core/message.ts'
import { outputForModel } from '../src/core/report/report-envelope.ts'
import { TestUser } from './support/test-user.ts'

const PAGE = readFileSync(new URL('../docs/receipts.md', import.meta.url), 'utf8')
const README = 'A tool for everybody.\n'
const HASH = createHash('sha256').update(README).digest('hex')
const block = (name: string) => new RegExp(`^\`\`\`\\w+ file=${name}\\n([^]*?)^\`\`\``, 'm').exec(PAGE)![1]!

let user: TestUser

beforeAll(async () => {
  user = new TestUser({ 'README.md': README })
  const work = [
    { tool: 'read', input: { file_path: 'README.md' } },
    { tool: 'write', input: { file_path: 'notes.md', content: 'One.\nTwo.\n' } },
    { tool: 'bash', input: { command: 'false' } },
  ]
  const model = user.script({
    main: [
      { toolCalls: [{ tool: 'task', input: { subagent_type: 'general', prompt: 'Write them.' } }] },
      { text: 'Done.' },
    ],
    general: [...work.map((call) => ({ toolCalls: [call] })), { text: 'Updated README.md and notes.md.' }],
  })
  const permissions = ['write', 'bash'].map((tool) => ({ tool, action: 'allow' }))
  user.write('offshoot.jsonc', JSON.stringify({ model, permissions }))
  await user.trust()
})

afterAll(() => user.remove())

it('shows what the command prints, what the parent reads, and how a false claim is marked', async () => {
  const [, line] = /^```sh\noffshoot (.*)\n/m.exec(PAGE)!
  const words = [...line!.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
  const { code, stdout, stderr } = await user.call(words)
  expect({ code, stderr: stderr.includes('error') }).toEqual({ code: 0, stderr: false })
  const { subagents, conversation_id } = JSON.parse(stdout) as {
    subagents: { receipts: object; task_id: string }[]
    conversation_id: string
  }
  expect(subagents[0]!.receipts).toEqual(JSON.parse(block('receipts').replace('HASH', HASH)))
  const exported = JSON.stringify(JSON.parse((await user.call(['export', conversation_id])).stdout))
  const read = block('parent').trim().replace('BRANCH', subagents[0]!.task_id)
  const { messages } = JSON.parse(exported) as { messages: readonly Message[] }
  const parts = messages.flatMap((message) => message.parts)
  const answered = parts.find((part) => part.type === 'tool-result')!
  expect(outputForModel(answered.output)).toContain(read)
  expect(exported).toContain('"reportNote":"the receipts show no change to README.md"')
})
