import { describe, expect, it } from 'vitest'
import type { ContextMessage } from '../core/build-context.ts'
import type { CallId, PartId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Part, ToolResultStatus } from '../core/message.ts'
import { createToPrompt, toolName } from './provider-prompt.ts'

const id = 'prt_1' as PartId
const callId = 'cal_1' as CallId
const metadata = { anthropic: { signature: 'abc' } }

function convert(role: ContextMessage['role'], ...parts: readonly Part[]) {
  return createToPrompt()([{ role, parts }])
}

function result(status: ToolResultStatus, text: string): Part {
  return { id, type: 'tool-result', callId, tool: 'read', status, output: { text } }
}

describe('createToPrompt', () => {
  it('joins system text, and keeps consecutive user messages apart', () => {
    const text = (value: string): Part => ({ id, type: 'text', text: value })
    expect(
      createToPrompt()([
        { role: 'system', parts: [text('a'), text('b')] },
        { role: 'user', parts: [text('c')] },
        { role: 'user', parts: [text('d')] },
      ]),
    ).toEqual([
      { role: 'system', content: 'ab' },
      { role: 'user', content: [{ type: 'text', text: 'c' }] },
      { role: 'user', content: [{ type: 'text', text: 'd' }] },
    ])
  })

  it('gives providers back what they said, with their metadata unchanged', () => {
    expect(
      convert(
        'assistant',
        { id, type: 'reasoning', text: 'hm', metadata },
        { id, type: 'text', text: 'so', metadata },
        { id, type: 'tool-call', callId, tool: 'read', input: { path: 'a' }, metadata },
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: metadata },
          { type: 'text', text: 'so', providerOptions: metadata },
          {
            type: 'tool-call',
            toolCallId: callId,
            toolName: 'read',
            input: { path: 'a' },
            providerOptions: metadata,
          },
        ],
      },
    ])
  })

  it.each<Json>([[1, 2], 'text', null, 7])('sends {} for arguments that are no object: %j', (input) => {
    const [message] = convert('assistant', { id, type: 'tool-call', callId, tool: 'read', input })
    expect(message!.content[0]).toMatchObject({ input: {} })
  })

  it.each([
    ['completed', { type: 'text', value: 'out' }],
    ['failed', { type: 'error-text', value: 'out' }],
    ['denied', { type: 'execution-denied', reason: 'out' }],
    ['skipped', { type: 'text', value: 'out' }],
    ['unknown', { type: 'text', value: 'out' }],
  ] as const)('a %s call', (status, output) => {
    expect(convert('tool', result(status, 'out'))).toEqual([
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName: 'read', output }] },
    ])
  })

  it('sends files of people and of tools', () => {
    const file = { mediaType: 'image/png', data: 'aGk=', filename: 'a.png' }
    const sent = {
      type: 'file',
      mediaType: 'image/png',
      filename: 'a.png',
      data: { type: 'data', data: 'aGk=' },
    }
    expect(convert('user', { id, type: 'file', file })[0]).toEqual({ role: 'user', content: [sent] })
    const output = { text: 'a picture', files: [file] }
    const [message] = convert('tool', {
      id,
      type: 'tool-result',
      callId,
      tool: 'read',
      status: 'completed',
      output,
    })
    expect(message!.content[0]).toMatchObject({
      output: { type: 'content', value: [{ type: 'text', text: 'a picture' }, sent] },
    })
  })

  it('leaves out what providers refuse: blank text, and messages with nothing in them', () => {
    expect(convert('user', { id, type: 'text', text: ' \n' })).toEqual([])
    expect(convert('assistant', { id, type: 'notice', text: 'for people' })).toEqual([])
    expect(convert('assistant', { id, type: 'text', text: '', metadata })).toHaveLength(1)
  })

  it('converts each message object once', () => {
    const toPrompt = createToPrompt()
    const message = userMessage('a')
    expect(toPrompt([message])[0]).toBe(toPrompt([message, { ...message }])[0])
  })

  it('is not touched by what a model does to the prompt that it got', () => {
    const toPrompt = createToPrompt()
    const messages = [userMessage('1')]
    toPrompt(messages).push({ role: 'system', content: 'added by a middleware' })
    messages.push(userMessage('2'))
    expect(toPrompt(messages)).toEqual(createToPrompt()([...messages]))
  })
})

describe('toolName', () => {
  it.each([
    ['read', 'read'],
    ['my tool!', 'my_tool_'],
    ['1st', '_1st'],
    ['', '_'],
    ['naïve', 'na_ve'],
    ['x'.repeat(100), 'x'.repeat(63)],
  ])('%j becomes %s', (name, expected) => {
    expect(toolName(name)).toBe(expected)
    expect(toolName(name)).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
  })
})

function userMessage(text: string): ContextMessage {
  return { role: 'user', parts: [{ id, type: 'text', text }] }
}
