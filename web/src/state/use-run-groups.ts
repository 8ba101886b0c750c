import { runGroups, type RunGroups } from 'offshoot/client'
import { useMemo } from 'react'
import { useView } from './conversation.tsx'

/** The agents of the conversation in their groups; made anew only when a run, a question or a fork changes. */
export function useRunGroups(): RunGroups {
  const approvals = useView((state) => state.approvals)
  const questions = useView((state) => state.questions)
  const runs = useView((state) => state.runs)
  const latestRuns = useView((state) => state.latestRuns)
  const queue = useView((state) => state.queue)
  // a branch is another object with each word that is streamed on it
  const forks = useView(({ branches }) =>
    Object.values(branches).flatMap(({ id, kind }) => (kind === 'fork' ? [id] : [])),
  )
  return useMemo(() => {
    const branches = Object.fromEntries(forks.map((id) => [id, { kind: 'fork' }]))
    return runGroups({ approvals, questions, runs, latestRuns, queue, branches })
  }, [approvals, questions, runs, latestRuns, queue, forks])
}
