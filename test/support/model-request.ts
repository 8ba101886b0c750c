import type { ContextMessage } from '../../src/core/build-context.ts'
import type { PartId } from '../../src/core/ids.ts'
import type { ModelPart, ModelRequest } from '../../src/model/port.ts'

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
export async function collect(stream: ReadableStream<ModelPart>): Promise<ModelPart[]> {
  return Array.fromAsync(stream)
}

export type PartOf<T extends ModelPart['type']> = Extract<ModelPart, { type: T }>

export function only<T extends ModelPart['type']>(parts: readonly ModelPart[], type: T): PartOf<T>[] {
  return parts.filter((part): part is PartOf<T> => part.type === type)
}
