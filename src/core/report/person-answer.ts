import type { ToolResultPart } from '../message.ts'
import { toolSpelled } from '../rules/tool-names.ts'

/** What a person answered to the question that a call asked; undefined: the result holds no words of a person. */
export function personAnswer({
  tool,
  status,
  output,
}: Pick<ToolResultPart, 'tool' | 'status' | 'output'>): string | undefined {
  return status === 'completed' && toolSpelled(tool) === 'ask_user' ? output.text : undefined
}
