import { OffshootError } from '../../core/errors.ts'
import type { ModelSettings } from '../../core/model-settings.ts'
import type { Run } from '../../core/run.ts'

/** Settings that a message or `continue` may request. */
interface Asked {
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly maxTurns?: number | undefined
  readonly settings?: ModelSettings | undefined
}

/**
 * An active run keeps its agent, model and turns; a paused one keeps its agent and model. Settings without an effect
 * are refused. @throws OffshootError `conflict`
 */
export function checkKept(
  row: Pick<Run, 'branchId' | 'status' | 'agent' | 'model'>,
  { agent, model, maxTurns, settings }: Asked,
): void {
  const { branchId, status } = row
  const kept = [
    ...(agent === undefined || agent === row.agent
      ? []
      : [{ what: `its agent ${row.agent}`, asked: agent, leave: '--agent (agent)' }]),
    ...(model === undefined || model === row.model
      ? []
      : [{ what: `its model ${row.model}`, asked: model, leave: '-m (model)' }]),
    ...(maxTurns === undefined || status === 'paused'
      ? []
      : [{ what: 'its turns', asked: `${maxTurns} turns`, leave: '--max-turns (maxTurns)' }]),
    ...(settings === undefined || status === 'paused'
      ? []
      : [{ what: 'its settings', asked: Object.keys(settings).join(', '), leave: '--set (settings)' }]),
  ]
  if (kept.length === 0) return
  const list = (key: 'what' | 'asked' | 'leave') => kept.map((each) => each[key]).join(' and ')
  throw new OffshootError(
    'conflict',
    `${branchId} is ${status} and keeps ${list('what')}: ${list('asked')} would have no effect`,
    {
      hint: `leave out ${list('leave')}, or ${whenItMay(status, model)}`,
    },
  )
}

function whenItMay(status: Run['status'], model: string | undefined): string {
  if (status !== 'paused') return 'wait until that run has ended'
  return model === undefined
    ? 'cancel that run first'
    : 'continue it with the model, or cancel that run first'
}
