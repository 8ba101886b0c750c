import { globTool } from '../../src/tools/glob.ts'
import { grepTool } from '../../src/tools/grep.ts'
import { listTool } from '../../src/tools/list.ts'
import { parseInput } from '../../src/tools/parse-input.ts'
import type { AnyTool, ToolContext } from '../../src/tools/port.ts'
import { readTool } from '../../src/tools/read.ts'
import { createWorkspace } from '../../src/tools/workspace.ts'

const TOOLS: readonly AnyTool[] = [grepTool(), globTool(), readTool(), listTool()]

/** What a reading tool shows a model of a directory. @throws ToolError as the tool does. */
export async function useFileTool(root: string, name: string, input: unknown): Promise<string> {
  const tool = TOOLS.find((each) => each.name === name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  const context = {
    signal: AbortSignal.timeout(60_000),
    workspace: createWorkspace(root),
    files: { seen: () => undefined, record: () => {} },
  }
  const output = await tool.execute(parseInput(tool, input) as never, context as unknown as ToolContext)
  return tool.toModelOutput(output).text
}
