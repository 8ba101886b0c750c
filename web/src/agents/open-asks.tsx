import type { RunRow } from 'offshoot/protocol'
import { branchPath } from '../state/route.ts'
import { useView } from '../state/conversation.tsx'
import { AskLine } from './ask-line.tsx'

/** Open asks of these runs, oldest first. Their cards are in the asking branches. */
export function OpenAsks({ runs }: { runs: readonly RunRow[] }) {
  const ids = new Set<string>(runs.map(({ id }) => id))
  const all = useView((state) => [...state.approvals, ...state.questions])
  const mains = useView((state) =>
    Object.values(state.branches).flatMap(({ id, kind }) => (kind === 'main' ? [id] : [])),
  )
  const asks = all.filter(({ runId }) => ids.has(runId)).toSorted((a, b) => a.number - b.number)
  return (
    <ul className="flex flex-col gap-1 px-3 pb-1">
      {asks.map((ask) => (
        <li key={ask.id}>
          <AskLine
            tall
            ask={ask}
            path={branchPath(ask.conversationId, mains.includes(ask.branchId) ? null : ask.branchId)}
          />
        </li>
      ))}
    </ul>
  )
}
