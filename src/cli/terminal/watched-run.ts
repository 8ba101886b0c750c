import type { Approvals } from '../../runtime/asking/approvals.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import type { Questions } from '../../runtime/asking/questions.ts'
import type { Runtime } from '../../runtime/host/runtime.ts'

/** What a run is shown with while it lasts, whoever drives it. */
export interface Watched extends Pick<
  Composed,
  'store' | 'workspace' | 'agents' | 'mode' | 'loaded' | 'guard' | 'secrets'
> {
  readonly runtime: Pick<Runtime, 'subscribe'> & {
    readonly approvals: Pick<Approvals, 'attend' | 'answer'>
    readonly questions: Pick<Questions, 'answer'>
  }
}
