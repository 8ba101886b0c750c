import { workingTools } from '../core/rules/tool-names.ts'
import { z } from 'zod'
import { textAsSeen } from './change-detail.ts'
import { defineTool, describeTool, titleLine } from './define-tool.ts'
import { ToolError, type AnyTool, type ResolvedPath, type ToolContext } from './port.ts'
import { targetOf } from './path-target.ts'
import { decodeText, encodeText, type TextFile } from './text-file.ts'
import { countChanges, noLines, unifiedDiff, unknownLines, wholeDiff } from './unified-diff.ts'
import { checkSeen, readCurrent, removeTemporary, replaceFile, type CurrentFile } from './write-file.ts'

const inputSchema = z.lazy(() =>
  z.object({
    file_path: z.string().min(1).max(4096).describe('the file, relative to the workspace or absolute'),
    content: z.string().describe('the whole new text'),
  }),
)

type Input = z.infer<typeof inputSchema>

/** `write {file_path, content}`: replaces or creates a whole file. */
export function writeTool(): AnyTool {
  return defineTool<Input, string>({
    name: 'write',
    toolset: 'files',
    description: describeTool('write.txt'),
    inputSchema,
    effects: 'write',
    idempotent: true,
    aliases: workingTools.write.aliases,
    inputAliases: {
      path: 'file_path',
      filePath: 'file_path',
      file: 'file_path',
      filename: 'file_path',
      text: 'content',
      contents: 'content',
    },
    subject: (input) => [{ kind: 'path', value: input.file_path }],
    title: (input) => titleLine(`Write ${input.file_path}`),
    detail: async ({ file_path: name, content }, context) =>
      wholeDiff(name, (await textAsSeen(context, name)) ?? '', content),
    execute,
    cleanUp: ({ file_path }, { workspace, run }) => removeTemporary(workspace.resolve(file_path), run.callId),
    toModelOutput: (text) => ({ text }),
  })
}

async function execute(input: Input, context: ToolContext): Promise<string> {
  const target = targetOf(context, input.file_path)
  if (/[/\\]\.?$/.test(input.file_path))
    throw new ToolError('invalid_path', `${input.file_path} names a directory; give the path of a file`)
  const current = await readCurrent(target)
  const old = current && textOf(current, target.relative)
  const bytes = old ? encodeText(old, input.content.replace(/^\ufeff/, '')) : Buffer.from(input.content)
  // a call repeated after a crash finds its own result
  if (current?.bytes.equals(bytes)) return unchanged(target, current, context)
  if (current) checkSeen(target, current, context)
  const diff = old ? unifiedDiff(target.relative, old.text, input.content) : ''
  const count = lineCount(input.content)
  const lines = current ? (old ? countChanges(diff) : unknownLines) : { added: count, removed: 0 }
  await replaceFile(target, { bytes, current, lines }, context)
  const size = `${count} lines, ${bytes.length} bytes`
  if (!current) return `created ${target.relative} (${size})`
  return `wrote ${target.relative} (${size})\n${diff}`.trimEnd()
}

function lineCount(text: string): number {
  return text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0)
}

function unchanged(
  { absolute, relative }: ResolvedPath,
  { stamp }: CurrentFile,
  context: ToolContext,
): string {
  context.receipt?.({ type: 'changed', path: absolute, before: stamp.hash, after: stamp.hash, ...noLines })
  return `${relative} already has exactly this content`
}

/** Undefined if the content is not text, which is then replaced byte by byte. */
function textOf(current: CurrentFile, name: string): TextFile | undefined {
  try {
    return decodeText(current.bytes, name)
  } catch {
    return undefined
  }
}
