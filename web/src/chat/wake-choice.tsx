import { wakesParent, type BranchView } from 'offshoot/client'
import { useView } from '../state/conversation.tsx'
import { runOf } from '../state/branch-lookup.ts'

/** The agent that the report of a stopped subagent wakes, once a text is sent to it; null: it wakes none. */
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

/** Of what a person started: as its card on the branch above says, where that is loaded. */
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

/** Said before a text is sent to a finished subagent: what it costs beside its own answer, and that it need not. */
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
        ? `The report will wake ${parent}, whose answer is billed too.`
        : `The report stays here; ${parent} is not woken.`}
    </label>
  )
}
