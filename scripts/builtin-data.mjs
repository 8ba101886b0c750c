// The agents that come with the program are Markdown, and what models are told of its tools is made of schemas in code. In a
// bundle both are data, so that a start reads, parses and makes none.
import path from 'node:path'
import { builtinAgents } from '../src/agents/builtin-agents.ts'
import { builtinTools } from '../src/tools/builtin-tools.ts'
import { toolSchema } from '../src/tools/tool-schema.ts'

/** What stands in the bundle in the place of a source, by its path. */
const DATA = {
  [path.join('src', 'agents', 'builtin-agents.ts')]: () =>
    `export const builtinAgents = () => ${JSON.stringify(builtinAgents())}`,
  [path.join('src', 'tools', 'prepared-schemas.ts')]: () =>
    `export const preparedSchemas = ${JSON.stringify(schemas())}`,
}

function schemas() {
  const tools = builtinTools({ search: { provider: 'searxng', url: 'http://127.0.0.1' } })
  return Object.fromEntries(tools.map((tool) => [tool.name, toolSchema(tool).inputSchema]))
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
