import { workingTools } from '../core/rules/tool-names.ts'
import { z } from 'zod'
import { defineTool, describeTool, titleLine } from './define-tool.ts'
import { notFound } from './not-found.ts'
import { ToolError, type AnyTool, type ModelOutput, type ToolContext } from './port.ts'
import { readFile, type FileText } from './read-file.ts'
import { targetOf } from './path-target.ts'

const inputSchema = z.lazy(() =>
  z.object({
    file_path: z.string().min(1).max(4096).describe('the file, relative to the workspace or absolute'),
    offset: z.int().min(0).max(1_000_000_000).optional().describe('number of the first line, from 1'),
    limit: z.int().min(1).max(1_000_000_000).optional().describe('number of lines, 2000 by default'),
  }),
)

type Input = z.infer<typeof inputSchema>

const DEFAULT_LIMIT = 2_000

/** `read {file_path, offset?, limit?}`: numbered lines; images and PDFs as files. */
export function readTool(): AnyTool {
  return defineTool<Input, ModelOutput>({
    name: 'read',
    toolset: 'files',
    description: describeTool('read.txt'),
    inputSchema,
    effects: 'none',
    idempotent: true,
    aliases: workingTools.read.aliases,
    inputAliases: { path: 'file_path', filePath: 'file_path', file: 'file_path', filename: 'file_path' },
    subject: (input) => [{ kind: 'path', value: input.file_path }],
    title: (input) => titleLine(`Read ${input.file_path}${rangeOf(input)}`),
    execute,
    toModelOutput: (output) => output,
  })
}

function rangeOf({ offset, limit }: Input): string {
  if (offset === undefined && limit === undefined) return ''
  const first = Math.max(1, offset ?? 1)
  return limit === undefined ? `:${first}-` : `:${first}-${first + limit - 1}`
}

async function execute(input: Input, context: ToolContext): Promise<ModelOutput> {
  const target = targetOf(context, input.file_path)
  const first = Math.max(1, input.offset ?? 1)
  try {
    const content = await readFile(target, { first, count: input.limit ?? DEFAULT_LIMIT }, context.signal)
    if (content.stamp) context.files.record(target.absolute, content.stamp)
    context.receipt?.({ type: 'read', path: target.absolute, hash: content.stamp?.hash ?? null })
    if (content.type === 'text') return { text: numbered(content, first) }
    return {
      text: `${target.relative} (${content.file.mediaType}, ${content.size} bytes)`,
      files: [content.file],
    }
  } catch (error) {
    if (error instanceof ToolError && error.code === 'not_found') throw await notFound(target)
    throw error
  }
}

const MAX_TEXT = 2 * 1024 * 1024

function numbered(content: FileText, first: number): string {
  if (content.total === 0) return '(the file is empty)'
  if (content.lines.length === 0) {
    throw new ToolError(
      'out_of_range',
      `the file has ${content.total} lines; line ${first} is beyond its end`,
    )
  }
  const lines: string[] = []
  let size = 0
  for (const [index, line] of content.lines.entries()) {
    size += line.length + 8
    if (size > MAX_TEXT && lines.length > 0) break
    lines.push(`${String(first + index).padStart(6)}\t${line}`)
  }
  return lines.join('\n') + remainder(content, first, first + lines.length - 1)
}

function remainder(content: FileText, first: number, last: number): string {
  if (content.total === null)
    return `\n(lines ${first}-${last} of a very large file; continue with offset ${last + 1})`
  if (last < content.total)
    return `\n(lines ${first}-${last} of ${content.total}; continue with offset ${last + 1})`
  return first > 1 ? `\n(lines ${first}-${last} of ${content.total}; this is the end)` : ''
}
