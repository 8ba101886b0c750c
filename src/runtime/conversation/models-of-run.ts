import { idleSetting } from '../../core/idle-setting.ts'
import type { ModelSettings } from '../../core/model-settings.ts'
import { hourPrice } from '../../model/cache-marks.ts'
import type { Model } from '../../model/port.ts'
import { least } from '../budget/budget-share.ts'
import type { LiveRun } from '../run/live-run.ts'

interface ModelsOfRun {
  readonly turns: Model
  /** For a summary, which ignores the stop sequences of answers. */
  readonly aside: Model
}

/** A model with the settings of all requests of a run; its budget knows the answer length and the price. */
export function modelsOfRun(model: Model, run: Pick<LiveRun, 'row'>, settings: ModelSettings): ModelsOfRun {
  const { maxOutputTokens: _, stopSequences: __, ...others } = settings
  return { turns: askedWith(model, run, settings), aside: askedWith(model, run, others) }
}

function askedWith(model: Model, { row }: Pick<LiveRun, 'row'>, settings: ModelSettings): Model {
  const { maxOutputTokens, providerOptions = {}, ...rest } = settings
  const isForAnHour = rest.promptCache === '1h' && !idleSetting({ promptCache: '1h' }, row.model)
  const { info } = model
  const effort = row.setup?.effort
  const longest = maxOutputTokens && least(maxOutputTokens, info.maxOutput)
  const options = providerOptions[info.provider]
  const wishes = {
    cacheKey: row.branchId,
    ...(effort ? { effort } : {}),
    ...rest,
    ...(longest ? { maxOutputTokens: longest } : {}),
    ...(options ? { providerOptions: { [info.provider]: options } } : {}),
  }
  return {
    info: {
      ...info,
      maxOutput: longest ?? info.maxOutput,
      price: isForAnHour ? hourPrice(info.price) : info.price,
    },
    stream: (request) => model.stream({ ...wishes, ...request }),
  }
}
