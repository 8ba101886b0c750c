import type { RunRow } from 'offshoot/protocol'
import { useView } from '../state/conversation.tsx'
import { navigate } from '../state/route.ts'
import { pathOf } from '../state/branch-lookup.ts'
import { ApprovalCard } from './approval-card.tsx'
import { QuestionCard } from './question-card.tsx'

/** What these runs wait for a person to say, the oldest first. */
export function OpenAsks({ runs }: { runs: readonly RunRow[] }) {
  const ids = new Set<string>(runs.map(({ id }) => id))
  const all = useView((state) => [...state.approvals, ...state.questions])
  const asks = all.filter(({ runId }) => ids.has(runId))
  const branches = useView((state) => state.branches)
  const view = (branchId: string) => {
    const branch = Object.values(branches).find(({ id }) => id === branchId)
    return branch && (() => navigate(pathOf(branch)))
  }
  return (
    <div className="flex flex-col gap-2 px-3 pb-1">
      {asks.map((ask) =>
        'tool' in ask ? (
          <ApprovalCard key={ask.id} approval={ask} onView={view(ask.branchId)} />
        ) : (
          <QuestionCard key={ask.id} question={ask} onView={view(ask.branchId)} />
        ),
      )}
    </div>
  )
}
