import type { AgentDefinition } from '../core/agent.ts'
import type { AgentFiles, Unreadable } from './agent-files.ts'
import type { AgentDirectory, AgentFormat } from './agent-format.ts'
import { diskFiles } from './disk-files.ts'

/** What is to be said about one file. */
export interface AgentFileNote {
  readonly path: string
  /** Why it is no agent; null: it is one, but for what `warnings` name. */
  readonly skipped: string | null
  readonly warnings: readonly string[]
}

export interface LoadedAgents {
  /** One of a name: the first directory wins, then the first path. */
  readonly agents: readonly AgentDefinition[]
  /** Only files about which there is something to say. */
  readonly notes: readonly AgentFileNote[]
}

/** Reads the agents of some directories. No file, whatever it holds, hides another or makes this fail. */
export async function loadAgents(
  directories: readonly AgentDirectory[],
  files: AgentFiles = diskFiles,
): Promise<LoadedAgents> {
  const agents = new Map<string, AgentDefinition>()
  const notes: AgentFileNote[] = []
  for (const { path: directory, format } of directories) {
    for (const entry of await files.list(directory, format.extensions)) {
      const note = typeof entry === 'string' ? await loadFile(entry, format, files, agents) : skip(entry)
      if (note.skipped !== null || note.warnings.length > 0) notes.push(note)
    }
  }
  return { agents: [...agents.values()], notes }
}

async function loadFile(
  path: string,
  format: AgentFormat,
  files: AgentFiles,
  agents: Map<string, AgentDefinition>,
): Promise<AgentFileNote> {
  const text = await files.read(path)
  if (typeof text !== 'string') return skip(text)
  const parsed = format.parse(text, path)
  if ('skipped' in parsed) return { path, skipped: parsed.skipped, warnings: parsed.warnings }
  const { agent, warnings } = parsed
  const first = agents.get(agent.name)
  if (first) return { path, skipped: `the agent ${agent.name} of ${first.source} comes first`, warnings }
  agents.set(agent.name, agent)
  return { path, skipped: null, warnings }
}

function skip({ path, problem }: Unreadable): AgentFileNote {
  return { path, skipped: problem, warnings: [] }
}
