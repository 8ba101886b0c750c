import { controlAliases } from '../../core/rules/tool-names.ts'
import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { ToolOutput } from '../../core/message.ts'
import { defineTool, titleLine } from '../../tools/define-tool.ts'
import type { AnyTool, Tool } from '../../tools/port.ts'
import { preparedSchemas } from '../../tools/prepared-schemas.ts'
import type { ControlName } from '../task/task-input.ts'
import { targetAliases } from './task-target.ts'

interface ControlSpec<I> {
  readonly name: ControlName
  readonly inputSchema: z.ZodType<I>
  /** The input schema for the model. */
  readonly modelSchema: () => object
  readonly idempotent: boolean
  readonly verb: string
  /** A text, or the answer about a subagent. */
  execute(input: I, signal: AbortSignal): Promise<string | ToolOutput>
}

/** A tool that controls subagents; its description is in a .txt beside the code. */
export function controlTool<I extends { readonly task_id?: string | undefined }>(
  spec: ControlSpec<I>,
): AnyTool {
  const { name, verb, modelSchema: schema, execute, ...rest } = spec
  return defineTool<I, string | ToolOutput>({
    ...rest,
    name,
    toolset: 'agents',
    ...toldOf(name, schema),
    inputAliases: targetAliases,
    aliases: controlAliases[name],
    effects: 'none',
    subject: () => [],
    title: ({ task_id }) => titleLine(task_id ? `${verb} ${task_id}` : `${verb} subagents`),
    execute: (input, { signal }) => execute(input, signal),
    toModelOutput: (output) => (typeof output === 'string' ? { text: output } : output),
  } satisfies Tool<I, string | ToolOutput>)
}

type Told = Pick<AnyTool, 'description' | 'jsonSchema'>

/** The same in every run: made once. */
const told = new Map<ControlName, Told>()

function toldOf(name: ControlName, schema: () => object): Told {
  const known = told.get(name)
  if (known) return known
  const made = {
    description: readFileSync(new URL(`${name.replace('_', '-')}.txt`, import.meta.url), 'utf8').trim(),
    jsonSchema: preparedSchemas[name]?.() ?? schema(),
  }
  told.set(name, made)
  return made
}
