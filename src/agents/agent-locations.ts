import { join } from 'node:path'
import type { AgentFormat, AgentLocation } from './agent-format.ts'
import { ownFormat } from './offshoot-format.ts'
import { claudeFormat } from './foreign/claude.ts'
import { codexFormat } from './foreign/codex.ts'
import { copilotFormat } from './foreign/copilot.ts'
import { cursorFormat } from './foreign/cursor.ts'
import { geminiFormat } from './foreign/gemini.ts'
import { opencodeConfigFormat } from './foreign/opencode-config.ts'
import { opencodeFormat } from './foreign/opencode.ts'

export interface Homes {
  /** The workspace. */
  readonly project: string
  /** The user's home directory; null where there is none. */
  readonly home: string | null
  /** `$XDG_CONFIG_HOME`, or what stands for it. */
  readonly configHome: string
}

/** Every place in which agents are looked for: project before user, and in each ours before those of other programs. */
export function agentPlaces(homes: Homes): AgentLocation[] {
  const places = [...projectPlaces(homes.project), ...userPlaces(homes)]
  // a workspace may be the home directory
  return places.filter(({ path }, at) => places.findIndex((other) => other.path === path) === at)
}

export function userPlaces({ home, configHome }: Pick<Homes, 'home' | 'configHome'>): AgentLocation[] {
  return [...configPlaces(configHome), ...(home === null ? [] : homePlaces(home))]
}

export function projectPlaces(project: string): AgentLocation[] {
  return [
    place('tree', ownFormat, project, '.offshoot/agents'),
    place('tree', claudeFormat, project, '.claude/agents'),
    place('tree', opencodeFormat, project, '.opencode/agents'),
    place('tree', opencodeFormat, project, '.opencode/agent'),
    ...opencodeConfigs(join(project, '.opencode')),
    ...opencodeConfigs(project),
    place('directory', codexFormat, project, '.codex/agents'),
    place('directory', geminiFormat, project, '.gemini/agents'),
    place('directory', cursorFormat, project, '.cursor/agents'),
    place('directory', copilotFormat, project, '.github/agents'),
  ]
}

function configPlaces(configHome: string): AgentLocation[] {
  const opencodeHome = join(configHome, 'opencode')
  return [
    place('tree', ownFormat, configHome, 'offshoot/agents'),
    place('tree', opencodeFormat, opencodeHome, 'agents'),
    place('tree', opencodeFormat, opencodeHome, 'agent'),
    ...opencodeConfigs(opencodeHome),
    place('directory', geminiFormat, configHome, 'gemini-cli/agents'),
  ]
}

function homePlaces(home: string): AgentLocation[] {
  return [
    place('tree', claudeFormat, home, '.claude/agents'),
    place('directory', codexFormat, home, '.codex/agents'),
    place('directory', geminiFormat, home, '.gemini/agents'),
    place('directory', cursorFormat, home, '.cursor/agents'),
    place('directory', copilotFormat, home, '.copilot/agents'),
  ]
}

function place(kind: AgentLocation['kind'], format: AgentFormat, base: string, path: string): AgentLocation {
  return { path: join(base, path), format, kind }
}

function opencodeConfigs(base: string): AgentLocation[] {
  return ['opencode.json', 'opencode.jsonc'].map((name) => place('file', opencodeConfigFormat, base, name))
}
