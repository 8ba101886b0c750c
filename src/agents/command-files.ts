import { join, relative, sep } from 'node:path'
import type { FormatName } from './agent-format.ts'
import type { Homes } from './agent-locations.ts'
import { diskFiles } from './disk-files.ts'
import { readFrontMatter } from './front-matter.ts'

/** A slash command defined by a file. It is listed, never run: its text would speak with a person's voice. */
export interface CommandFile {
  /** As typed, without the slash. */
  readonly name: string
  readonly description: string
  readonly path: string
  /** The program that the file is written for. */
  readonly format: FormatName
  /** Why it cannot be read; null: it can. */
  readonly problem: string | null
}

interface CommandPlace {
  readonly path: string
  readonly format: FormatName
  /** Nothing outside of it is read. */
  readonly within?: string
}

const MAX_DESCRIPTION_CHARS = 200

/** The command files of a workspace, then those of its user. */
export async function findCommands(homes: Homes): Promise<readonly CommandFile[]> {
  const found: CommandFile[] = []
  for (const place of commandPlaces(homes)) {
    for (const entry of await diskFiles.list(place.path, ['.md'], true, place.within)) {
      const content = typeof entry === 'string' ? await diskFiles.read(entry) : entry
      const path = typeof entry === 'string' ? entry : entry.path
      const about = { name: nameIn(place, path), path, format: place.format }
      const problem = typeof content === 'string' ? null : content.problem
      found.push({
        ...about,
        description: typeof content === 'string' ? descriptionIn(content) : '',
        problem,
      })
    }
  }
  return found
}

function commandPlaces({ project, home, configHome }: Homes): CommandPlace[] {
  const users: CommandPlace[] = [
    { path: join(configHome, 'offshoot/commands'), format: 'offshoot' },
    ...(home === null ? [] : [{ path: join(home, '.claude/commands'), format: 'claude' } as const]),
    { path: join(configHome, 'opencode/commands'), format: 'opencode' },
    { path: join(configHome, 'opencode/command'), format: 'opencode' },
  ]
  const ofProject: CommandPlace[] = [
    { path: join(project, '.offshoot/commands'), format: 'offshoot', within: project },
    { path: join(project, '.claude/commands'), format: 'claude', within: project },
    { path: join(project, '.opencode/commands'), format: 'opencode', within: project },
    { path: join(project, '.opencode/command'), format: 'opencode', within: project },
  ]
  const ofUser = (path: string) => users.find((other) => other.path === path)
  // a workspace may be the home directory: its files are the user's
  const places = [...ofProject.map((each) => ofUser(each.path) ?? each), ...users]
  return places.filter(({ path }, at) => places.findIndex((other) => other.path === path) === at)
}

/** A file in the folder `git` is `/git:commit` in Claude Code and `/git/commit` in opencode. */
function nameIn({ path, format }: CommandPlace, file: string): string {
  const parts = relative(path, file).replace(/\.md$/, '').split(sep)
  return parts.join(format === 'opencode' ? '/' : ':')
}

/** From its front matter, else its first line. */
function descriptionIn(text: string): string {
  const matter = readFrontMatter(text, { lenient: true })
  const given = typeof matter === 'string' ? undefined : matter.fields.get('description')
  const body = typeof matter === 'string' ? text : matter.body
  const line = typeof given === 'string' ? given : (body.split('\n').find((each) => each.trim()) ?? '')
  return line.replace(/^#+ /, '').trim().slice(0, MAX_DESCRIPTION_CHARS)
}
