import type { JsonSchema } from '../core/agent.ts'
import { fenced } from './bounded-text.ts'

/** Instructions for a report with a schema. Schemas are bounded earlier (schema-problem.ts). */
export function reportPrompt(schema: JsonSchema): string {
  return [
    '# Report',
    'The text of your last turn is read by a program: it is one JSON value that satisfies the JSON Schema below, and nothing else - no words before or after it, no comments in it. Where the schema has no place for something that you would add, leave it out.',
    fenced(JSON.stringify(schema)),
  ].join('\n')
}
