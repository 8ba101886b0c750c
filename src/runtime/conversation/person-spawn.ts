import type { AgentDefinition } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import { OffshootError } from '../../core/errors.ts'
import type { ConversationId } from '../../core/ids.ts'
import type { ModelSettings } from '../../core/model-settings.ts'
import { noSetup } from '../../core/run.ts'
import type { Author, Deliver } from '../../core/message.ts'
import type { Reader } from '../../store/port.ts'
import type { Workspace } from '../../tools/port.ts'
import { agentOf, authorityOf, mainAuthority, type AuthorityPorts } from '../authority/authority.ts'
import type { StartPlan } from './start-plan.ts'
import { readDefinedFiles } from '../delegation/context-files.ts'
import { writeSpawnCard } from '../journal/person-spawn-report.ts'
import type { Deps } from '../context/deps.ts'
import { newConversation, openConversation, writeConversation, type Opened } from './open-conversation.ts'
import { personaOf } from '../delegation/persona-and-schemas.ts'
import { contextOn, programSetup } from '../delegation/program-setup.ts'
import {
  modelOf,
  writeSubagent,
  type ModelPorts,
  type SpawnOrder,
  type SubagentPorts,
} from '../delegation/spawn-child.ts'
import { limitsOf } from '../delegation/run-limits.ts'
import { keptSettings } from '../delegation/run-settings.ts'
import { recoded } from '../delegation/recoded.ts'
import type { SystemText } from '../context/system-text.ts'
import { describeTask } from '../task/task-input.ts'

export interface PersonSpawn {
  readonly workspace: Workspace
  readonly systemText: SystemText
  /** Budget of the conversation while it is driven, US dollars. */
  readonly budgetUsd?: number | undefined
  /** As in `RunSetting`. */
  readonly context?: Json | undefined
  readonly agent: AgentDefinition
  readonly task: string
  /** Author of the task; default: a person. */
  readonly author?: Author | undefined
  /** Label for people; default: the first words of the task. */
  readonly label?: string | undefined
  /** Start below the main branch of this conversation instead of a new one. */
  readonly conversationId?: ConversationId
  /** Default: `announce`. */
  readonly deliver?: Deliver | undefined
  readonly background?: boolean
  /** `provider/model`; default: as for a spawn of the main agent. */
  readonly model?: string | undefined
  /** Called if the conversation has used no model yet. */
  readonly defaultModel: () => Promise<string>
  readonly maxTurns?: number | undefined
  /** Model settings; they override the agent's. */
  readonly settings?: ModelSettings | undefined
}

export type PersonSpawnPorts = AuthorityPorts & ModelPorts & SubagentPorts & Pick<Deps, 'clock' | 'store'>

/**
 * A subagent started by a person or a program: below the main branch, from its head, without a call. @throws
 * OffshootError `usage` for an invalid conversation, agent or number, `conflict` beyond a limit.
 */
export async function spawnOfPerson(deps: PersonSpawnPorts, options: PersonSpawn): Promise<StartPlan> {
  const { agent, workspace, task, conversationId } = options
  if (agent.name === 'main')
    throw new OffshootError('usage', 'the agent main works with a person and cannot be a subagent', {
      hint: 'offshoot run starts it; offshoot agents lists the others',
    })
  const known = conversationId ? openConversation(deps, conversationId, workspace) : undefined
  const opened = known ?? newConversation(deps, workspace, task, 'main')
  const own = known && modelInUse(deps.store, opened)
  const model = options.model ?? modelOf(deps, agent, own ?? (await options.defaultModel()))
  const above = known
    ? authorityOf(deps, deps.store, opened.branch)
    : mainAuthority(deps, undefined, agentOf(deps, 'main'))
  const spawner = known ? opened.branch.agent : 'main'
  const persona = personaOf(deps, agent, undefined, { agent: spawner })
  const reader = { ...above, name: spawner, grants: [] }
  const handed = await readDefinedFiles(reader, workspace, [agentOf(deps, spawner), agent])
  await options.systemText.prepare?.(null)
  const limits = recoded('usage', () => limitsOf(deps, agent, 1, { max_turns: options.maxTurns }))
  const settings = recoded('usage', () => keptSettings(deps, { agent, model, named: options.settings }))
  const write: StartPlan['write'] = (change, live) => {
    const here = placeOf(opened, change.at)
    if (!known) writeConversation(change, here, opened)
    const caps = recoded('conflict', () => live.budget.spawn(null, { defined: agent.maxCostUsd }))
    const order: SpawnOrder = {
      parent: undefined,
      call: undefined,
      origin: originOf(change.tx, opened),
      depth: 1,
      agent,
      label: describeTask({ description: options.label?.trim() || undefined, prompt: task.trim() }),
      text: task,
      author: options.author,
      inheritContext: false,
      background: options.background ?? false,
      model,
      limits: { ...limits, ...caps },
      budget: live.budget,
      setup: {
        ...noSetup,
        effort: agent.effort ?? null,
        persona: persona?.agent ?? null,
        contextFiles: handed.contextFiles,
        ...settings,
        ...programSetup([], options.context ?? contextOn(change.tx, opened.branch.id)),
      },
      first: { persona, files: handed.files, receipts: live.receipts.list() },
      above,
      bounds: {},
    }
    const run = recoded('conflict', () => writeSubagent(change, deps, order, options.systemText))
    const branch = change.tx.get('branches', run.row.branchId)!
    writeSpawnCard(change, deps, here, {
      branch,
      deliver: options.deliver ?? 'announce',
      author: options.author ?? 'person',
    })
    return run
  }
  const spoken = known && { spoken: { author: options.author, branchId: opened.branch.id } }
  return { conversationId: opened.conversation.id, isNew: !known, ...spoken, write }
}

/** The main agent's model: that of the latest run of its branch. */
function modelInUse(reader: Reader, { branch }: Opened): string | undefined {
  const where = { branchId: branch.id }
  return reader.find('runs', { where, orderBy: 'id', descending: true, limit: 1 })[0]?.model
}

function placeOf({ conversation, branch }: Opened, at: number) {
  return {
    at,
    conversationId: conversation.id,
    branchId: branch.id,
    runId: null,
    parentRunId: null,
    depth: 0,
  }
}

/** The head of the main branch; undefined while that is empty. */
function originOf(reader: Reader, { conversation, branch }: Opened): SpawnOrder['origin'] {
  const where = { branchId: branch.id }
  const head = reader.find('messages', { where, orderBy: 'position', descending: true, limit: 1 })[0]
  return { conversationId: conversation.id, parentBranchId: branch.id, originMessageId: head?.id ?? null }
}
