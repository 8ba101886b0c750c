import { workingTools } from '../core/rules/tool-names.ts'
import type { Dirent } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { defineTool, describeTool, titleLine } from './define-tool.ts'
import { openDirectory } from './open-file.ts'
import type { AnyTool, ToolContext } from './port.ts'
import { printedName } from './printed-name.ts'
import { targetOf } from './path-target.ts'

const inputSchema = z.lazy(() =>
  z.object({
    path: z.string().max(4096).optional().describe('the directory; the workspace by default'),
    depth: z.int().min(1).max(10).optional().describe('levels to show, 2 by default'),
  }),
)

type Input = z.infer<typeof inputSchema>

const DEFAULT_DEPTH = 2
const MAX_ENTRIES = 1_000
const NOT_ENTERED = new Set(['.git', 'node_modules'])

/** `list {path?, depth?}`: the names in a directory. */
export function listTool(): AnyTool {
  return defineTool<Input, string>({
    name: 'list',
    toolset: 'files',
    description: describeTool('list.txt'),
    inputSchema,
    effects: 'none',
    idempotent: true,
    aliases: workingTools.list.aliases,
    inputAliases: { directory: 'path', dir_path: 'path', file_path: 'path', target_directory: 'path' },
    subject: (input) => [{ kind: 'path', value: input.path ?? '.' }],
    title: (input) => titleLine(`List ${input.path ?? '.'}`),
    execute,
    toModelOutput: (text) => ({ text }),
  })
}

async function execute(input: Input, context: ToolContext): Promise<string> {
  const target = targetOf(context, input.path ?? '.')
  const { handle, handlePath } = await openDirectory(target.absolute, target.relative)
  try {
    const listing: Listing = { lines: [], more: false, signal: context.signal }
    await walk(handlePath, '', input.depth ?? DEFAULT_DEPTH, listing)
    if (listing.lines.length === 0) return '(the directory is empty)'
    if (listing.more)
      listing.lines.push(`(more than ${MAX_ENTRIES} entries; name a directory or a smaller depth)`)
    return listing.lines.join('\n')
  } finally {
    await handle.close()
  }
}

interface Listing {
  readonly lines: string[]
  more: boolean
  readonly signal: AbortSignal
}

async function walk(directory: string, prefix: string, depth: number, listing: Listing): Promise<void> {
  listing.signal.throwIfAborted()
  for (const entry of await entriesOf(join(directory, prefix), prefix, listing)) {
    if (listing.lines.length >= MAX_ENTRIES) {
      listing.more = true
      return
    }
    const path = prefix + entry.name
    listing.lines.push(await lineOf(entry, path, directory))
    if (entry.isDirectory() && depth > 1 && !NOT_ENTERED.has(entry.name))
      await walk(directory, `${path}/`, depth - 1, listing)
  }
}

/** An unreadable or vanished directory is listed with its error. */
async function entriesOf(path: string, prefix: string, listing: Listing): Promise<Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    listing.lines.push(
      `${printedName(prefix)} (cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'error'})`,
    )
    return []
  }
}

async function lineOf(entry: Dirent, path: string, directory: string): Promise<string> {
  if (entry.isDirectory()) return printedName(`${path}/`)
  const name = printedName(path)
  if (entry.isSymbolicLink())
    return `${name} -> ${printedName(await readlink(join(directory, path)).catch(() => '?'))}`
  return entry.isFile() ? name : `${name} (not a regular file)`
}
