import type { GroupName } from 'offshoot/client'
import type { RunRow } from 'offshoot/protocol'
import { useState } from 'react'
import { useConversationId } from '../state/conversation.tsx'
import { usePref } from '../state/prefs.ts'
import { useRunGroups } from '../state/use-run-groups.ts'
import { useVerbs } from '../state/verbs.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Toggle } from '../ui/toggle.tsx'
import { AgentRow } from './agent-row.tsx'
import { OpenAsks } from './open-asks.tsx'
import { OtherAgents } from './other-agents.tsx'
import { OtherAsks } from './other-asks.tsx'

const TITLES: Readonly<Record<GroupName, string>> = {
  needsYou: 'Needs you',
  running: 'Running',
  queued: 'Queued',
  paused: 'Paused',
  done: 'Done',
}
/** Rows of a group before "Show all". */
const FIRST = 10

/** The working, waiting and ended agents of this conversation. */
export function AgentsPanel() {
  const verbs = useVerbs()
  const conversationId = useConversationId()
  const groups = useRunGroups()
  const [text, setText] = useState('')
  const [all, setAll] = usePref('allAgents')
  const names = Object.keys(TITLES) as GroupName[]
  const total = names.reduce((sum, name) => sum + groups[name].length, 0)
  const live = [...groups.running, ...groups.queued, ...groups.needsYou].map(({ id }) => id)
  return (
    <section aria-label="Agents" className="pb-4">
      <div className="flex items-center gap-2 px-3 pt-2.5 pb-1.5">
        <label className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-md px-1.5 text-ink-3 focus-within:bg-hover">
          <Icon name="search" size={13} />
          <input
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder="Filter by agent, task or state"
            aria-label="Filter agents"
            className="min-w-0 flex-1 bg-transparent text-sm text-ink outline-none placeholder:text-ink-3"
          />
        </label>
        <Button
          look="quiet"
          icon="pause"
          isDisabled={live.length === 0}
          onPress={() => verbs.pauseAll(conversationId, live)}
        >
          Pause all
        </Button>
      </div>
      <div className="px-4">
        <Toggle isSelected={all} onChange={setAll}>
          All conversations
        </Toggle>
      </div>
      {total === 0 && <p className="px-4 py-6 text-center text-sm text-ink-3">No agents running</p>}
      <Group name="needsYou" runs={groups.needsYou.filter((run) => isFound(run, text))} />
      <OtherAsks conversationId={conversationId} />
      {names
        .filter((name) => name !== 'needsYou')
        .map((name) => (
          <Group key={name} name={name} runs={groups[name].filter((run) => isFound(run, text))} />
        ))}
      {all && <OtherAgents conversationId={conversationId} isFound={(run) => isFound(run, text)} />}
    </section>
  )
}

function Group({ name, runs }: { name: GroupName; runs: readonly RunRow[] }) {
  const [open, setOpen] = useState(true)
  const [all, setAll] = useState(false)
  if (runs.length === 0) return null
  const shown = all ? runs : runs.slice(0, FIRST)
  return (
    <section aria-label={`${TITLES[name]}, ${runs.length}`}>
      <h2>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className={`touch:min-h-11 flex w-full items-center gap-1.5 px-4 pt-2.5 pb-1 text-left text-xs font-semibold ${name === 'needsYou' ? 'text-needs' : 'text-ink-2'}`}
        >
          {TITLES[name]}
          <span className="font-normal text-ink-3 tabular-nums">{runs.length}</span>
          <Icon name={open ? 'down' : 'right'} size={11} className="text-ink-3" />
        </button>
      </h2>
      {open && name === 'needsYou' && <OpenAsks runs={runs} />}
      {open && name !== 'needsYou' && (
        <ul className="px-1.5">
          {shown.map((run) => (
            <AgentRow key={run.branchId} run={run} />
          ))}
        </ul>
      )}
      {open && name !== 'needsYou' && runs.length > shown.length && (
        <Button look="quiet" className="ml-2.5" onPress={() => setAll(true)}>
          {`Show all ${runs.length}`}
        </Button>
      )}
    </section>
  )
}

function isFound(run: RunRow, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/)
  const said = `${run.agent} ${run.task} ${run.status} ${run.model}`.toLowerCase()
  return words.every((word) => said.includes(word))
}
