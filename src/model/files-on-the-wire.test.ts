import { describe, expect, it } from 'vitest'
import { collect, modelRequest, only, textMessage } from '../../test/support/model-request.ts'
import { httpProviders, startModelServer } from '../../test/support/model-server.ts'
import { modelAt, sentRequests } from '../../test/support/sent-request.ts'
import type { ContextMessage } from '../core/build-context.ts'
import type { CallId, PartId } from '../core/ids.ts'
import type { FileData } from '../core/message.ts'

const PIXELS = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ'
const image: FileData = { mediaType: 'image/png', data: PIXELS, filename: 'shot.png' }
const pdf: FileData = { mediaType: 'application/pdf', data: PIXELS, filename: 'paper.pdf' }
const id = 'prt' as PartId

/** Two calls whose results hold files, and what was said next. */
function conversation(...files: readonly FileData[]): ContextMessage[] {
  const calls = files.map((_, at) => `cal_${at}` as CallId)
  return [
    textMessage('user', 'look'),
    {
      role: 'assistant',
      parts: calls.map((callId) => ({ id, type: 'tool-call', callId, tool: 'read', input: {} })),
    },
    ...calls.map((callId, at): ContextMessage => {
      const output = { text: `result ${at}`, files: [files[at]!] }
      return {
        role: 'tool',
        parts: [{ id, type: 'tool-result', callId, tool: 'read', status: 'completed', output }],
      }
    }),
    textMessage('user', 'and now?'),
  ]
}

const shownAs = {
  anthropic: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXELS } },
  openai: { type: 'input_image', image_url: `data:image/png;base64,${PIXELS}` },
  'openai-compatible': { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXELS}` } },
  google: { inlineData: { mimeType: 'image/png', data: PIXELS } },
} as const

describe.each(httpProviders)('files in tool results, %s', (provider) => {
  it('an image is shown as an image, never as base64 text', async () => {
    const [body] = await sentRequests(provider, { messages: conversation(image) })
    const sent = JSON.stringify(body)
    expect(sent).toContain(JSON.stringify(shownAs[provider]))
    expect(sent.split(PIXELS)).toHaveLength(2)
    expect(sent).toContain('result 0')
  })

  it('a model that takes no images is asked again with descriptions, and not told again', async () => {
    const messages = conversation(image)
    const bodies = await sentRequests(provider, { messages }, { says: 'image input is not supported' })
    expect(bodies.map((body) => JSON.stringify(body).includes(PIXELS))).toEqual([true, false])
    expect(JSON.stringify(bodies[1])).toContain('[shot.png (image/png, 33 B): this model cannot be shown it]')
  })

  it('answers a conversation with files in it', async () => {
    const server = await startModelServer()
    server.answer({ text: 'a pixel' })
    const model = await modelAt(server.url, provider)
    const parts = await collect(await model.stream(modelRequest({ messages: conversation(image, image) })))
    expect(
      only(parts, 'text-delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('a pixel')
    await server.close()
  })
})

describe('files for a server with Chat Completions', () => {
  it('stand behind all results of a turn, and say that no person sent them', async () => {
    const [body] = await sentRequests('openai-compatible', { messages: conversation(image, image) })
    const messages = body!['messages'] as { role: string; content: unknown }[]
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'user'])
    expect(messages[2]!.content).toBe('result 0\n[shot.png (image/png, 33 B): shown in the next message]')
    expect(messages[4]!.content).toEqual(
      [0, 1].flatMap(() => [
        { type: 'text', text: '[Not from the user: shot.png (image/png, 33 B), from the result of read]' },
        shownAs['openai-compatible'],
      ]),
    )
    expect(messages[5]!.content).toBe('and now?')
  })

  it('are described where no such server reads their type', async () => {
    const person: ContextMessage = { role: 'user', parts: [{ id, type: 'file', file: pdf }] }
    const [body] = await sentRequests('openai-compatible', { messages: [...conversation(pdf), person] })
    const sent = JSON.stringify(body)
    expect(sent).not.toContain(PIXELS)
    expect(
      sent.match(/\[paper\.pdf \(application\/pdf, 33 B\): this model cannot be shown it\]/g),
    ).toHaveLength(2)
  })

  it('are tried again after a refusal of one of them, and not after one of all', async () => {
    const shown = async (says: string) => {
      const about = { messages: conversation(image) }
      const bodies = await sentRequests('openai-compatible', about, { says, times: 2 })
      return bodies.map((body) => JSON.stringify(body).includes(PIXELS))
    }
    expect(await shown('the image is too large')).toEqual([true, false, true, false])
    expect(await shown('this model takes no image_url')).toEqual([true, false, false])
  })
})
