import type { FileData, Part, ToolResultPart } from '../../core/message.ts'
import { outputForPeople, reportForPeople } from '../../core/report/report-words.ts'

type AssistantBlock =
  | { readonly type: 'text'; readonly text: string; readonly citations: null }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

/** The content of an assistant message. A call in an answer that was cut is never run, so it is left out. */
export function assistantBlocks(parts: readonly Part[], aborted: boolean): readonly AssistantBlock[] {
  return parts.flatMap((part): AssistantBlock[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text, citations: null }]
      case 'reasoning':
        return [{ type: 'thinking', thinking: part.text, signature: '' }]
      case 'tool-call':
        return aborted ? [] : [{ type: 'tool_use', id: part.callId, name: part.tool, input: part.input }]
      default:
        return []
    }
  })
}

/** The content of a user message: text and files. Notices are for people alone. */
export function userBlocks(parts: readonly Part[]): readonly object[] {
  return parts.flatMap((part) => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'report') return [{ type: 'text', text: reportForPeople(part) }]
    return part.type === 'file' ? [fileBlock(part.file)] : []
  })
}

export function toolResultBlock({ callId, status, output }: ToolResultPart): object {
  const files = output.files ?? []
  const text = outputForPeople(output)
  const content = files.length === 0 ? text : [{ type: 'text', text }, ...files.map(fileBlock)]
  return { type: 'tool_result', tool_use_id: callId, content, is_error: status !== 'completed' }
}

const IMAGES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

function fileBlock({ mediaType, data, filename }: FileData): object {
  const source = { type: 'base64', media_type: mediaType, data }
  if (IMAGES.includes(mediaType)) return { type: 'image', source }
  if (mediaType === 'application/pdf') return { type: 'document', source }
  return { type: 'text', text: `[file ${filename ?? 'without a name'}, ${mediaType}]` }
}
