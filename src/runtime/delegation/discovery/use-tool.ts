import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { MAX_INNER_CALLS, USE_TOOL } from '../../../core/inner-calls.ts'
import { discoveryAliases } from '../../../core/rules/tool-names.ts'
import { defineTool } from '../../../tools/define-tool.ts'
import { ToolError, type AnyTool } from '../../../tools/port.ts'

const inputSchema = z.lazy(() => {
  const call = z.object({
    toolset: z.string().optional(),
    tool: z.string().min(1),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  return z.object({ calls: z.array(call).min(1).max(MAX_INNER_CALLS) })
})

type Input = z.infer<typeof inputSchema>

/**
 * `use_tool {calls}`: a container for calls that the loop runs instead (core/inner-calls.ts). Only a call that could
 * not be split arrives here.
 */
export function createUseTool(): AnyTool {
  return defineTool<Input, never>({
    name: USE_TOOL,
    toolset: 'discovery',
    aliases: discoveryAliases.use_tool,
    description: readFileSync(new URL('use-tool.txt', import.meta.url), 'utf8').trim(),
    inputSchema,
    effects: 'none',
    idempotent: true,
    inputAliases: { agent: 'toolset' },
    subject: () => [],
    title: () => 'Use a tool',
    execute: async () => {
      throw new ToolError(
        'invalid_input',
        'tool: `use_tool` cannot be called through itself; put the calls side by side in `calls`, each as {toolset, tool, params}',
      )
    },
    toModelOutput: () => ({ text: '' }),
  })
}
