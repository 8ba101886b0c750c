import {
  approvalToAnswer,
  chatCommands,
  type BranchView,
  type ChatCommand,
  type Client,
  type ViewState,
} from 'offshoot/client'
import { showPanel } from '../state/panels.ts'
import { navigate } from '../state/route.ts'
import { thisWindow } from '../state/this-window.ts'
import { mainOf, pathOf, runOf } from '../state/branch-lookup.ts'
import { counted } from '../ui/format.ts'
import { isLive } from '../ui/run-status-look.ts'
import { showToast } from '../ui/toasts.tsx'

/** Executes a chat command. @throws Error with a message for people. */
export async function runChatCommand(
  command: ChatCommand,
  client: Client,
  state: ViewState,
  here: BranchView,
): Promise<void> {
  switch (command.command) {
    case 'spawn':
      return await spawn(command, client, here)
    case 'list':
      return showPanel('agents')
    case 'log':
      return navigate(pathOf(subagentOf(state, command.target)))
    case 'stop':
      return await stop(
        client,
        command.target === 'all' ? subagentsOf(state) : [subagentOf(state, command.target)],
        state,
      )
    case 'stop-all': {
      await stop(client, subagentsOf(state), state)
      const main = mainOf(state)
      const run = main && runOf(state, main.id)
      if (run && isLive(run)) await client.interruptBranch({ id: run.branchId })
      return
    }
    case 'approve':
      return await approve(command, client, state)
    case 'new':
      return navigate('/')
    case 'help':
      showToast({ text: chatCommands.join(' · '), tone: 'plain' })
      return
    case 'wrong':
      throw new Error(command.message)
  }
}

async function spawn(command: Extract<ChatCommand, { command: 'spawn' }>, client: Client, here: BranchView) {
  const { task, label, agent, cli } = command
  if (cli) throw new Error('--cli: agents of other programs cannot be started from here yet')
  await client.spawnOnBranch({ id: here.id, task, ...(label ? { label } : {}), ...(agent ? { agent } : {}) })
}

async function stop(client: Client, branches: readonly BranchView[], state: ViewState): Promise<void> {
  const live = branches.filter((branch) => {
    const run = runOf(state, branch.id)
    return run !== null && (isLive(run) || run.status === 'paused')
  })
  const answers = await Promise.all(live.map(({ id }) => client.cancelBranch({ id })))
  const ended = answers.reduce((sum, answer) => sum + answer.runs, 0)
  showToast({ text: `${counted(ended, 'run')} cancelled`, tone: 'plain' })
}

async function approve(
  command: Extract<ChatCommand, { command: 'approve' }>,
  client: Client,
  state: ViewState,
) {
  const { target, answer } = command
  const isNumber = /^[1-9]\d{0,8}$/.test(target)
  const asks = await client.listAsks({
    id: state.conversation.id,
    ...(isNumber ? { number: Number(target) } : {}),
  })
  const id = approvalToAnswer(asks, target)
  await client.answerApproval({ id, answer, by: thisWindow })
}

/** In order of start, which gives their numbers. */
function subagentsOf(state: ViewState): readonly BranchView[] {
  return Object.values(state.branches)
    .filter(({ kind }) => kind === 'subagent')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function subagentOf(state: ViewState, target: string): BranchView {
  const all = subagentsOf(state)
  const found =
    all.find(({ id }) => id === target || state.latestRuns[id] === target) ?? all[Number(target) - 1]
  if (!found) throw new Error(`there is no subagent ${target}; there are ${all.length}`)
  return found
}
