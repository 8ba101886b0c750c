import { OffshootError } from '../../core/errors.ts'
import type { BranchId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import type { Run, RunSetup } from '../../core/run.ts'
import type { Reader } from '../../store/port.ts'
import type { AnyTool } from '../../tools/port.ts'
import type { Registry } from '../../tools/registry.ts'

/** What a run stores about a program that uses the library: its context, and the custom tools of the run. */
export function programSetup(
  tools: readonly AnyTool[],
  context: Json | undefined,
): Pick<RunSetup, 'context' | 'ownTools'> {
  const ownTools = tools.filter(({ isOwn }) => isOwn).map(({ name }) => name)
  return { ...(context === undefined ? {} : { context }), ...(ownTools.length > 0 ? { ownTools } : {}) }
}

/** Why a run cannot resume here: custom tools of its program are not registered. undefined: all are. */
export function lackedTools(
  tools: Registry,
  { setup, branchId, conversationId }: Pick<Run, 'setup' | 'branchId' | 'conversationId'>,
): OffshootError | undefined {
  const lacked = setup?.ownTools?.filter((name) => tools.get(name)?.name !== name) ?? []
  if (lacked.length === 0) return undefined
  const names = lacked.map((name) => JSON.stringify(name)).join(', ')
  const what = lacked.length === 1 ? `Tool ${names} is` : `Tools ${names} are`
  return new OffshootError('conflict', `${what} not registered in this process`, {
    hint: `Continue it from the program that defines them: offshoot.chat({ conversationId: '${conversationId}', tools }), then offshoot.continue('${branchId}').`,
  })
}

/** The context of the last run of a branch. */
export function contextOn(reader: Reader, branchId: BranchId): Json | undefined {
  const last = { orderBy: 'id', descending: true, limit: 1 } as const
  return reader.find('runs', { where: { branchId }, ...last })[0]?.setup?.context
}
