import { runGroups, type RunGroups } from 'offshoot/client'
import { useMemo } from 'react'
import { useView } from './conversation.tsx'

/** The conversation's agents in groups; recomputed only when a run, a question or a fork changes. */
export function useRunGroups(): RunGroups {
  const approvals = useView((state) => state.approvals)
  const questions = useView((state) => state.questions)
  const runs = useView((state) => state.runs)
  const latestRuns = useView((state) => state.latestRuns)
  const queue = useView((state) => state.queue)
  // streaming replaces the branch object with every delta
  const forks = useView(({ branches }) =>
    Object.values(branches).flatMap(({ id, kind }) => (kind === 'fork' ? [id] : [])),
  )
  return useMemo(() => {
    const branches = Object.fromEntries(forks.map((id) => [id, { kind: 'fork' }]))
    return runGroups({ approvals, questions, runs, latestRuns, queue, branches })
  }, [approvals, questions, runs, latestRuns, queue, forks])
}
