import { workingTools } from '../core/rules/tool-names.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { defineTool, describeTool, titleLine } from './define-tool.ts'
import type { AnyTool, ToolContext } from './port.ts'
import { ripgrep, type RipgrepResult } from './ripgrep.ts'
import { searchPlace, shownText, type SearchPlace } from './search-place.ts'
import { targetOf } from './path-target.ts'

const inputSchema = z.lazy(() =>
  z.object({
    pattern: z.string().min(1).max(10_000).describe('a regular expression'),
    path: z
      .string()
      .max(4096)
      .optional()
      .describe('the file or directory to search; the workspace by default'),
    glob: z.string().max(1_000).optional().describe('only files that match this glob'),
    output_mode: z
      .enum(['content', 'files_with_matches', 'count'])
      .optional()
      .describe('`content` by default'),
    context: z.int().min(0).max(50).optional().describe('lines around each match'),
    ignore_case: z.boolean().optional().describe('ignore upper and lower case'),
    limit: z.int().min(1).max(20_000).optional().describe('lines to show, 250 by default'),
  }),
)

type Input = z.infer<typeof inputSchema>

const DEFAULT_LIMIT = 250
const MAX_COLUMNS = 500

/** `grep {pattern, path?, glob?, output_mode?, context?, ignore_case?, limit?}`: runs ripgrep, sorted by path. */
export function grepTool(): AnyTool {
  return defineTool<Input, string>({
    name: 'grep',
    toolset: 'files',
    description: describeTool('grep.txt'),
    inputSchema,
    effects: 'none',
    idempotent: true,
    aliases: workingTools.grep.aliases,
    inputAliases: {
      query: 'pattern',
      regex: 'pattern',
      include: 'glob',
      '-C': 'context',
      '-i': 'ignore_case',
      head_limit: 'limit',
      max_results: 'limit',
      directory: 'path',
      file_path: 'path',
    },
    subject: (input) => [{ kind: 'path', value: input.path ?? '.' }],
    title: (input) => titleLine(`Grep ${JSON.stringify(input.pattern)}${placeOf(input)}`),
    execute,
    toModelOutput: (text) => ({ text }),
  })
}

function placeOf({ path, glob }: Input): string {
  return [path, glob]
    .filter(Boolean)
    .map((part) => ` in ${part}`)
    .join('')
}

async function execute(input: Input, context: ToolContext): Promise<string> {
  const place = await searchPlace(targetOf(context, input.path ?? '.'), context.workspace)
  const result = await ripgrep({
    args: [...argumentsOf(input), '--regexp', input.pattern, '--', `./${place.file ?? ''}`],
    directory: place.directory,
    ...(input.glob && place.file === undefined ? { glob: input.glob } : {}),
    parents: place.parents,
    context,
  })
  return render(result, input, place, context)
}

function argumentsOf(input: Input): string[] {
  const args = ['--sort=path', '--with-filename', '--null']
  if (input.ignore_case) args.push('--ignore-case')
  switch (input.output_mode ?? 'content') {
    case 'files_with_matches':
      return [...args, '--files-with-matches']
    case 'count':
      return [...args, '--count-matches']
    case 'content':
      args.push('--line-number', '--no-heading', `--max-columns=${MAX_COLUMNS}`, '--max-columns-preview')
      return input.context ? [...args, `--context=${input.context}`] : args
  }
}

function render(result: RipgrepResult, input: Input, place: SearchPlace, context: ToolContext): string {
  const named = nameLines(result.output, input, place, context)
  const limit = input.limit ?? DEFAULT_LIMIT
  const lines = named.lines.slice(0, limit)
  if (named.lines.length === 0) lines.push('(no match)')
  const more = named.lines.length - limit
  if (more > 0 || result.truncated)
    lines.push(
      `(${Math.max(more, 0)}${result.truncated ? ' or more' : ''} further lines; narrow the search or raise limit)`,
    )
  if (named.hidden > 0)
    lines.push(
      `(${named.hidden} files that look like secrets or settings were left out; name one as path to search it)`,
    )
  if (result.problems) lines.push(`(not searched: ${result.problems.split('\n')[0]})`)
  return lines.join('\n')
}

/** Each record of ripgrep is a path, NUL, and the rest. Replaces the path with the name that other tools accept. */
function nameLines(output: string, input: Input, place: SearchPlace, context: ToolContext) {
  const names = new Map<string, string | undefined>()
  const lines: string[] = []
  const records =
    input.output_mode === 'files_with_matches' ? pathRecords(output) : lineRecords(output, place.directory)
  for (const { path, rest } of records) {
    if (path === SEPARATOR) {
      lines.push(path)
      continue
    }
    if (!names.has(path)) names.set(path, shownText(path, place, context))
    const name = names.get(path)
    if (name !== undefined) lines.push(joinRecord(name, rest))
  }
  return { lines, hidden: [...names.values()].filter((name) => name === undefined).length }
}

interface SearchRecord {
  /** Starts with `./`; otherwise the record is a message without a path, such as the one about a binary file. */
  readonly path: string
  readonly rest?: string
}

const SEPARATOR = '--'

function pathRecords(output: string): SearchRecord[] {
  return output
    .split('\0')
    .filter(Boolean)
    .map((path) => ({ path }))
}

/** A path may contain line feeds, the text after its NUL does not; truncated output ends with an incomplete record. */
function lineRecords(output: string, directory: string): SearchRecord[] {
  const records: SearchRecord[] = []
  let at = 0
  for (;;) {
    const nul = output.indexOf('\0', at)
    const end = nul < 0 ? -1 : output.indexOf('\n', nul)
    const before = output.slice(at, end < 0 ? output.lastIndexOf('\n') : nul).split('\n')
    if (end < 0) return [...records, ...before.filter(Boolean).map((path) => ({ path }))]
    while (before.length > 1 && !existsSync(join(directory, before.join('\n'))))
      records.push({ path: before.shift()! })
    records.push({ path: before.join('\n'), rest: output.slice(nul + 1, end) })
    at = end + 1
  }
}

/** The number is followed by `:` in a match and `-` in a context line; the same sign precedes it. */
function joinRecord(name: string, rest: string | undefined): string {
  if (rest === undefined) return name
  const text = rest.replace(/\r$/, '')
  const sign = /^\d+-/.test(text) ? '-' : ':'
  return name + sign + text
}
