import { Suspense } from 'react'
import { AgentsPanel } from '../agents/agents-panel.tsx'
import { StepsPanel } from '../steps/steps-panel.tsx'
import { BranchTree } from '../branches/branch-tree.tsx'
import { mainOf } from '../state/branch-lookup.ts'
import { BranchPage } from '../chat/branch-view.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Conversation, useConnection, useView } from '../state/conversation.tsx'
import { useStandStill } from '../state/stand-still.ts'
import { Frame } from './page-layout.tsx'
import { Header } from './page-header.tsx'
import { TimelineTab } from './lazy-pages.ts'
import { RightPanel } from './right-panel.tsx'
import type { Route } from '../state/route.ts'
import { StateToasts } from './state-toasts.tsx'
import { TrustBanner } from '../trust/trust-banner.tsx'
import { ConversationShortcuts } from './conversation-shortcuts.tsx'

type ConversationRoute = Extract<Route, { page: 'conversation' }>

export function ConversationPage({ route }: { route: ConversationRoute }) {
  return (
    <Conversation id={route.conversationId}>
      <Loaded route={route} />
    </Conversation>
  )
}

function Loaded({ route }: { route: ConversationRoute }) {
  const { connection, ready } = useConnection()
  if (!ready)
    return (
      <Frame header={null}>
        {connection.status === 'connecting' ? (
          <p className="p-6 text-sm text-ink-3">Loading…</p>
        ) : (
          <ConnectionBanner />
        )}
      </Frame>
    )
  return <Open route={route} />
}

function Open({ route }: { route: ConversationRoute }) {
  useStandStill()
  const branch = useView((state) => {
    const named = Object.values(state.branches).find(({ id }) => id === route.branchId)
    return named ?? mainOf(state)
  })
  const directory = useView((state) => state.conversation.directory)
  if (!branch) return <Frame header={null}>{null}</Frame>
  return (
    <Frame
      tree={<BranchTree currentId={branch.id} />}
      header={<Header branch={branch} />}
      right={
        <RightPanel
          agents={<AgentsPanel />}
          timeline={route.full === 'timeline' ? null : <LazyTimeline />}
          steps={<StepsPanel branchId={branch.id} />}
        />
      }
    >
      <ConnectionBanner />
      <TrustBanner directory={directory} />
      {route.full === 'timeline' ? (
        <LazyTimeline full />
      ) : (
        <BranchPage branch={branch} messageId={route.messageId} />
      )}
      <StateToasts branchId={branch.id} />
      <ConversationShortcuts branch={branch} />
    </Frame>
  )
}

function LazyTimeline({ full = false }: { full?: boolean }) {
  return (
    <Suspense fallback={null}>
      <TimelineTab full={full} />
    </Suspense>
  )
}
