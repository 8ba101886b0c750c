import { join } from 'node:path'
import type { AgentDirectory, AgentFormat } from './agent-format.ts'
import { parseDefinition } from './parse-definition.ts'

const ownFormat: AgentFormat = { name: 'offshoot', extensions: ['.md'], parse: parseDefinition }

/** Where our own agent files are, the project's before the user's. `configHome` is `$XDG_CONFIG_HOME` or what stands for it. */
export function ownDirectories(project: string, configHome: string): AgentDirectory[] {
  return [
    { path: join(project, '.offshoot', 'agents'), format: ownFormat },
    { path: join(configHome, 'offshoot', 'agents'), format: ownFormat },
  ]
}
