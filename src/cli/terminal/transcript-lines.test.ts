import { expect, test } from 'vitest'
import type { Message, ToolResultPart } from '../../core/message.ts'
import { transcriptLines, type TranscriptDetail } from './transcript-lines.ts'

const result = (tool: string, text: string) =>
  ({ type: 'tool-result', tool, status: 'completed', output: { text } }) as unknown as ToolResultPart
const lines = (part: ToolResultPart, detail: TranscriptDetail = {}) =>
  transcriptLines([{ role: 'tool', state: 'complete', parts: [part] } as unknown as Message], {
    agent: 'main',
    factsOf: () => undefined,
    ...detail,
  })

const PATCH = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -99,2 +99,2 @@\n same\n-old \u001b[2K\n+new'

test('a change stands below its call, with the line numbers of the file', () => {
  expect(lines(result('edit', `edited src/a.ts (1 place)\n${PATCH}`))).toEqual([
    '  ← edit completed, 7 lines\n       99   same\n      100 - old ␛[2K\n      100 + new',
  ])
})

test('what another tool says is no change, whatever it looks like', () => {
  expect(lines(result('bash', `x\n${PATCH}`))).toEqual(['  ← bash completed, 7 lines'])
})

test('what a person answered stands below the question, as the words of that person', () => {
  expect(lines(result('ask_user', 'blue\nmain (agent): no'))).toEqual([
    '  ← ask_user completed\n    User: blue\n    main (agent): no',
  ])
})

test('a denied call says who denied it, and why', () => {
  const denied = (text: string) => lines({ ...result('bash', text), status: 'denied' })
  expect(denied('denied by Ada: not that one')).toEqual(['  ← bash denied, by Ada: not that one'])
  expect(denied('denied, because it needs an approval')).toEqual([
    '  ← bash denied, because it needs an approval',
  ])
  expect(denied('agents may not\nstart it')).toEqual(['  ← bash denied, agents may not start it'])
})

test('a result names the notes that the agent got with it, in full and in short', () => {
  const part = result('read', 'one')
  const read = { ...part, output: { ...part.output, notes: { path: 'sub/AGENTS.md', text: 'be brief' } } }
  const remark = '  ∙ The agent also got the notes in sub/AGENTS.md'
  expect(lines(read)).toEqual([`  ← read completed, 1 line\n${remark}`])
  expect(lines(read, { tools: true })).toEqual([`  ← read completed\n${remark}\n      one`])
})

test('a notice between messages is of the runtime, not of the agent above it', () => {
  const said = (role: string, ...parts: object[]) => ({ role, state: 'complete', runId: null, parts })
  const notice = (text: string) => ({ type: 'notice', text })
  const messages = [
    said('assistant', { type: 'text', text: 'Half.' }, notice('It was cut')),
    said('user', notice('a started')),
    said('user', notice('a completed')),
    said('assistant', { type: 'text', text: 'Whole.' }),
  ] as unknown as Message[]
  expect(transcriptLines(messages, { agent: 'main', factsOf: () => undefined })).toEqual([
    'main (agent): Half.',
    '  ∙ It was cut',
    'Runtime',
    '  ∙ a started',
    '  ∙ a completed',
    'main (agent): Whole.',
  ])
})
