import { asksBelow, type BranchView } from 'offshoot/client'
import type { ApprovalRow, QuestionRow } from 'offshoot/protocol'
import { useAskPlaces } from '../state/ask-places.ts'
import { branchOf, pathOf } from '../state/branch-lookup.ts'
import { useView } from '../state/conversation.tsx'
import { showPanel } from '../state/panels.ts'
import { Button } from '../ui/button.tsx'
import { AnsweredElsewhere } from './answered-elsewhere.tsx'
import { AskCard } from './ask-card.tsx'
import { AskLine } from './ask-line.tsx'

type Ask = ApprovalRow | QuestionRow

/** More lines would hide what is being read. */
const MOST = 3

/**
 * Above the message field of a branch: a line for each open ask of the branches below, which leads to its card there.
 * An ask of this branch has its card at its call; it gets a line here while that is out of view, and its card if the
 * call's message is not loaded.
 */
export function NeedsBar({ branch }: { branch: BranchView }) {
  const asks = useView((state) => {
    const { approvals, questions } = asksBelow(state, branch.id)
    return [...approvals, ...questions].toSorted((a, b) => a.number - b.number)
  })
  const { docked, lines } = usePlaced(branch, asks)
  if (asks.length === 0) return <AnsweredElsewhere />
  return (
    <div>
      <Alert asks={asks} />
      {docked.length > 0 && (
        <div className="scrolls mb-2 flex max-h-[60vh] flex-col gap-2 overflow-y-auto">
          {docked.map((ask) => (
            <AskCard key={ask.id} ask={ask} />
          ))}
        </div>
      )}
      {lines.length > 0 && (
        <div className="mb-2 flex flex-col gap-1" data-needs-bar="">
          {lines.slice(0, MOST).map((ask) => (
            <Line key={ask.id} ask={ask} />
          ))}
          {lines.length > MOST && (
            <Button look="quiet" small className="self-start" onPress={() => showPanel('agents')}>
              {`${lines.length - MOST} more in Agents`}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function Line({ ask }: { ask: Ask }) {
  const asker = useView((state) => branchOf(state, ask.branchId))
  return asker && <AskLine ask={ask} path={pathOf(asker)} />
}

/** Asks with their card here, and asks with a line; none of this branch while its messages load. */
function usePlaced(branch: BranchView, asks: readonly Ask[]) {
  const places = useAskPlaces(asks.map(({ id }) => id))
  const calls = useView((state) => callsIn(branchOf(state, branch.id)))
  const isOwn = (ask: Ask) => ask.branchId === branch.id
  const hasCall = ({ callId }: Ask) => calls?.includes(callId) ?? false
  return {
    docked: calls ? asks.filter((ask) => isOwn(ask) && !hasCall(ask)) : [],
    lines: asks.filter((ask, at) => !isOwn(ask) || (hasCall(ask) && places[at] !== 'in view')),
  }
}

function callsIn(branch: BranchView | undefined): readonly string[] | null {
  if (!branch?.messages) return null
  return branch.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])),
  )
}

/** Announced once to screen readers. */
function Alert({ asks }: { asks: readonly Ask[] }) {
  const last = asks.at(-1)
  return (
    <p role="alert" className="sr-only">
      {last &&
        `${last.path.join(' › ')} needs you, #${last.number}: ${'tool' in last ? last.title : last.question}`}
    </p>
  )
}
