import { terminalLine } from '../core/terminal-text.ts'
import { agentWarnings } from '../project/agent-sources.ts'
import { loadProject, trustWarnings, type Project } from '../project/project.ts'
import { createWorkspace } from '../tools/workspace.ts'
import { writeStderr, type Io } from './io.ts'

/** The agents of a directory, those that come with the program too. What is wrong with a file is said on stderr. */
export async function loadProjectWithWarnings(directory: string, io: Io): Promise<Project> {
  const project = await loadProject(createWorkspace(directory).root, io.env)
  const { found, trust, warnings } = project
  for (const warning of [...trustWarnings(trust), ...agentWarnings(found), ...warnings])
    await writeStderr(io, `offshoot: ${terminalLine(warning)}\n`)
  return project
}
