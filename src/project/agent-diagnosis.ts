import { basename } from 'node:path'
import { diskFiles } from '../agents/disk-files.ts'
import type { FormatName } from '../agents/agent-format.ts'
import { formatOf } from '../agents/foreign/formats.ts'
import { projectPlaces } from '../agents/agent-locations.ts'
import { loadAgents, type AgentFileNote } from '../agents/load-agents.ts'
import { parseSkill } from '../agents/parse-skill.ts'
import { findSkills, type SkillNote } from '../agents/skills.ts'
import { knownModel } from './agent-sources.ts'
import type { Env } from '../config/homes.ts'
import { loadProject } from './project.ts'

/** Diagnosis of one agent file, of one agent in a file with several, or of one skill. */
export interface FileDiagnosis {
  readonly path: string
  readonly kind: 'agent' | 'skill'
  /** The program that the file is written for; null for a skill. */
  readonly format: string | null
  readonly name: string | null
  /** `ignored`: read, except for the named parts. `held`: a part of it, or all, is not granted. */
  readonly status: 'ok' | 'ignored' | 'held' | 'skipped'
  /** Why it is skipped. */
  readonly reason: string | null
  readonly ignored: readonly string[]
}

/** All files of a workspace and its user. */
export async function diagnoseWorkspace(project: string, env: Env): Promise<readonly FileDiagnosis[]> {
  const { files } = (await loadProject(project, env)).found
  const skills = await findSkills(project)
  return [...files.map(ofAgent), ...skills.files.map(ofSkill)]
}

/** For a file, or a directory: a workspace's files, otherwise each file in it separately. */
export async function diagnoseFiles(
  place: string,
  isDirectory: boolean,
  env: Env,
  format?: FormatName,
): Promise<readonly FileDiagnosis[]> {
  const own = isDirectory ? await diagnoseProject(place, env) : []
  if (own.length > 0) return own
  const entries = isDirectory ? await diskFiles.list(place, ENDINGS, true) : [place]
  const found: FileDiagnosis[] = []
  for (const entry of entries) {
    if (typeof entry === 'string') found.push(...(await diagnoseFile(entry, env, format)))
    else
      found.push(
        ofAgent({
          path: entry.path,
          format: 'offshoot',
          name: null,
          skipped: entry.problem,
          warnings: [],
          heldBack: [],
        }),
      )
  }
  return found
}

async function diagnoseProject(project: string, env: Env): Promise<readonly FileDiagnosis[]> {
  const { files } = await loadAgents(projectPlaces(project), { knownModel: knownModel(env) })
  const skills = await findSkills(project)
  return [...files.map(ofAgent), ...skills.files.map(ofSkill)]
}

const ENDINGS = ['.md', '.toml', 'opencode.json', 'opencode.jsonc']

async function diagnoseFile(path: string, env: Env, format?: FormatName): Promise<readonly FileDiagnosis[]> {
  if (basename(path).toLowerCase() === 'skill.md') return [await diagnoseSkill(path)]
  const { files } = await loadAgents([{ path, format: formatOf(path, format).name, kind: 'file' }], {
    knownModel: knownModel(env),
  })
  return files.map(ofAgent)
}

async function diagnoseSkill(path: string): Promise<FileDiagnosis> {
  const text = await diskFiles.read(path)
  if (typeof text !== 'string') return ofSkill({ path, name: null, skipped: text.problem, warnings: [] })
  const { name, skipped, warnings } = parseSkill(text, path)
  return ofSkill({ path, name: name === '' ? null : name, skipped, warnings })
}

function ofAgent({ path, format, name, skipped, warnings, heldBack }: AgentFileNote): FileDiagnosis {
  if (heldBack.length === 0) return { path, kind: 'agent', format, name, ...judged(skipped, warnings) }
  const ignored = [...heldBack, ...warnings]
  return { path, kind: 'agent', format, name, status: 'held', reason: null, ignored }
}

function ofSkill({ path, name, skipped, warnings }: SkillNote): FileDiagnosis {
  return { path, kind: 'skill', format: null, name, ...judged(skipped, warnings) }
}

function judged(
  skipped: string | null,
  warnings: readonly string[],
): Pick<FileDiagnosis, 'status' | 'reason' | 'ignored'> {
  const status = skipped !== null ? 'skipped' : warnings.length > 0 ? 'ignored' : 'ok'
  return { status, reason: skipped, ignored: warnings }
}
