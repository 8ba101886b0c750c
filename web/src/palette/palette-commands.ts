import type { BranchView } from 'offshoot/client'
import type { AgentRow, ConversationItem } from 'offshoot/protocol'
import { nameOf } from '../state/branch-lookup.ts'
import { keysOf, shortcuts, shownKeys, type Actions } from '../state/keymap.ts'
import { branchPath, navigate, settingsTabs } from '../state/route.ts'
import { writePref } from '../state/prefs.ts'
import { tabNames } from '../settings/tab-names.ts'
import type { IconName } from '../ui/icon.tsx'

export interface Command {
  readonly id: string
  readonly label: string
  /** Shown beside the label. */
  readonly detail: string
  readonly icon: IconName
  readonly keys: string
  readonly run: () => void
}

export interface CommandGroup {
  readonly name: string
  readonly commands: readonly Command[]
}

interface Known {
  readonly actions: Actions
  readonly branches: readonly BranchView[]
  readonly conversations: readonly ConversationItem[]
  readonly agents: readonly AgentRow[]
}

/** All commands of the palette. */
export function commandGroups({ actions, branches, conversations, agents }: Known): readonly CommandGroup[] {
  return [
    { name: 'Actions', commands: [...actionCommands(actions), ...themeCommands] },
    { name: 'Conversations', commands: conversations.map(conversationCommand) },
    { name: 'Branches', commands: branches.map(branchCommand) },
    { name: 'Agents', commands: agents.map(agentCommand) },
    { name: 'Settings', commands: settingsCommands },
  ]
}

/** Most results per group. */
const MOST = 8
const MOST_SEARCHED = 30

/** Commands that contain every word; those that start with the first word come first. */
export function found(groups: readonly CommandGroup[], text: string): readonly CommandGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return groups.flatMap(({ name, commands }) => {
    const fitting = commands.filter((command) => fits(command, words))
    const begins = ({ label }: Command) => words[0] !== undefined && label.toLowerCase().startsWith(words[0])
    const sorted =
      words.length === 0 ? fitting : fitting.toSorted((a, b) => Number(begins(b)) - Number(begins(a)))
    const shown = sorted.slice(0, words.length === 0 ? MOST : MOST_SEARCHED)
    return shown.length === 0 ? [] : [{ name, commands: shown }]
  })
}

function fits({ label, detail }: Command, words: readonly string[]): boolean {
  const text = `${label} ${detail}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

function actionCommands(actions: Actions): readonly Command[] {
  return shortcuts.flatMap(({ id, label, group }) => {
    const run = actions[id]
    if (!run || id === 'palette') return []
    return [
      { id: `action ${id}`, label, detail: group, icon: 'right' as const, keys: shownKeys(keysOf(id)), run },
    ]
  })
}

const themeCommands: readonly Command[] = (['light', 'dark', 'system'] as const).map((theme) => ({
  id: `theme ${theme}`,
  label: theme === 'system' ? 'System theme' : `${theme === 'light' ? 'Light' : 'Dark'} theme`,
  detail: 'Appearance',
  icon: 'theme',
  keys: '',
  run: () => writePref('theme', theme),
}))

function conversationCommand({ id, title, directory }: ConversationItem): Command {
  const run = () => navigate(branchPath(id))
  return {
    id: `conversation ${id}`,
    label: title || 'Untitled',
    detail: directory,
    icon: 'message',
    keys: '',
    run,
  }
}

function branchCommand(branch: BranchView): Command {
  const { id, conversationId, kind, agent } = branch
  const run = () => navigate(branchPath(conversationId, kind === 'main' ? null : id))
  const icon = kind === 'subagent' ? 'subagent' : kind === 'main' ? 'main' : 'fork'
  return {
    id: `branch ${id}`,
    label: nameOf(branch),
    detail: kind === 'main' ? 'the conversation' : `${kind} · ${agent}`,
    icon,
    keys: '',
    run,
  }
}

function agentCommand({ name, description }: AgentRow): Command {
  const run = () => navigate(`/settings/agents/${encodeURIComponent(name)}`)
  return { id: `agent ${name}`, label: name, detail: description, icon: 'agents', keys: '', run }
}

const settingsCommands: readonly Command[] = settingsTabs.map((tab) => ({
  id: `settings ${tab}`,
  label: `Settings: ${tabNames[tab]}`,
  detail: '',
  icon: 'settings',
  keys: '',
  run: () => navigate(`/settings/${tab}`),
}))
