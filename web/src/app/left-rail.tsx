import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/button.tsx'
import { ConversationList } from './conversation-list.tsx'
import { shownKeys, keysOf } from '../state/keymap.ts'
import { useMedia } from '../state/media.ts'
import { closeSheet } from '../state/panels.ts'
import { usePref } from '../state/prefs.ts'
import { navigate } from '../state/route.ts'

/** Conversations, and the branches of the open one. */
export function LeftRail({ tree }: { tree: ReactNode }) {
  const [tab, setTab] = usePref('leftTab')
  const [, setLeftOpen] = usePref('leftOpen')
  const middle = useMedia('(min-width: 720px)')
  const go = (path: string) => {
    closeSheet()
    navigate(path)
  }
  return (
    <nav aria-label="Conversations and branches" className="flex h-full flex-col">
      <div className="flex h-12 shrink-0 items-center gap-1 pr-2 pl-3.5">
        <button
          type="button"
          onClick={() => go('/')}
          className="flex items-center gap-1.5 rounded-md py-1 pr-1 text-sm font-semibold"
        >
          <Icon name="sprout" className="text-accent" size={18} />
          Offshoot
        </button>
        <span className="flex-1" />
        <IconButton
          icon="plus"
          label="New conversation"
          keys={shownKeys(keysOf('new'))}
          onPress={() => go('/')}
        />
        {middle && (
          <IconButton icon="rail-left" label="Hide this column" onPress={() => setLeftOpen(false)} />
        )}
      </div>
      <Tabs
        selectedKey={tree ? tab : 'conversations'}
        onSelectionChange={(key) => setTab(key === 'tree' ? 'tree' : 'conversations')}
        className="flex min-h-0 flex-1 flex-col"
      >
        {tree ? (
          <TabList aria-label="Left column" className="flex gap-1 px-2.5 pb-1">
            <RailTab id="conversations">Conversations</RailTab>
            <RailTab id="tree">Tree</RailTab>
          </TabList>
        ) : (
          <TabList aria-label="Left column" className="hidden">
            <Tab id="conversations">Conversations</Tab>
          </TabList>
        )}
        <TabPanel id="conversations" className="scrolls min-h-0 flex-1 overflow-y-auto">
          <ConversationList />
        </TabPanel>
        {tree && (
          <TabPanel id="tree" className="scrolls min-h-0 flex-1 overflow-y-auto">
            {tree}
          </TabPanel>
        )}
      </Tabs>
      <div className="flex items-center gap-1 border-t border-line p-1.5">
        <button
          type="button"
          onClick={() => go('/settings/agents')}
          className="touch:min-h-11 flex flex-1 items-center gap-2 rounded-md px-2 py-1 text-sm text-ink-2 hover:bg-hover"
        >
          <Icon name="settings" size={14} />
          Settings
        </button>
        <ThemeButton />
      </div>
    </nav>
  )
}

function RailTab({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Tab
      id={id}
      className="touch:min-h-11 flex cursor-default items-center rounded-md px-2 py-0.5 text-xs text-ink-2 hover:bg-hover selected:bg-pressed selected:font-medium selected:text-ink"
    >
      {children}
    </Tab>
  )
}

const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const

function ThemeButton() {
  const [theme, setTheme] = usePref('theme')
  return (
    <IconButton
      icon="theme"
      label={`Theme: ${theme}. Change to ${NEXT[theme]}`}
      onPress={() => setTheme(NEXT[theme])}
    />
  )
}
