import { versionsAt, type BranchView, type ViewState } from 'offshoot/client'
import type { MessagePage } from 'offshoot/protocol'
import { useView } from '../state/conversation.tsx'
import { navigate } from '../state/route.ts'
import { IconButton } from '../ui/button.tsx'
import { isLive } from '../ui/run-status-look.ts'
import { pathOf, runOf } from '../state/branch-lookup.ts'

type Message = MessagePage['messages'][number]

/** `‹2/3›` where branches diverge: goes to the same place in each version. */
export function VersionPicker({ message }: { message: Message }) {
  const versions = useView((state) => versionsOf(state, message))
  const busy = useView((state) => isBusy(state, message))
  if (versions.length < 2) return null
  const at = versions.findIndex((branch) => branch.id === message.branchId)
  const go = (step: number) => {
    const branch = versions[at + step]
    if (branch) navigate(pathOf(branch))
  }
  return (
    <nav aria-label="Versions" className="flex items-center text-xs text-ink-2 tabular-nums">
      <IconButton icon="left" label="Previous version" isDisabled={busy || at <= 0} onPress={() => go(-1)} />
      <span
        role="img"
        aria-label={`Version ${at + 1} of ${versions.length}`}
      >{`${at + 1}/${versions.length}`}</span>
      <IconButton
        icon="right"
        label="Next version"
        isDisabled={busy || at >= versions.length - 1}
        onPress={() => go(1)}
      />
    </nav>
  )
}

/** The branches that continue after the previous message. */
function versionsOf(state: ViewState, message: Message): readonly BranchView[] {
  const before = beforeOf(state, message)
  const versions = before === undefined ? null : versionsAt(state, message.branchId, before)
  return versions?.branches.flatMap((id) => state.branches[id] ?? []) ?? []
}

/** The previous message on the path; undefined: not loaded. */
function beforeOf(state: ViewState, message: Message): Message['id'] | null | undefined {
  const branch = state.branches[message.branchId]
  const above = branch?.messages?.findLast(({ position }) => position < message.position)
  if (above) return above.id
  return message.position === 0 ? (branch?.originMessageId ?? null) : undefined
}

function isBusy(state: ViewState, message: Message): boolean {
  const run = runOf(state, message.branchId)
  return run !== null && isLive(run)
}
