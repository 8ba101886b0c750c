import { expect, test } from 'vitest'
import { maskEvent } from './mask-event.ts'
import { maskStrings } from './mask-strings.ts'
import { shapeMask } from './mask.ts'

const command = 'curl http://me:hunter2;reboot@host'
const whole = 'curl http://me:••••••••••••••@host'
const readable = 'curl http://me:•••••••;reboot@host'
const id = 'apr_01JD2X3Y4Z5A6B7C8D9E0F1G2H'
const options = { approval: shapeMask.approval }

test('a command in an approval hides nothing that a shell would run, wherever the approval stands', () => {
  const approval = { id, title: command, detail: command, grant: { tool: 'bash', pattern: command } }
  const elsewhere = { id: 'run_1', title: command }
  expect(maskStrings({ approvals: [approval], runs: [elsewhere] }, shapeMask.text, options)).toEqual({
    approvals: [{ id, title: readable, detail: readable, grant: { tool: 'bash', pattern: readable } }],
    runs: [{ id: 'run_1', title: whole }],
  })
})

test('an export masks an approval as the rest', () => {
  expect(maskStrings({ id, title: command }, shapeMask.text)).toEqual({ id, title: whole })
})

test('an event that asks shows the command, and others mask it', () => {
  const event = (type: string) => ({ type, detail: command }) as never
  expect(maskEvent(event('approval.requested'), shapeMask)).toMatchObject({ detail: readable })
  expect(maskEvent(event('tool.started'), shapeMask)).toMatchObject({ detail: whole })
})
