import { workingTools } from '../core/rules/tool-names.ts'
import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { defineTool, describeTool, titleLine } from './define-tool.ts'
import { ToolError, type AnyTool, type ToolContext } from './port.ts'
import { ripgrep } from './ripgrep.ts'
import { searchPlace, shownName } from './search-place.ts'
import { targetOf } from './path-target.ts'

const inputSchema = z.lazy(() =>
  z.object({
    pattern: z.string().min(1).max(1_000).describe('a glob such as `**/*.ts`'),
    path: z.string().max(4096).optional().describe('the directory to search; the workspace by default'),
    limit: z.int().min(1).max(5_000).optional().describe('paths to show, 200 by default'),
  }),
)

type Input = z.infer<typeof inputSchema>

const DEFAULT_LIMIT = 200

/** `glob {pattern, path?, limit?}`: file paths, newest first. */
export function globTool(): AnyTool {
  return defineTool<Input, string>({
    name: 'glob',
    toolset: 'files',
    description: describeTool('glob.txt'),
    inputSchema,
    effects: 'none',
    idempotent: true,
    aliases: workingTools.glob.aliases,
    inputAliases: { glob_pattern: 'pattern', glob: 'pattern', directory: 'path', target_directory: 'path' },
    subject: (input) => [{ kind: 'path', value: splitPattern(input).base }],
    title: (input) => titleLine(`Glob ${input.pattern}${input.path ? ` in ${input.path}` : ''}`),
    execute,
    toModelOutput: (text) => ({ text }),
  })
}

/** The part before the first wildcard is the directory that the call touches: `../**` leaves the workspace. */
function splitPattern(input: Input): { base: string; glob: string } {
  const names = input.pattern.split('/')
  const wild = names.findIndex((name) => /[*?[{\\]/.test(name))
  const fixed = names.slice(0, wild < 0 ? -1 : wild)
  // a plain relative name matches relative to `path`; only a path that leaves it needs resolving
  if (fixed.length === 0 || (wild < 0 && !leaves(fixed)))
    return { base: input.path ?? '.', glob: input.pattern }
  const prefix = fixed.join('/') || '/'
  const base = isAbsolute(prefix) || prefix.startsWith('~') ? prefix : join(input.path ?? '.', prefix)
  return { base, glob: `/${names.slice(fixed.length).join('/')}` }
}

function leaves(names: readonly string[]): boolean {
  return names[0] === '' || names.includes('..') || names[0] === '~'
}

async function execute(input: Input, context: ToolContext): Promise<string> {
  const { base, glob } = splitPattern(input)
  if (glob.split(/[/{},]/).includes('..'))
    throw new ToolError('invalid_pattern', '".." may appear only before the first wildcard of a glob')
  const place = await searchPlace(targetOf(context, base), context.workspace)
  if (place.file !== undefined)
    throw new ToolError('invalid_path', `${place.target.relative} is a file; path is the directory to search`)
  const { output, truncated, problems } = await ripgrep({
    args: ['--files', '--null', '--sortr=modified'],
    directory: place.directory,
    glob,
    parents: place.parents,
    context,
  })
  const files = output
    .split('\0')
    .filter(Boolean)
    .flatMap((path) => shownName(path, place, context) ?? [])
  return render(files, input.limit ?? DEFAULT_LIMIT, truncated, problems)
}

function render(files: readonly string[], limit: number, truncated: boolean, problems: string): string {
  const lines = files.slice(0, limit)
  if (files.length === 0) lines.push('(no file matches)')
  if (files.length > limit)
    lines.push(
      `(${files.length - limit}${truncated ? ' or more' : ''} further files; narrow the pattern or raise limit)`,
    )
  if (problems) lines.push(`(not searched: ${problems.split('\n')[0]})`)
  return lines.join('\n')
}
