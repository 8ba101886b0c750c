import { readFileSync } from 'node:fs'
import { taskJsonSchema } from './task-input.ts'

const TEXT = new URL('task.txt', import.meta.url)

/** The parts of the `task` tool that many runs share; created on first use. */
export interface TaskTexts {
  /** Description for models, without the list of agents. */
  description(): string
  /** For agents of these names. */
  jsonSchema(names: readonly string[]): object
}

export function createTaskTexts(): TaskTexts {
  const schemas = new Map<string, object>()
  let text: string | undefined
  return {
    description: () => (text ??= readFileSync(TEXT, 'utf8').trim()),
    jsonSchema(names) {
      const key = names.join('\n')
      const schema = schemas.get(key) ?? taskJsonSchema(names)
      schemas.set(key, schema)
      return schema
    },
  }
}
