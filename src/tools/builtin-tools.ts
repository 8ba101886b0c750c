import { bashTool } from './bash.ts'
import { editTool } from './edit.ts'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { listTool } from './list.ts'
import type { AnyTool } from './port.ts'
import { readTool } from './read.ts'
import { todoTool } from './todo.ts'
import { writeTool } from './write.ts'

/** The working tools (docs/tools.md), in the order in which models see them. */
export function builtinTools(): AnyTool[] {
  return [readTool(), writeTool(), editTool(), listTool(), globTool(), grepTool(), bashTool(), todoTool()]
}
