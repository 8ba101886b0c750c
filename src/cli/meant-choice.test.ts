import { afterAll, expect, test } from 'vitest'
import { TestUser } from '../../test/support/test-user.ts'
import { meantChoice } from './meant-choice.ts'

const user = new TestUser()
afterAll(() => user.remove())

test.each([
  [['export', 'cnv_1', '--format', 'markdown'], 'md', 'json, md, html'],
  [['export', 'cnv_1', '--format', 'text'], 'md', 'json, md, html'],
  [['export', 'cnv_1', '--format', 'HTML'], 'html', 'json, md, html'],
  [['run', 'x', '--output-format', 'ndjson'], 'stream-json', 'text, json, stream-json, events'],
  [['run', 'x', '--output-format', 'markdown'], 'text', 'text, json, stream-json, events'],
  [['run', 'x', '--input-format', 'json'], 'stream-json', 'text, stream-json'],
  [['run', 'x', '--sandbox', 'on'], 'required', 'off, auto, required'],
  [['run', 'x', '--sandbox', 'none'], 'off', 'off, auto, required'],
  [['run', 'x', '--mode', 'acceptEdits'], 'accept-edits', 'plan, ask, accept-edits, auto'],
  [['run', 'x', '--mode', 'read-only'], 'plan', 'plan, ask, accept-edits, auto'],
  [['run', 'x', '--approvals', 'never'], 'deny', 'wait, deny'],
  [['ps', '--status', 'canceled'], 'cancelled', 'queued, '],
  [['ls', '--status', 'done'], 'completed', 'queued, '],
  [['approve', 'apr_1', 'always', '--scope', 'session'], 'conversation', 'conversation, project'],
  [['agents', 'check', '--format', 'claude-code'], 'claude', 'offshoot, '],
  [['completion', 'zhs'], 'zsh', 'bash, zsh, fish'],
])('%j says which value was meant, and lists all', async (args, meant, choices) => {
  const { code, stdout, stderr } = await user.call(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/ is invalid(?: for argument "shell")?\./)
  expect(stderr).toContain(`. Did you mean ${meant}? Allowed choices are ${choices}`)
})

test.each(['nonsense', '', '---', 'bypassPermissions', 'yolo', '__proto__', 'constructor'])(
  '%j stands for no mode',
  (typed) => {
    expect(meantChoice(typed, ['plan', 'ask', 'accept-edits', 'auto'])).toBeUndefined()
  },
)
