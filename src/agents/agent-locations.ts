import { join } from 'node:path'
import type { AgentLocation, FormatName } from './agent-format.ts'

export interface Homes {
  /** The workspace. */
  readonly project: string
  /** The user's home directory; null: none. */
  readonly home: string | null
  /** `$XDG_CONFIG_HOME`, or its default. */
  readonly configHome: string
}

/** Every place to look for agents: project before user, and in each, ours before other programs'. */
export function agentPlaces(homes: Homes): AgentLocation[] {
  const users = userPlaces(homes)
  const ofUser = (path: string) => users.find((other) => other.path === path)
  // a workspace may be the home directory: its files are the user's
  const places = [...projectPlaces(homes.project).map((each) => ofUser(each.path) ?? each), ...users]
  return places.filter(({ path }, at) => places.findIndex((other) => other.path === path) === at)
}

export function userPlaces({ home, configHome }: Pick<Homes, 'home' | 'configHome'>): AgentLocation[] {
  return [...configPlaces(configHome), ...(home === null ? [] : homePlaces(home))]
}

export function projectPlaces(project: string): AgentLocation[] {
  const places = [
    place('tree', 'offshoot', project, '.offshoot/agents'),
    place('tree', 'claude', project, '.claude/agents'),
    place('tree', 'opencode', project, '.opencode/agents'),
    place('tree', 'opencode', project, '.opencode/agent'),
    ...opencodeConfigs(join(project, '.opencode')),
    ...opencodeConfigs(project),
    place('directory', 'codex', project, '.codex/agents'),
    place('directory', 'gemini', project, '.gemini/agents'),
    place('directory', 'cursor', project, '.cursor/agents'),
    place('directory', 'copilot', project, '.github/agents'),
  ]
  return places.map((each) => ({ ...each, within: project }))
}

function configPlaces(configHome: string): AgentLocation[] {
  const opencodeHome = join(configHome, 'opencode')
  return [
    place('tree', 'offshoot', configHome, 'offshoot/agents'),
    place('tree', 'opencode', opencodeHome, 'agents'),
    place('tree', 'opencode', opencodeHome, 'agent'),
    ...opencodeConfigs(opencodeHome),
    place('directory', 'gemini', configHome, 'gemini-cli/agents'),
  ]
}

function homePlaces(home: string): AgentLocation[] {
  return [
    place('tree', 'claude', home, '.claude/agents'),
    place('directory', 'codex', home, '.codex/agents'),
    place('directory', 'gemini', home, '.gemini/agents'),
    place('directory', 'cursor', home, '.cursor/agents'),
    place('directory', 'copilot', home, '.copilot/agents'),
  ]
}

function place(kind: AgentLocation['kind'], format: FormatName, base: string, path: string): AgentLocation {
  return { path: join(base, path), format, kind }
}

function opencodeConfigs(base: string): AgentLocation[] {
  return ['opencode.json', 'opencode.jsonc'].map((name) => place('file', 'opencode', base, name))
}
