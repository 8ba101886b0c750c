import type { HttpProvider } from './model-server.ts'

/** One streamed answer in the protocol of a provider: its text, and how it ends in that provider's own fields. */
export function streamedAnswer(provider: HttpProvider, text: string, end: object): string {
  switch (provider) {
    case 'anthropic':
      return named([
        {
          type: 'message_start',
          message: { id: 'm', model: 'x', usage: { input_tokens: 9, output_tokens: 1 } },
        },
        ...(text === '' ? [] : anthropicText(text)),
        { type: 'message_delta', delta: end, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ])
    case 'openai':
      return unnamed([
        { type: 'response.created', response: { id: 'r', created_at: 1, model: 'x' } },
        ...(text === '' ? [] : openaiText(text, 'response.output_text.delta')),
        { type: 'response.incomplete', response: { usage: { input_tokens: 9, output_tokens: 5 }, ...end } },
      ])
    case 'openai-compatible':
      return `${unnamed([{ choices: [{ delta: { content: text } }] }, { choices: [{ delta: {}, ...end }] }])}data: [DONE]\n\n`
    case 'google': {
      const content = { role: 'model', parts: text === '' ? [] : [{ text }] }
      const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 5 }
      return unnamed([{ candidates: [{ content, ...end }], usageMetadata }])
    }
  }
}

/** A refusal of OpenAI's protocols is a text of its own kind. */
export function refusedAnswer(provider: 'openai' | 'openai-compatible', text: string): string {
  if (provider === 'openai-compatible')
    return `${unnamed([{ choices: [{ delta: { refusal: text } }] }, { choices: [{ delta: {}, finish_reason: 'stop' }] }])}data: [DONE]\n\n`
  return unnamed([
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'x' } },
    ...openaiText(text, 'response.refusal.delta'),
    { type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 5 } } },
  ])
}

/** Gemini blocks a prompt without a candidate. */
export function blockedPrompt(blockReason: string): string {
  return unnamed([{ promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 9 } }])
}

function anthropicText(text: string): Named[] {
  return [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
  ]
}

function openaiText(text: string, type: string): object[] {
  const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] }
  return [
    { type: 'response.output_item.added', output_index: 0, item },
    { type, item_id: 'msg_1', output_index: 0, content_index: 0, delta: text },
    { type: 'response.output_item.done', output_index: 0, item },
  ]
}

interface Named {
  readonly type: string
  readonly [field: string]: unknown
}

function named(events: readonly Named[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

export function unnamed(events: readonly object[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}
