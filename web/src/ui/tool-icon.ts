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

/** The icon of a tool; those that do not come with the program share one. */
export function iconOf(tool: string): IconName {
  return ICONS[tool] ?? 'tool'
}
