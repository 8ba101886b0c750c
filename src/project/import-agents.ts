import { randomUUID } from 'node:crypto'
import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { diskFiles } from '../agents/disk-files.ts'
import { foreignModel } from '../agents/foreign/foreign-model.ts'
import type { FormatName } from '../agents/agent-format.ts'
import { formatOf } from '../agents/foreign/formats.ts'
import { listed } from '../agents/foreign/name-list.ts'
import { ownFormat } from '../agents/offshoot-format.ts'
import { writeOwn } from '../agents/write-agent.ts'
import { isProgramTool } from '../core/rules/unknown-tool.ts'
import { errorMessage } from '../core/errors.ts'
import type { AgentDefinition } from '../core/agent.ts'
import { knownModel } from './agent-sources.ts'
import type { Env } from '../config/homes.ts'

export interface ImportOptions {
  /** The workspace; the files go to its `.offshoot/agents`. */
  readonly root: string
  readonly env: Env
  readonly format?: FormatName
  /** Overwrites existing files. */
  readonly force?: boolean
}

export interface ImportedFile {
  readonly from: string
  /** The written file; null: none, and `notes` ends with the reason. */
  readonly to: string | null
  readonly notes: readonly string[]
}

/** Writes the agents of one file as our own. Never rejects because of the file's content. */
export async function importAgentFile(
  path: string,
  options: ImportOptions,
): Promise<readonly ImportedFile[]> {
  const text = await diskFiles.read(path)
  if (typeof text !== 'string') return [{ from: path, to: null, notes: [`not imported: ${text.problem}`] }]
  const imported: ImportedFile[] = []
  const format = formatOf(path, options.format)
  for (const parsed of format.parse(text, path)) {
    const from = parsed.part === undefined ? path : `${path} (${parsed.part})`
    const problem = 'skipped' in parsed ? parsed.skipped : null
    if (problem !== null || !('agent' in parsed))
      imported.push({ from, to: null, notes: [...parsed.warnings, `not imported: ${problem}`] })
    else {
      const isOurs = format === ownFormat
      const { agent, lost } = isOurs ? { agent: parsed.agent, lost: [] } : readable(parsed.agent)
      imported.push(await importAgent(from, agent, [...parsed.warnings, ...lost], options))
    }
  }
  return imported
}

async function importAgent(
  from: string,
  theirs: AgentDefinition,
  warnings: readonly string[],
  { root, env, force = false }: ImportOptions,
): Promise<ImportedFile> {
  const { agent, warning } = foreignModel(theirs, knownModel(env))
  const written = writeOwn(warning ? withoutModel(agent) : agent)
  const notes = [...warnings, ...(warning ? [warning] : [])]
  if (typeof written === 'string') return { from, to: null, notes: [...notes, `not imported: ${written}`] }
  const directory = join(root, '.offshoot', 'agents')
  const to = join(directory, `${fileName(agent.name)}.md`)
  try {
    await mkdir(directory, { recursive: true })
    if (!(await isInside(root, directory))) throw new Error(`${directory} leads outside the workspace`)
    await (force ? replace(to, written.text) : writeFile(to, written.text, { flag: 'wx' }))
  } catch (error) {
    return { from, to: null, notes: [...notes, ...written.lost, `not imported: ${reason(error, to)}`] }
  }
  return { from, to, notes: [...notes, ...written.lost] }
}

/** Drops names of tools and servers that do not exist here, which our own files may not contain. */
function readable(agent: AgentDefinition): { readonly agent: AgentDefinition; readonly lost: string[] } {
  const { mcpServers = [], tools, disallowedTools, ...rest } = agent
  const isHere = (name: string) => isProgramTool(name, 'list')
  const gone = [...(tools ?? []), ...(disallowedTools ?? [])].filter((name) => !isHere(name))
  const lost = [
    ...(gone.length > 0 ? [`left out unknown tools: ${listed(gone)}`] : []),
    ...(mcpServers.length > 0 ? [`left out: the MCP servers ${listed(mcpServers)}`] : []),
  ]
  return {
    agent: {
      ...rest,
      ...(tools ? { tools: tools.filter(isHere) } : {}),
      ...(disallowedTools ? { disallowedTools: disallowedTools.filter(isHere) } : {}),
    },
    lost,
  }
}

/** Reports an unusable model, which would be valid in our own file. */
function withoutModel(agent: AgentDefinition): AgentDefinition {
  const { model: _, ...extra } = agent.extra ?? {}
  return { ...agent, extra }
}

/** A link in the workspace may point anywhere. */
async function isInside(root: string, directory: string): Promise<boolean> {
  return (await realpath(directory)).startsWith(join(await realpath(root), sep))
}

/** A name must not leave the directory, or be reserved by a system. */
function fileName(name: string): string {
  const safe = name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, MAX_FILE_NAME)
  return safe === '' || /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(safe) ? `agent-${safe}` : safe
}

const MAX_FILE_NAME = 60

/** Atomic: either the new file or the old one exists; a link is replaced, not followed. */
async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.${randomUUID()}`
  try {
    await writeFile(next, text, { flag: 'wx' })
    await rename(next, path)
  } finally {
    await rm(next, { force: true })
  }
}

function reason(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EEXIST' ? `${path} already exists; --force replaces it` : errorMessage(error)
}
