// The agents that come with the program are Markdown. In a bundle they are data, so that a start reads and parses none.
import path from 'node:path'
import { builtinAgents } from '../src/agents/builtin-agents.ts'

const SOURCE = path.join('src', 'agents', 'builtin-agents.ts')

/** The plugin of the bundler: what `builtinAgents` returns now is what it returns in the bundle. */
export function builtinData() {
  return {
    name: 'builtin-data',
    load: {
      filter: { id: /builtin-agents\.ts$/ },
      /** @param {string} id */
      handler(id) {
        if (!id.endsWith(SOURCE)) return undefined
        return `export const builtinAgents = () => ${JSON.stringify(builtinAgents())}`
      },
    },
  }
}
