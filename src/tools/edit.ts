import { workingTools } from '../core/rules/tool-names.ts'
import { z } from 'zod'
import { defineTool, describeTool, titleLine } from './define-tool.ts'
import { textAsSeen, type DetailContext } from './change-detail.ts'
import { replaceText, type TextReplacement } from './edit-text.ts'
import { notFound } from './not-found.ts'
import { ToolError, type AnyTool, type ResolvedPath, type ToolContext } from './port.ts'
import { targetOf } from './path-target.ts'
import { decodeText, encodeText, toLineFeeds } from './text-file.ts'
import { countChanges, diffOfPieces, unifiedDiff, wholeDiff } from './unified-diff.ts'
import { checkSeen, readCurrent, removeTemporary, replaceFile } from './write-file.ts'

const inputSchema = z.lazy(() =>
  z.object({
    file_path: z.string().min(1).max(4096).describe('the file, relative to the workspace or absolute'),
    old_string: z.string().describe('the text to replace, exactly as in the file'),
    new_string: z.string().describe('the replacement text'),
    replace_all: z.boolean().optional().describe('replace every occurrence'),
  }),
)

type Input = z.infer<typeof inputSchema>

/** `edit {file_path, old_string, new_string, replace_all?}`: edits a part of a file. */
export function editTool(): AnyTool {
  return defineTool<Input, string>({
    name: 'edit',
    toolset: 'files',
    description: describeTool('edit.txt'),
    inputSchema,
    effects: 'write',
    idempotent: false,
    aliases: workingTools.edit.aliases,
    inputAliases: {
      path: 'file_path',
      filePath: 'file_path',
      file: 'file_path',
      oldString: 'old_string',
      old_str: 'old_string',
      old_text: 'old_string',
      oldText: 'old_string',
      old: 'old_string',
      newString: 'new_string',
      new_str: 'new_string',
      new_text: 'new_string',
      newText: 'new_string',
      new: 'new_string',
      replaceAll: 'replace_all',
    },
    subject: (input) => [{ kind: 'path', value: input.file_path }],
    title: (input) => titleLine(`Edit ${input.file_path}`),
    detail,
    execute,
    cleanUp: ({ file_path }, { workspace, run }) => removeTemporary(workspace.resolve(file_path), run.callId),
    toModelOutput: (text) => ({ text }),
  })
}

/** The change as it would be made now, with the file's line numbers; for an unreadable file, only the two texts. */
async function detail(input: Input, context: DetailContext): Promise<string> {
  const { file_path: name, old_string: old, new_string: next } = input
  const text = await textAsSeen(context, name)
  if (text === undefined) return old === '' ? wholeDiff(name, '', next) : diffOfPieces(name, old, next)
  try {
    return wholeDiff(name, text, replaceText(text, wanted(input, text, name)).text)
  } catch (error) {
    if (error instanceof ToolError) return diffOfPieces(name, old, next)
    throw error
  }
}

/** In a file with mixed line ends, the text is first matched exactly. */
function wanted(input: Input, text: string, name: string): TextReplacement {
  const mixed = text.includes('\r')
  return {
    old: mixed ? input.old_string : toLineFeeds(input.old_string),
    new: mixed ? input.new_string : toLineFeeds(input.new_string),
    all: input.replace_all ?? false,
    name,
  }
}

async function execute(input: Input, context: ToolContext): Promise<string> {
  const target = targetOf(context, input.file_path)
  const current = await readCurrent(target)
  if (!current) return create(input, target, context)
  checkSeen(target, current, context)
  const file = decodeText(current.bytes, target.relative)
  const { text, count, tolerant } = replaceText(file.text, wanted(input, file.text, target.relative))
  const diff = unifiedDiff(target.relative, file.text, text)
  await replaceFile(target, { bytes: encodeText(file, text), current, lines: countChanges(diff) }, context)
  const places = count === 1 ? '1 place' : `${count} places`
  const how = tolerant ? '; the white space of old_string did not match exactly' : ''
  return `edited ${target.relative} (${places}${how})\n${diff}`
}

async function create(input: Input, target: ResolvedPath, context: ToolContext): Promise<string> {
  if (input.old_string !== '') throw await notFound(target)
  if (input.new_string === '')
    throw new ToolError('no_change', 'old_string and new_string are both empty; there is nothing to do')
  const diff = unifiedDiff(target.relative, '', input.new_string)
  await replaceFile(target, { bytes: Buffer.from(input.new_string), lines: countChanges(diff) }, context)
  return `created ${target.relative}\n${diff}`
}
