import { expect, test } from 'vitest'
import type { Message, ToolResultPart } from '../../core/message.ts'
import { transcriptLines } from './transcript-lines.ts'

const result = (tool: string, text: string) =>
  ({ type: 'tool-result', tool, status: 'completed', output: { text } }) as unknown as ToolResultPart
const lines = (part: ToolResultPart) =>
  transcriptLines([{ role: 'tool', state: 'complete', parts: [part] } as unknown as Message], {
    agent: 'main',
    factsOf: () => undefined,
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
