import type { Author, Deliver } from '../../core/message.ts'
import type { ModelSettings } from '../../core/model-settings.ts'
import { agentOf } from '../authority/authority.ts'
import { spawnOfPerson, type PersonSpawnPorts } from '../conversation/person-spawn.ts'
import { startHere, noDefaultModel, type StartAnswer, type StartHerePorts } from './start-here.ts'
import { notHere, type VerbScope } from './verb-scope.ts'

interface SpawnArguments {
  readonly agent: string
  readonly task: string
  readonly author?: Author | undefined
  readonly label?: string | undefined
  readonly deliver?: Deliver | undefined
  readonly model?: string | undefined
  readonly maxTurns?: number | undefined
  readonly settings?: ModelSettings | undefined
  readonly budgetUsd?: number | undefined
}

/** Starts a subagent in a conversation that this process drives. @throws OffshootError `usage`, `conflict`. */
export async function spawn(
  scope: VerbScope<PersonSpawnPorts & StartHerePorts>,
  id: string,
  { budgetUsd, agent, ...args }: SpawnArguments,
): Promise<StartAnswer> {
  const { deps, live } = scope
  if (id !== live.id) throw notHere(id, live.id)
  const plan = await spawnOfPerson(deps, {
    ...args,
    ...live.setting,
    agent: agentOf(deps, agent),
    conversationId: live.id,
    defaultModel: noDefaultModel,
  })
  return await startHere(scope, plan, budgetUsd)
}
