import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { ContextMessage } from '../core/build-context.ts'
import { unreachable } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import {
  textOf,
  type FileData,
  type Part,
  type ProviderMetadata,
  type ToolOutput,
  type ToolResultPart,
} from '../core/message.ts'

export type ToPrompt = (messages: readonly ContextMessage[]) => LanguageModelV4Prompt

/**
 * Converts a context into the provider interface's prompt, each message object once: the next turn finds it again as
 * long as the caller hands in the same objects. A message with nothing that a provider would accept is left out.
 */
export function createToPrompt(): ToPrompt {
  const known = new WeakMap<ContextMessage, LanguageModelV4Message>()
  return (messages) => {
    const prompt: LanguageModelV4Prompt = []
    for (const message of messages) {
      let converted = known.get(message)
      if (!converted) known.set(message, (converted = convert(message)))
      if (converted.content.length > 0) prompt.push(converted)
    }
    return prompt
  }
}

/** A tool's name as every provider accepts it: models invent names, and they come back with the transcript. */
export function toolName(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 63)
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`
}

function convert(message: ContextMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: textOf(message.parts) }
    case 'user':
      return { role: 'user', content: message.parts.flatMap(userPart) }
    case 'assistant':
      return { role: 'assistant', content: message.parts.flatMap(assistantPart) }
    case 'tool':
      return { role: 'tool', content: message.parts.flatMap(toolPart) }
    default:
      return unreachable(message.role)
  }
}

function userPart(part: Part): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (part.type === 'text') return textPart(part.text, part.metadata)
  return part.type === 'file' ? [filePart(part.file)] : []
}

type AssistantPart =
  | LanguageModelV4TextPart
  | LanguageModelV4FilePart
  | LanguageModelV4ReasoningPart
  | LanguageModelV4ToolCallPart

function assistantPart(part: Part): AssistantPart[] {
  switch (part.type) {
    case 'text':
      return textPart(part.text, part.metadata)
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...options(part.metadata) }]
    case 'tool-call':
      return [
        {
          type: 'tool-call',
          toolCallId: part.callId,
          toolName: toolName(part.tool),
          input: isObject(part.input) ? part.input : {},
          ...options(part.metadata),
        },
      ]
    case 'file':
      return [filePart(part.file)]
    default:
      return []
  }
}

function toolPart(part: Part): LanguageModelV4ToolResultPart[] {
  if (part.type !== 'tool-result') return []
  return [
    { type: 'tool-result', toolCallId: part.callId, toolName: toolName(part.tool), output: toolOutput(part) },
  ]
}

function toolOutput(part: ToolResultPart): LanguageModelV4ToolResultOutput {
  switch (part.status) {
    case 'failed':
      return { type: 'error-text', value: part.output.text }
    case 'denied':
      return { type: 'execution-denied', reason: part.output.text }
    case 'completed':
    case 'skipped':
    case 'unknown':
      return textOutput(part.output)
    default:
      return unreachable(part.status)
  }
}

function textOutput({ text, files }: ToolOutput): LanguageModelV4ToolResultOutput {
  if (!files || files.length === 0) return { type: 'text', value: text }
  return { type: 'content', value: [...textPart(text), ...files.map(filePart)] }
}

/** Providers refuse text of white space alone, unless it carries something of theirs. */
function textPart(text: string, metadata?: ProviderMetadata): LanguageModelV4TextPart[] {
  return metadata || /\S/.test(text) ? [{ type: 'text', text, ...options(metadata) }] : []
}

function filePart(file: FileData): LanguageModelV4FilePart {
  const { mediaType, data, filename } = file
  return {
    type: 'file',
    mediaType,
    data: { type: 'data', data },
    ...(filename === undefined ? {} : { filename }),
  }
}

function options(metadata: ProviderMetadata | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return metadata ? { providerOptions: metadata } : {}
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
