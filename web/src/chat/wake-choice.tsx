import { wakesParent, type BranchView } from 'offshoot/client'
import { useView } from '../state/conversation.tsx'
import { runOf } from '../state/branch-lookup.ts'

/** The agent that a stopped subagent's report will wake after a new message; null: none. */
export function useWokenParent(branch: BranchView): string | null {
  return useView((state) => {
    const run = runOf(state, branch.id)
    if (branch.kind !== 'subagent' || !run || run.endedAt === null) return null
    const { parentBranchId: above } = branch
    // a paused branch reads nothing until somebody continues it
    if (above && runOf(state, above)?.status === 'paused') return null
    if (run.parentRunId === null) return above && wokenAbove(state.branches[above], branch)
    const parent = state.runs[run.parentRunId]
    return wakesParent(run, parent) ? (parent?.agent ?? 'the agent above') : null
  })
}

/** For a subagent started by a person: as its card says, if that is loaded. */
function wokenAbove(above: BranchView | undefined, { id }: BranchView): string | null {
  const parts = (above?.messages ?? []).flatMap((message) => message.parts)
  const wakes = parts.some(
    (part) => part.type === 'notice' && part.branchId === id && (part.deliver ?? 'announce') !== 'announce',
  )
  return above && wakes ? above.agent : null
}

interface WakeChoiceProps {
  readonly parent: string
  readonly wake: boolean
  readonly onChange: (wake: boolean) => void
}

/** Shown before a message to a finished subagent: the additional cost of waking its parent, and the choice not to. */
export function WakeChoice({ parent, wake, onChange }: WakeChoiceProps) {
  return (
    <label className="touch:min-h-11 flex items-center gap-2 px-1 pb-2 text-xs text-ink-2">
      <input
        type="checkbox"
        checked={wake}
        onChange={(event) => onChange(event.target.checked)}
        className="accent-accent"
      />
      {wake
        ? `The report starts a turn of ${parent}, which is billed too.`
        : `The report stays here and starts no turn of ${parent}.`}
    </label>
  )
}
