import type { Approvals } from '../runtime/approvals.ts'
import type { Composed } from '../runtime/compose.ts'
import type { Questions } from '../runtime/questions.ts'
import type { Runtime } from '../runtime/runtime.ts'

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
