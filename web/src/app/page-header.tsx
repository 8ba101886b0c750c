import { badge, breadcrumb, costWords, sandboxLabel, tokenWords, type BranchView } from 'offshoot/client'
import { useEffect, useState } from 'react'
import { nameOf, pathOf, runOf } from '../state/branch-lookup.ts'
import { hueOf } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { ConversationMenu } from './conversation-menu.tsx'
import { useView } from '../state/conversation.tsx'
import { reloadConversations } from '../state/conversations.ts'
import { showInFavicon } from './favicon.ts'
import { keysOf, shownKeys } from '../state/keymap.ts'
import { togglePanel } from '../state/panels.ts'
import { navigate } from '../state/route.ts'
import { useRunGroups } from '../state/use-run-groups.ts'

/** Location, cost, and working agents. */
export function Header({ branch }: { branch: BranchView }) {
  const title = useView((state) => state.conversation.title)
  const { needsYou, running } = badge(useRunGroups())
  const status = useView((state) => runOf(state, branch.id)?.status)
  useEffect(reloadConversations, [title, needsYou, running, status])
  useEffect(() => {
    const marks = [needsYou > 0 && `⚑${needsYou}`, running > 0 && `◔${running}`].filter(Boolean).join(' ')
    document.title = `${marks ? `${marks} ` : ''}${title || 'Untitled'} — Offshoot`
    showInFavicon({ needsYou, running })
  }, [title, needsYou, running])
  useEffect(() => leaveWindow, [])
  return (
    <>
      <Breadcrumb branch={branch} title={title || 'Untitled'} />
      <span className="flex-1" />
      <Sandbox />
      <Figures />
      <AgentsButton needsYou={needsYou} running={running} />
      <ConversationMenu branch={branch} />
      <SaidCounts needsYou={needsYou} running={running} />
    </>
  )
}

/** How long counts must be stable before they are announced. Milliseconds. */
const STEADY_MS = 3000

/** Announces the counts of the Agents button to screen readers. */
function SaidCounts({ needsYou, running }: { needsYou: number; running: number }) {
  const words = countWords(needsYou, running) || 'No agents running'
  const [said, setSaid] = useState(words)
  useEffect(() => {
    const timer = setTimeout(() => setSaid(words), STEADY_MS)
    return () => clearTimeout(timer)
  }, [words])
  return (
    <span role="status" className="sr-only">
      {said}
    </span>
  )
}

function countWords(needsYou: number, running: number): string {
  const words = [needsYou > 0 && `${needsYou} need you`, running > 0 && `${running} running`]
  return words.filter(Boolean).join(', ')
}

/** Other pages have no counts. */
function leaveWindow(): void {
  document.title = 'Offshoot'
  showInFavicon({ needsYou: 0, running: 0 })
}

function Breadcrumb({ branch, title }: { branch: BranchView; title: string }) {
  const path = useView((state) => breadcrumb(state, branch.id))
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1 text-sm">
        {path.map((each, at) => {
          const last = at === path.length - 1
          const name = each.kind === 'main' ? title : nameOf(each)
          // On a phone, only the parent link: the branch header names the branch.
          const isParent = at === path.length - 2
          const hidden = path.length > 1 && !isParent ? 'hidden min-[720px]:flex' : 'flex'
          return (
            <li key={each.id} className={`min-w-0 items-center gap-1 ${hidden} ${hueOf(each.agent)}`}>
              {at > 0 && <Icon name="right" size={12} className="text-ink-3 max-[719px]:hidden" />}
              {isParent && <Icon name="left" size={12} className="text-ink-3 min-[720px]:hidden" />}
              {last ? (
                <Current branch={each} name={name} />
              ) : (
                <button
                  type="button"
                  onClick={() => navigate(pathOf(each))}
                  className="touch:min-h-11 min-h-6 truncate rounded px-1 text-ink-2 hover:bg-hover hover:text-ink"
                >
                  <AgentOf branch={each} />
                  {name}
                </button>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

/** The page's heading; a branch other than the main one has its own header. */
function Current({ branch, name }: { branch: BranchView; name: string }) {
  const Tag = branch.kind === 'main' ? 'h1' : 'span'
  return (
    <Tag
      dir="auto"
      aria-current="page"
      tabIndex={-1}
      data-opener={`branch-title-${branch.id}`}
      className="truncate rounded-sm font-semibold outline-none"
    >
      <AgentOf branch={branch} />
      {name}
    </Tag>
  )
}

function AgentOf({ branch }: { branch: BranchView }) {
  if (branch.kind !== 'subagent' || nameOf(branch) === branch.agent) return null
  return <span className="text-hue">{`@${branch.agent} `}</span>
}

/** What is between commands that start here and the machine. */
function Sandbox() {
  const label = sandboxLabel(useView((state) => state.sandbox))
  if (label === null) return null
  return (
    <span className="shrink-0 px-1 text-xs whitespace-nowrap text-ink-2 max-lg:hidden" title={label.about}>
      {label.words}
    </span>
  )
}

function Figures() {
  const totals = useView((state) => state.totals)
  const budget = useView((state) => state.budget)
  const slots = useView((state) => state.slots)
  const tokens = totals.usage.input + totals.usage.output
  return (
    <p className="flex shrink-0 items-center gap-3 pr-1 text-xs whitespace-nowrap text-ink-2 tabular-nums md:pr-2">
      <span title={`${costWords(totals.costUsd)}, ${tokenWords(tokens)} tokens in ${totals.runs} runs`}>
        {/* two lines on a phone, to leave room for the title */}
        <span
          className={
            totals.costUsd === null ? 'max-md:inline-block max-md:w-min max-md:whitespace-normal' : ''
          }
        >
          {costWords(totals.costUsd)}
        </span>
        {budget.usd !== null && (
          <span className="text-ink-3 max-md:hidden">{` / ${costWords(budget.usd)}`}</span>
        )}
      </span>
      <span className="max-md:hidden" title="Subagents that run at the same time">
        {`${slots.running}/${slots.max} slots`}
        {slots.queued > 0 && ` · ${slots.queued} queued`}
      </span>
    </p>
  )
}

function AgentsButton({ needsYou, running }: { needsYou: number; running: number }) {
  const said = countWords(needsYou, running)
  return (
    <button
      type="button"
      onClick={() => togglePanel('agents')}
      title={`Agents (${shownKeys(keysOf('agents'))})`}
      data-opener="agents"
      className="touch:min-h-11 flex h-8 items-center gap-1.5 rounded-md border border-line bg-raised px-2.5 text-sm hover:bg-hover"
    >
      <Icon name="agents" className={needsYou + running > 0 ? 'text-ink' : 'text-ink-3'} />
      <span className="sr-only sm:not-sr-only">Agents</span>
      {said && <span className="sr-only">{`: ${said}`}</span>}
      {needsYou > 0 && (
        <span
          aria-hidden="true"
          className="flex items-center gap-0.5 rounded-full bg-needs px-1.5 whitespace-nowrap text-2xs font-semibold text-ground"
        >{`⚑ ${needsYou}`}</span>
      )}
      {running > 0 && (
        <span
          aria-hidden="true"
          className="flex items-center gap-0.5 rounded-full bg-running px-1.5 whitespace-nowrap text-2xs font-semibold text-ground tabular-nums"
        >{`◔ ${running}`}</span>
      )}
    </button>
  )
}
