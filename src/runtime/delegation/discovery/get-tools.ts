import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { discoveryAliases } from '../../../core/rules/tool-names.ts'
import { boundedLine } from '../../../agents/bounded-text.ts'
import { defineTool, titleLine } from '../../../tools/define-tool.ts'
import type { AnyTool } from '../../../tools/port.ts'
import type { Registry } from '../../../tools/registry.ts'
import { toolSchema } from '../../../tools/tool-schema.ts'
import { findTools, toolsetsOf, type ToolQuery } from './find-tools.ts'

const inputSchema = z.lazy(() => {
  const names = z.array(z.string()).max(200).optional()
  return z.object({
    toolsets: names.describe('Names of toolsets: the schemas of all their tools'),
    tools: names.describe('Names of tools: their schemas'),
    query: z
      .string()
      .optional()
      .describe('Words to look for in names and descriptions, in all of them or in those named'),
  })
})

/** `get_tools {toolsets?, tools?, query?}`: the tools that a run may call, learned on demand (docs/discovery.md). */
export function createGetTools(known: Pick<Registry, 'get' | 'list'>): AnyTool {
  return defineTool<ToolQuery, string>({
    name: 'get_tools',
    toolset: 'discovery',
    aliases: discoveryAliases.get_tools,
    description: `${readFileSync(new URL('get-tools.txt', import.meta.url), 'utf8').trim()}\n\n${toolsetsLine(known)}`,
    inputSchema,
    effects: 'none',
    idempotent: true,
    inputAliases: {
      agents: 'toolsets',
      agent: 'toolsets',
      toolset: 'toolsets',
      tool: 'tools',
      names: 'tools',
    },
    subject: () => [],
    title: ({ toolsets = [], tools = [], query }) =>
      titleLine(
        ['Look up tools', ...toolsets, ...tools, ...(query ? [JSON.stringify(query)] : [])].join(' '),
      ),
    execute: async (input) => answer(input, known),
    toModelOutput: (text) => ({ text }),
  })
}

function answer(input: ToolQuery, known: Pick<Registry, 'get' | 'list'>): string {
  const found = findTools(input, known)
  if (found.all) return overview(known)
  const lines = [...found.unknown, ...schemas(found.tools)]
  if (found.tools.length === 0) lines.push(toolsetsLine(known))
  return lines.join('\n')
}

const MAX_TOOLSETS_CHARS = 2_000

function toolsetsLine(known: Pick<Registry, 'list'>): string {
  const toolsets = [...toolsetsOf(known)].map(([name, tools]) => `${boundedLine(name, 64)} (${tools.length})`)
  return boundedLine(`Toolsets: ${toolsets.join(', ')}`, MAX_TOOLSETS_CHARS)
}

/** Size of an answer: a larger one would become an artifact without its middle. */
const MAX_CHARS = 24_000
const MAX_LINE_CHARS = 160

function overview(known: Pick<Registry, 'list'>): string {
  const each = Math.min(MAX_LINE_CHARS, Math.floor(MAX_CHARS / known.list().length))
  const lines = [...toolsetsOf(known)].flatMap(([name, tools]) => [
    `${boundedLine(name, 64)}:`,
    ...tools.map((tool) => toolLine(tool, each)),
  ])
  const shown = within(lines, MAX_CHARS)
  const left = lines.length - shown.length
  return [
    toolsetsLine(known),
    ...shown,
    ...(left > 0 ? [`(and ${left} more lines: ask for toolsets, or with a query)`] : []),
  ].join('\n')
}

/** The first line of its description. */
function toolLine({ name, description }: AnyTool, maxChars: number): string {
  const [first = ''] = description.trim().split('\n', 1)
  const line = `- ${name}: ${first}`
  return maxChars < name.length + 20 ? `- ${name}` : boundedLine(line, maxChars)
}

/** Complete schemas, as many as fit and at least one; the others by name. */
function schemas(tools: readonly AnyTool[]): string[] {
  const lines = tools.map((tool) => {
    const { name, description, inputSchema } = toolSchema(tool)
    return JSON.stringify({ toolset: tool.toolset, name, description, inputSchema })
  })
  const count = Math.max(1, within(lines, MAX_CHARS).length)
  const others = tools.slice(count).map(({ name }) => name)
  const left =
    others.length > 0
      ? [boundedLine(`Too long to be shown with these, ask for fewer: ${others.join(', ')}`, 4_000)]
      : []
  return [...lines.slice(0, count), ...left]
}

function within(lines: readonly string[], maxChars: number): readonly string[] {
  let chars = 0
  const end = lines.findIndex((line) => (chars += line.length + 1) > maxChars)
  return end < 0 ? lines : lines.slice(0, end)
}
