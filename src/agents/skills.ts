import { basename, join, relative, sep } from 'node:path'
import type { AgentDefinition } from '../core/agent.ts'
import type { AgentFiles } from './agent-files.ts'
import { diskFiles } from './disk-files.ts'
import type { ParsedSkill } from './parse-skill.ts'

/** Instructions for one kind of work, read by an agent when it does that work: the folder of a SKILL.md. */
export interface Skill {
  readonly name: string
  /** What it is for, and when. */
  readonly description: string
  /** Path of its SKILL.md relative to the workspace root, with `/`. */
  readonly path: string
}

export interface SkillNote {
  readonly path: string
  readonly name: string | null
  /** Why it is invalid; null: valid, except for `warnings`. */
  readonly skipped: string | null
  readonly warnings: readonly string[]
}

export interface FoundSkills {
  /** One skill per name: the first directory wins. */
  readonly skills: readonly Skill[]
  /** Every SKILL.md, and every unreadable directory. */
  readonly files: readonly SkillNote[]
}

/** Of the workspace, ours first. */
const DIRECTORIES = [
  '.offshoot/skills',
  '.claude/skills',
  '.opencode/skills',
  '.opencode/skill',
  '.agents/skills',
]

/** The skills of a workspace. No file can hide another or make this fail. https://agentskills.io */
export async function findSkills(project: string, files: AgentFiles = diskFiles): Promise<FoundSkills> {
  const skills = new Map<string, Skill>()
  const notes: SkillNote[] = []
  for (const directory of DIRECTORIES) {
    for (const entry of await files.list(join(project, directory), ['skill.md'], true, project)) {
      const path = typeof entry === 'string' ? entry : entry.path
      if (typeof entry === 'string' && basename(entry).toLowerCase() !== 'skill.md') continue
      const text = typeof entry === 'string' ? await files.read(entry) : entry
      const { parseSkill, skipped } = await import('./parse-skill.ts') // few directories have skills
      const parsed = typeof text === 'string' ? parseSkill(text, path) : skipped(text.problem)
      notes.push(admit(skills, project, path, parsed))
    }
  }
  return { skills: [...skills.values()], files: notes }
}

/** The skills for an agent: all, or those that its definition names. */
export function skillsOf({ skills: wanted }: AgentDefinition, all: readonly Skill[]): readonly Skill[] {
  return wanted ? all.filter(({ name }) => wanted.includes(name)) : all
}

function admit(skills: Map<string, Skill>, project: string, path: string, parsed: ParsedSkill): SkillNote {
  const { name, description, warnings } = parsed
  const first = skills.get(name)
  const reason = parsed.skipped ?? (first ? `the skill ${name} of ${first.path} takes precedence` : null)
  if (reason === null)
    skills.set(name, { name, description, path: relative(project, path).split(sep).join('/') })
  return { path, name: name === '' ? null : name, skipped: reason, warnings }
}
