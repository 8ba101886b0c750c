import type { AgentDefinition } from '../core/agent.ts'
import type { AgentFiles, Unreadable } from './agent-files.ts'
import type { AgentLocation, FormatName, ParsedPart } from './agent-format.ts'
import { strangerProblem, type KnownTools } from '../core/rules/unknown-tool.ts'
import { diskFiles } from './disk-files.ts'
import { foreignModel, type KnownModel } from './foreign/foreign-model.ts'
import { typedProblem } from './typed-problem.ts'

/** What is to be said about one file, or one agent of a file that holds several. */
export interface AgentFileNote {
  readonly path: string
  /** The program that the file is written for. */
  readonly format: FormatName
  /** Of the agent, where there is one. */
  readonly name: string | null
  /** Why it is no agent; null: it is one, but for what `warnings` name. */
  readonly skipped: string | null
  readonly warnings: readonly string[]
  /** What of it is not in force until a person grants it, a sentence each. */
  readonly heldBack: readonly string[]
}

export interface LoadedAgents {
  /** One of a name: the first place wins, then the first path. */
  readonly agents: readonly AgentDefinition[]
  /** Every file, in the order in which they are read. */
  readonly files: readonly AgentFileNote[]
  /** Those about which there is something to say, but for what is held back. */
  readonly notes: readonly AgentFileNote[]
  /** The tools that agents are offered as, of every file that is an agent. */
  readonly agentTools: readonly string[]
}

export interface LoadOptions {
  readonly files?: AgentFiles
  /** Which of our models a foreign file means; without it agents of other programs have the model of who starts them. */
  readonly knownModel?: KnownModel
  /** What the runtime has beside the tools of the program and of these agents. */
  readonly tools?: KnownTools
  /** What of an agent is in force. Default: all of it. */
  readonly inForce?: InForce
}

export interface JudgedAgent {
  /** As far as it is in force; null: not at all. */
  readonly agent: AgentDefinition | null
  /** What is held back, a sentence each. */
  readonly heldBack: readonly string[]
}

/** `text` is that of the whole file. */
export type InForce = (
  agent: AgentDefinition,
  from: { readonly place: AgentLocation; readonly file: string; readonly text: string },
) => JudgedAgent

/** Of all texts together, in characters. */
const MAX_ALL = 32 * 1024 * 1024

/** Reads the agents of some places. No file, whatever it holds, hides another or makes this fail. */
export async function loadAgents(
  places: readonly AgentLocation[],
  { files = diskFiles, knownModel = () => undefined, tools, inForce = wholly }: LoadOptions = {},
): Promise<LoadedAgents> {
  const parts = await readPlaces(places, files)
  const agentTools = toolsOfAgents(parts)
  const known = { names: [...(tools?.names ?? []), ...agentTools] }
  const agents = new Map<string, AgentDefinition>()
  const read = parts.map((part) => admit(agents, part, { knownModel, known, inForce }))
  const notes = read.filter(
    ({ skipped, warnings, heldBack }) => (skipped !== null && heldBack.length === 0) || warnings.length > 0,
  )
  return { agents: [...agents.values()], files: read, notes, agentTools }
}

interface ReadPart {
  readonly place: AgentLocation
  readonly file: string
  readonly parsed: ParsedPart
  /** Of the whole file. */
  readonly text: string
}

async function readPlaces(places: readonly AgentLocation[], files: AgentFiles): Promise<ReadPart[]> {
  const parts: ReadPart[] = []
  let room = MAX_ALL
  for (const place of places) {
    const within = place.kind === 'file' ? place.within : undefined // what is listed has been looked at
    for (const entry of await entriesOf(place, files)) {
      const text =
        typeof entry !== 'string' ? entry : room > 0 ? await files.read(entry, within) : noRoom(entry)
      if (typeof text !== 'string') {
        parts.push({ place, file: text.path, parsed: { skipped: text.problem, warnings: [] }, text: '' })
        continue
      }
      room -= text.length
      const file = entry as string
      const { formatOf } = await import('./foreign/formats.ts') // few directories have agent files
      const { parse } = formatOf(file, place.format)
      for (const parsed of parse(text, file)) parts.push({ place, file, parsed, text })
    }
  }
  return parts
}

function toolsOfAgents(parts: readonly ReadPart[]): string[] {
  return parts.flatMap(({ parsed }) => {
    const tool = 'agent' in parsed ? parsed.agent.exposeAsTool : undefined
    return tool ? [tool.name] : []
  })
}

function wholly(agent: AgentDefinition): JudgedAgent {
  return { agent, heldBack: [] }
}

async function entriesOf(
  { path, format, kind, within }: AgentLocation,
  files: AgentFiles,
): Promise<readonly (string | Unreadable)[]> {
  if (kind !== 'file')
    return await files.list(path, [format === 'codex' ? '.toml' : '.md'], kind === 'tree', within)
  return (await files.has(path)) ? [path] : []
}

function noRoom(path: string): Unreadable {
  return { path, problem: `all agent files together have more than ${MAX_ALL} characters` }
}

interface Admission {
  readonly knownModel: KnownModel
  readonly known: KnownTools
  readonly inForce: InForce
}

function admit(
  agents: Map<string, AgentDefinition>,
  { place, file, parsed, text }: ReadPart,
  { knownModel, known, inForce }: Admission,
): AgentFileNote {
  const path = parsed.part === undefined ? file : `${file} (${parsed.part})`
  const { warnings } = parsed
  const { format } = place
  const about = { path, format }
  if ('skipped' in parsed) return { ...about, name: null, skipped: parsed.skipped, warnings, heldBack: [] }
  const isOurs = format === 'offshoot'
  const { agent, warning } = isOurs ? { agent: parsed.agent } : foreignModel(parsed.agent, knownModel)
  const note = { ...about, name: agent.name, warnings: warning ? [...warnings, warning] : warnings }
  const problem = strange(parsed, known) ?? notAdmitted(agent, isOurs, agents)
  if (problem !== null) return { ...note, skipped: problem, heldBack: [] }
  const judged = inForce(agent, { place, file, text })
  if (judged.agent) agents.set(agent.name, judged.agent)
  return {
    ...note,
    skipped: judged.agent ? null : (judged.heldBack[0] ?? 'its requests are not granted'),
    heldBack: judged.heldBack,
  }
}

/** A tool in a rule or a list that nobody has here. */
function strange({ strangers = [] }: ParsedPart, known: KnownTools): string | null {
  for (const stranger of strangers) {
    const problem = strangerProblem(stranger, known)
    if (problem) return `${stranger.where}: ${problem}`
  }
  return null
}

function notAdmitted(agent: AgentDefinition, isOurs: boolean, agents: ReadonlyMap<string, AgentDefinition>) {
  const { name } = agent
  const first = agents.get(name)
  if (first) return `the agent ${name} of ${first.source} takes precedence`
  if (!isOurs && name === 'main') return 'the name main is reserved for the main agent'
  return typedProblem(agent)
}
