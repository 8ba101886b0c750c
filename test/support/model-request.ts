import type { ContextMessage } from '../../src/core/build-context.ts'
import type { PartId } from '../../src/core/ids.ts'
import type { ModelPart, ModelRequest, ModelStream } from '../../src/model/port.ts'

export function modelRequest(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [textMessage('user', 'hello')],
    tools: [],
    toolChoice: 'auto',
    agent: 'main',
    depth: 0,
    signal: new AbortController().signal,
    ...changes,
  }
}

export function textMessage(role: 'system' | 'user' | 'assistant', text: string): ContextMessage {
  return { role, parts: [{ id: 'prt' as PartId, type: 'text', text }] }
}

/** The parts of an answer until it ends; rejects when the stream errors. */
export async function collect(stream: ModelStream): Promise<ModelPart[]> {
  return Array.fromAsync(readable(stream))
}

export function readable(stream: ModelStream): ReadableStream<ModelPart> {
  const reader = stream.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

export type PartOf<T extends ModelPart['type']> = Extract<ModelPart, { type: T }>

export function only<T extends ModelPart['type']>(parts: readonly ModelPart[], type: T): PartOf<T>[] {
  return parts.filter((part): part is PartOf<T> => part.type === type)
}
