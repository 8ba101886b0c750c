import type { IconName } from './icon.tsx'

const ICONS: Readonly<Record<string, IconName>> = {
  read: 'file',
  write: 'edit',
  edit: 'edit',
  list: 'list',
  glob: 'search',
  grep: 'search',
  bash: 'terminal',
  webfetch: 'globe',
  websearch: 'globe',
  todo: 'list',
  ask_user: 'question',
  task: 'subagent',
}

/** The icon of a tool; tools that are not built in share one. */
export function iconOf(tool: string): IconName {
  return ICONS[tool] ?? 'tool'
}
