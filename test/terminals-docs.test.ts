import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestUser } from './support/test-user.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../docs/terminals.md'), 'utf8')
const [first, second] = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, body]) => lines(body!))

let user: TestUser

beforeAll(async () => {
  const wait = 'while [ ! -e go ]; do sleep 0.02; done'
  user = new TestUser({ 'wait.sh': wait })
  const bash = (command: string) => ({ tool: 'bash', input: { command } })
  const task = (prompt: string) => ({ tool: 'task', input: { subagent_type: 'general', prompt } })
  const model = user.script({
    main: [{ match: '^another way', text: 'Done.' }, { toolCalls: [task('Wait.'), task('Ask.')] }],
    general: [
      { match: '^Wait', toolCalls: [bash('sh wait.sh')] },
      { match: '^Ask', toolCalls: [bash('touch made.txt')] },
      { text: 'Made.' },
      { text: 'Looked.' },
    ],
  })
  const permissions = [{ tool: 'bash', pattern: 'sh wait.sh', action: 'allow' }]
  user.write('offshoot.jsonc', JSON.stringify({ model, permissions }))
  await user.trust()
})

afterAll(() => user.remove())

it('shows commands that do what stands beside them', async () => {
  expect([first?.length, second?.length]).toEqual([1, 13])
  const run = user.start(first![0]!.words)
  await run.untilStderr('offshoot approve apr_')
  await run.untilStderr('$ sh wait.sh')
  const { stdout } = await user.call(['ps', '--json'])
  const runs = JSON.parse(stdout) as {
    id: string
    branchId: string
    conversationId: string
    approvals: string[]
    lastAction: { title: string } | null
  }[]
  const waiting = runs.find((each) => each.lastAction?.title === '$ sh wait.sh')!
  const ids: Record<string, string> = {
    RUN: waiting.id,
    BRANCH: waiting.branchId,
    CONVERSATION: waiting.conversationId,
    MESSAGE: String(user.rows(`SELECT id FROM messages WHERE role = 'user' LIMIT 1`)[0]!['id']),
    APPROVAL: runs.flatMap((each) => each.approvals)[0]!,
  }
  for (const { words, comment } of second!) {
    const { code, stdout, stderr } = await user.call(words.map((word) => ids[word] ?? word))
    expect([words, code, stderr.includes('error')]).toEqual([
      words,
      comment.includes('exits with 2') ? 2 : 0,
      false,
    ])
    expect(stdout, words.join(' ')).not.toBe('')
  }
  expect(await run.ended).toMatchObject({ code: 1 })
  expect(user.processes()).toEqual([])
}, 60_000)

function lines(body: string) {
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
