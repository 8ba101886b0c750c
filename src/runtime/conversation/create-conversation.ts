import type { Workspace } from '../../tools/port.ts'
import type { Deps } from '../context/deps.ts'
import { newConversation, writeConversation, type Opened } from './open-conversation.ts'
import { storeSandbox } from '../authority/kept-sandbox.ts'
import { storeMode } from '../authority/mode.ts'

export interface CreateOptions {
  readonly workspace: Workspace
  readonly title: string
  /** Agent of its main branch, unless a message names another. */
  readonly agent: string
}

/** Creates a conversation with an empty main branch. */
export async function createConversation(
  deps: Pick<Deps, 'clock' | 'namedMode' | 'namedSandbox' | 'newId' | 'recorder'>,
  { workspace, title, agent }: CreateOptions,
): Promise<Opened> {
  const opened = newConversation(deps, workspace, title, agent)
  const { id: conversationId } = opened.conversation
  return await deps.recorder.record(conversationId, (change) => {
    const here = {
      at: change.at,
      conversationId,
      branchId: opened.branch.id,
      runId: null,
      parentRunId: null,
      depth: 0,
    }
    writeConversation(change, here, opened)
    storeMode(change, deps, conversationId)
    storeSandbox(change, deps, conversationId)
    return opened
  })
}
