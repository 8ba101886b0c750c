import type { AgentDefinition } from '../core/agent.ts'
import { schemaChecker } from './schema-checker.ts'
import { templateProblem } from './prompt-template.ts'

/** Why an agent's typed input or report cannot work, as a sentence without its subject; null: it works. */
export function typedProblem(
  agent: Pick<AgentDefinition, 'prompt' | 'inputSchema' | 'outputSchema'>,
): string | null {
  for (const name of ['inputSchema', 'outputSchema'] as const) {
    const schema = agent[name]
    const made = schema && schemaChecker(schema)
    if (typeof made === 'string') return `its field ${name} cannot be used: ${made}`
  }
  return templateProblem(agent)
}
