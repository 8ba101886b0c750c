import type { CallId } from '../core/ids.ts'
import { sandboxOf } from '../core/receipt.ts'
import type { CallFacts } from '../core/report/call-end.ts'
import { branchesOf, type ExportDocument } from './document.ts'

export type FactsByCall = ReadonlyMap<CallId, CallFacts>

/** What the exported journal adds to the results of calls. */
export function callFactsOf(document: ExportDocument): FactsByCall {
  const runs = [...branchesOf(document)].flatMap(({ branch }) => branch?.metadata.runs ?? [])
  return new Map(
    runs.flatMap((run) =>
      run.calls.map(({ id, error, facts }) => [id, { error, by: run, sandbox: sandboxOf(facts) }]),
    ),
  )
}
