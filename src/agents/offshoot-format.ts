import type { AgentFormat } from './agent-format.ts'
import { parseDefinition } from './parse-definition.ts'

/** The files of this program. */
export const ownFormat: AgentFormat = {
  name: 'offshoot',
  parse: (text, path) => [parseDefinition(text, path)],
}
