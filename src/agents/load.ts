import type { AgentDefinition } from '../core/agent.ts'
import type { AgentFiles, Unreadable } from './agent-files.ts'
import type { AgentPlace, ParsedPart } from './agent-format.ts'
import { diskFiles } from './disk-files.ts'
import { foreignModel, type KnownModel } from './foreign/foreign-model.ts'
import { ownFormat } from './own-format.ts'
import { typedProblem } from './typed-problem.ts'

/** What is to be said about one file, or one agent of a file that holds several. */
export interface AgentFileNote {
  readonly path: string
  /** The program that the file is written for. */
  readonly format: string
  /** Of the agent, where there is one. */
  readonly name: string | null
  /** Why it is no agent; null: it is one, but for what `warnings` name. */
  readonly skipped: string | null
  readonly warnings: readonly string[]
}

export interface LoadedAgents {
  /** One of a name: the first place wins, then the first path. */
  readonly agents: readonly AgentDefinition[]
  /** Every file, in the order in which they are read. */
  readonly files: readonly AgentFileNote[]
  /** Those about which there is something to say. */
  readonly notes: readonly AgentFileNote[]
}

export interface LoadOptions {
  readonly files?: AgentFiles
  /** Which of our models a foreign file means; without it agents of other programs have the model of who starts them. */
  readonly knownModel?: KnownModel
}

/** Of all texts together, in characters. */
const MAX_ALL = 32 * 1024 * 1024

/** Reads the agents of some places. No file, whatever it holds, hides another or makes this fail. */
export async function loadAgents(
  places: readonly AgentPlace[],
  { files = diskFiles, knownModel = () => undefined }: LoadOptions = {},
): Promise<LoadedAgents> {
  const agents = new Map<string, AgentDefinition>()
  const told: AgentFileNote[] = []
  let room = MAX_ALL
  for (const place of places) {
    const tell = (path: string, part: ParsedPart) => told.push(admit(agents, place, path, part, knownModel))
    for (const entry of await entriesOf(place, files)) {
      const text = typeof entry !== 'string' ? entry : room > 0 ? await files.read(entry) : noRoom(entry)
      if (typeof text !== 'string') {
        tell(text.path, { skipped: text.problem, warnings: [] })
        continue
      }
      room -= text.length
      for (const part of place.format.parse(text, entry as string)) tell(entry as string, part)
    }
  }
  const notes = told.filter(({ skipped, warnings }) => skipped !== null || warnings.length > 0)
  return { agents: [...agents.values()], files: told, notes }
}

async function entriesOf(
  { path, format, kind }: AgentPlace,
  files: AgentFiles,
): Promise<readonly (string | Unreadable)[]> {
  if (kind !== 'file') return await files.list(path, format.extensions, kind === 'tree')
  return (await files.has(path)) ? [path] : []
}

function noRoom(path: string): Unreadable {
  return { path, problem: `all agent files together have more than ${MAX_ALL} characters` }
}

function admit(
  agents: Map<string, AgentDefinition>,
  { format }: AgentPlace,
  file: string,
  parsed: ParsedPart,
  knownModel: KnownModel,
): AgentFileNote {
  const path = parsed.part === undefined ? file : `${file} (${parsed.part})`
  const { warnings } = parsed
  if ('skipped' in parsed) return { path, format: format.name, name: null, skipped: parsed.skipped, warnings }
  const isOurs = format === ownFormat
  const { agent, warning } = isOurs ? { agent: parsed.agent } : foreignModel(parsed.agent, knownModel)
  const skipped = notAdmitted(agent, isOurs, agents)
  if (skipped === null) agents.set(agent.name, agent)
  return {
    path,
    format: format.name,
    name: agent.name,
    skipped,
    warnings: warning ? [...warnings, warning] : warnings,
  }
}

function notAdmitted(agent: AgentDefinition, isOurs: boolean, agents: ReadonlyMap<string, AgentDefinition>) {
  const { name } = agent
  const first = agents.get(name)
  if (first) return `the agent ${name} of ${first.source} comes first`
  if (!isOurs && name === 'main') return 'main is the agent of this program that works with you'
  return typedProblem(agent)
}
