import type { ReactNode } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { usePref } from '../state/prefs.ts'

const TABS = [
  { id: 'agents', label: 'Agents' },
  { id: 'steps', label: 'Steps' },
  { id: 'timeline', label: 'Timeline' },
] as const

type TabId = (typeof TABS)[number]['id']

/** Agents, steps and timeline. A null one is elsewhere on the page. */
export function RightPanel(panels: Readonly<Record<TabId, ReactNode>>) {
  const [tab, setTab] = usePref('rightTab')
  const tabs = TABS.filter(({ id }) => panels[id] !== null)
  return (
    <Tabs
      selectedKey={tabs.some(({ id }) => id === tab) ? tab : 'agents'}
      onSelectionChange={(key) => setTab(TABS.find(({ id }) => id === key)?.id ?? 'agents')}
      className="flex h-full min-h-0 flex-col"
    >
      <TabList aria-label="Right column" className="flex shrink-0 gap-4 border-b border-line px-4">
        {tabs.map(({ id, label }) => (
          <Tab
            key={id}
            id={id}
            className="touch:min-h-11 -mb-px flex h-9 cursor-default items-center border-b-2 border-transparent text-sm text-ink-2 hover:text-ink selected:border-accent selected:font-medium selected:text-ink"
          >
            {label}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id }) => (
        <TabPanel key={id} id={id} className="scrolls min-h-0 flex-1 overflow-y-auto">
          {panels[id]}
        </TabPanel>
      ))}
    </Tabs>
  )
}
