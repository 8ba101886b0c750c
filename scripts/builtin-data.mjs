// The agents that come with the program are Markdown; what models are told of its tools is made of schemas in code. In a
// bundle both are data, so that a start reads, parses and makes none.
import path from 'node:path'
import { builtinAgents } from '../src/agents/builtin-agents.ts'
import { builtinTools } from '../src/tools/builtin-tools.ts'
import { createTaskCancel } from '../src/runtime/delegation/task-cancel.ts'
import { taskJsonSchema } from '../src/runtime/task/task-input.ts'
import { createTaskMessage } from '../src/runtime/delegation/task-message.ts'
import { createTaskOutput } from '../src/runtime/delegation/task-output.ts'
import { createTaskStatus } from '../src/runtime/delegation/task-status.ts'
import { toolSchema } from '../src/tools/tool-schema.ts'

/** What stands in the bundle in the place of a source, by its path. */
const DATA = {
  [path.join('src', 'agents', 'builtin-agents.ts')]: () =>
    `export const builtinAgents = () => ${JSON.stringify(builtinAgents())}`,
  [path.join('src', 'tools', 'prepared-schemas.ts')]: () =>
    `export const preparedSchemas = { ${schemas().join(', ')} }`,
}

function schemas() {
  const tools = builtinTools({ search: { provider: 'searxng', url: 'http://127.0.0.1' } })
  const told = Object.fromEntries(
    [...tools, ...controls()].map((tool) => [tool.name, toolSchema(tool).inputSchema]),
  )
  const all = { ...told, task: taskJsonSchema([]) }
  return Object.entries(all).map(
    ([name, schema]) => `${JSON.stringify(name)}: () => (${JSON.stringify(schema)})`,
  )
}

function controls() {
  const scope = /** @type {any} */ ({ deps: {} })
  const run = /** @type {any} */ (undefined)
  return [createTaskCancel, createTaskMessage, createTaskOutput, createTaskStatus].map((create) =>
    create(scope, run),
  )
}

/** The plugin of the bundler: what these sources say now is what they say in the bundle. */
export function builtinData() {
  return {
    name: 'builtin-data',
    load: {
      filter: { id: /(?:builtin-agents|prepared-schemas)\.ts$/ },
      /** @param {string} id */
      handler(id) {
        return Object.entries(DATA).find(([source]) => id.endsWith(source))?.[1]()
      },
    },
  }
}
