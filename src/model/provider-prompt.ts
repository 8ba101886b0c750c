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
import { sizeText } from '../core/size-text.ts'
import { allFiles, type FileReading } from './file-reading.ts'

export type ToPrompt = (messages: readonly ContextMessage[]) => LanguageModelV4Prompt

/** A message, with content of its tool results that the model cannot be shown there. */
interface Converted {
  readonly message: LanguageModelV4Message
  readonly behind: readonly UserPart[]
}

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart

/**
 * Converts a context to a prompt of the provider interface. Each message object is converted once and cached for the
 * next turn. Drops messages without content that a provider would accept. Files of results follow the last result of
 * their turn if the model cannot read them in place.
 */
export function createToPrompt(files: FileReading = allFiles): ToPrompt {
  const known = new WeakMap<ContextMessage, Converted>()
  return (messages) => {
    const prompt: LanguageModelV4Prompt = []
    let behind: UserPart[] = []
    const showFiles = () => {
      if (behind.length > 0) prompt.push({ role: 'user', content: behind })
      behind = []
    }
    for (const message of messages) {
      let converted = known.get(message)
      if (!converted) known.set(message, (converted = convert(message, files)))
      if (message.role !== 'tool') showFiles()
      if (converted.message.content.length > 0) prompt.push(converted.message)
      behind.push(...converted.behind)
    }
    showFiles()
    return prompt
  }
}

/** A tool name that every provider accepts: models invent names, which return with the transcript. */
export function toolName(name: string): string {
  const legal = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 63)
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`
}

function convert({ role, parts }: ContextMessage, files: FileReading): Converted {
  switch (role) {
    case 'system':
      return { message: { role, content: textOf(parts) }, behind: [] }
    case 'user':
      return { message: { role, content: parts.flatMap((part) => userPart(part, files)) }, behind: [] }
    case 'assistant':
      return { message: { role, content: parts.flatMap(assistantPart) }, behind: [] }
    case 'tool':
      return {
        message: { role, content: parts.flatMap((part) => toolPart(part, files)) },
        behind: parts.flatMap((part) => filesBehind(part, files)),
      }
    default:
      return unreachable(role)
  }
}

function userPart(part: Part, files: FileReading): UserPart[] {
  if (part.type === 'text') return textPart(part.text, part.metadata)
  if (part.type !== 'file') return []
  return [
    files.reads(part.file.mediaType) ? filePart(part.file) : { type: 'text', text: described(part.file) },
  ]
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

function toolPart(part: Part, files: FileReading): LanguageModelV4ToolResultPart[] {
  if (part.type !== 'tool-result') return []
  const { callId: toolCallId, tool } = part
  return [{ type: 'tool-result', toolCallId, toolName: toolName(tool), output: toolOutput(part, files) }]
}

/** To a model, user messages come from a person: this text says that it does not. */
function filesBehind(part: Part, files: FileReading): UserPart[] {
  if (part.type !== 'tool-result' || files.inResults || !hasFiles(part)) return []
  const shown = (part.output.files ?? []).filter(({ mediaType }) => files.reads(mediaType))
  return shown.flatMap((file) => [
    { type: 'text', text: `[Not from the user: ${nameOf(file)}, from the result of ${part.tool}]` },
    filePart(file),
  ])
}

function toolOutput(part: ToolResultPart, files: FileReading): LanguageModelV4ToolResultOutput {
  switch (part.status) {
    case 'failed':
      return { type: 'error-text', value: part.output.text }
    case 'denied':
      return { type: 'execution-denied', reason: part.output.text }
    case 'completed':
    case 'skipped':
    case 'unknown':
      return textOutput(part.output, files)
    default:
      return unreachable(part.status)
  }
}

function textOutput({ text, files = [] }: ToolOutput, reading: FileReading): LanguageModelV4ToolResultOutput {
  if (files.length === 0) return { type: 'text', value: text }
  if (reading.inResults) return { type: 'content', value: [...textPart(text), ...files.map(filePart)] }
  const notes = files.map((file) =>
    reading.reads(file.mediaType) ? `[${nameOf(file)}: shown in the next message]` : described(file),
  )
  return { type: 'text', value: [text, ...notes].filter((line) => /\S/.test(line)).join('\n') }
}

/** Results whose files a model may see; a failed one is only its error. */
function hasFiles({ status }: ToolResultPart): boolean {
  return status !== 'failed' && status !== 'denied'
}

function described(file: FileData): string {
  return `[${nameOf(file)}: this model cannot be shown it]`
}

/** `a.png (image/png, 12 KiB)`. The name of a file or a tool. */
function nameOf({ filename, mediaType, data }: FileData): string {
  const name = (filename ?? 'a file').replace(/\p{Cc}/gu, ' ').slice(0, 200)
  return `${name} (${mediaType.slice(0, 100)}, ${sizeText(Math.floor((data.length * 3) / 4))})`
}

/** Providers reject text of only white space, unless it carries their own metadata. */
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
