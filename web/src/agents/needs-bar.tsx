import { asksBelow, type BranchView } from 'offshoot/client'
import { useState } from 'react'
import { useView } from '../state/conversation.tsx'
import { navigate } from '../state/route.ts'
import { branchOf, pathOf } from '../state/branch-lookup.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { QuestionCard } from './question-card.tsx'
import { AnsweredElsewhere } from './answered-elsewhere.tsx'

/** Above the composer of every branch above the one that asks: one line, which opens to the whole question. */
export function NeedsBar({ branch }: { branch: BranchView }) {
  const asks = useView((state) => {
    const { approvals, questions } = asksBelow(state, branch.id)
    return [...approvals, ...questions]
  })
  const [openId, setOpenId] = useState<string>()
  const first = asks[0]
  const asker = useView((state) => (first ? branchOf(state, first.branchId) : undefined))
  if (!first) return <AnsweredElsewhere />
  const open = openId === first.id
  const view = asker && asker.id !== branch.id ? () => navigate(pathOf(asker)) : undefined
  return (
    <div className="mb-2" data-needs-bar="">
      <div
        className="flex items-center gap-2 rounded-lg border border-needs-line bg-needs-soft py-1 pr-1 pl-3 text-sm"
        role="alert"
      >
        <Icon name="flag" size={14} className="text-needs" />
        <span className="min-w-0 flex-1 truncate">
          <span className="font-medium text-needs">{first.path.join(' › ')}</span>
          <span className="ml-2 font-mono text-xs">{'tool' in first ? first.title : first.question}</span>
        </span>
        {asks.length > 1 && <span className="text-xs text-ink-2">{`1 of ${asks.length}`}</span>}
        <Button look="quiet" aria-expanded={open} onPress={() => setOpenId(open ? undefined : first.id)}>
          {open ? 'Fold' : 'Answer'}
        </Button>
      </div>
      {open && (
        <div className="mt-1.5">
          {'tool' in first ? (
            <ApprovalCard approval={first} onView={view} />
          ) : (
            <QuestionCard question={first} onView={view} />
          )}
        </div>
      )}
    </div>
  )
}
