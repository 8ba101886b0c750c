import { bestEffort } from '../../core/rejections.ts'
import type { ToolCallPart } from '../../core/message.ts'
import { parseInput } from '../../tools/parse-input.ts'
import type { AnyTool, Workspace } from '../../tools/port.ts'
import { createRegistry } from '../../tools/registry.ts'
import { workspaceAt } from '../../tools/workspace-at.ts'
import type { Deps } from '../context/deps.ts'
import type { LiveRun } from '../run/live-run.ts'

/**
 * Removes leftovers of an exited process's calls beside their effects. Ignores what cannot be removed: never rejects.
 */
export async function cleanUpCalls(
  { store }: Pick<Deps, 'store'>,
  workspace: Workspace,
  runs: readonly LiveRun[],
): Promise<void> {
  for (const run of runs) {
    const calls = store.find('tool_calls', { where: { runId: run.row.id, status: 'running' } })
    const tools = calls.length > 0 ? createRegistry(run.tools) : undefined // models use other names for tools too
    for (const { id, partId } of calls) {
      const part = store.get('parts', partId)?.part
      const tool = part?.type === 'tool-call' ? tools?.get(part.tool) : undefined
      if (tool?.cleanUp) await bestEffort(cleanUp(tool, part as ToolCallPart, { run, workspace, callId: id }))
    }
  }
}

interface Cut {
  readonly run: LiveRun
  readonly workspace: Workspace
  readonly callId: ToolCallPart['callId']
}

async function cleanUp(tool: AnyTool, { input }: ToolCallPart, { run, workspace, callId }: Cut) {
  const { id: runId, conversationId, branchId, depth, setup } = run.row
  const directory = setup?.directory
  await tool.cleanUp!(parseInput(tool, input) as never, {
    workspace: directory ? workspaceAt(workspace, directory) : workspace,
    run: { conversationId, branchId, runId, callId, agent: run.agent.name, depth },
  })
}
