import { useEffect, useRef, useState } from 'react'
import { navigate, settingsTabs, useRoute, type SettingsTab } from '../state/route.ts'
import { AgentDetail } from './agent-detail.tsx'
import { Agents } from './agents.tsx'
import { Appearance } from './appearance.tsx'
import { Limits } from './limits.tsx'
import { Models } from './models.tsx'
import { Permissions } from './permissions.tsx'
import { PageLink } from './settings-section.tsx'
import { Sessions } from './sessions.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { tabNames } from './tab-names.ts'

/** The configuration, and the settings of this device. */
export function SettingsPage({ tab }: { tab: SettingsTab }) {
  const route = useRoute()
  const [leftAgent, setLeftAgent] = useState<string | null>(null)
  const leave = (name: string) => {
    setLeftAgent(name)
    navigate('/settings/agents')
  }
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [tab])
  const item = route.page === 'settings' ? route.item : null
  return (
    <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
      <nav
        ref={nav}
        aria-label="Settings"
        className="scrolls shrink-0 overflow-x-auto border-b border-line lg:w-48 lg:border-r lg:border-b-0 lg:py-6"
      >
        <ul className="flex gap-0.5 p-1.5 lg:flex-col lg:px-3">
          {settingsTabs.map((each) => (
            <li key={each} className="shrink-0">
              <PageLink
                to={`/settings/${each}`}
                isCurrent={each === tab}
                className={`touch:min-h-11 flex h-8 items-center rounded-md px-2.5 text-sm whitespace-nowrap ${each === tab ? 'bg-pressed font-medium' : 'text-ink-2 hover:bg-hover'}`}
              >
                {tabNames[each]}
              </PageLink>
            </li>
          ))}
        </ul>
      </nav>
      <div
        tabIndex={-1}
        className="scrolls min-h-0 min-w-0 flex-1 overflow-y-auto px-4 py-6 outline-none md:px-8"
      >
        <div className="mx-auto max-w-3xl pb-16">
          {tab === 'agents' && item !== null ? (
            <AgentDetail key={item} name={item} onBack={() => leave(item)} />
          ) : (
            <>
              <h1 className="mb-4 text-lg font-semibold">{tabNames[tab]}</h1>
              <TabContent tab={tab} leftAgent={leftAgent} />
            </>
          )}
        </div>
      </div>
    </div>
  )
}

function TabContent({ tab, leftAgent }: { tab: SettingsTab; leftAgent: string | null }) {
  switch (tab) {
    case 'agents':
      return <Agents leftAgent={leftAgent} />
    case 'models':
      return <Models />
    case 'permissions':
      return <Permissions />
    case 'limits':
      return <Limits />
    case 'sessions':
      return <Sessions />
    case 'appearance':
      return <Appearance />
    case 'shortcuts':
      return <Shortcuts />
  }
}
