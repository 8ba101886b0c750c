import type { ConversationId, RunId } from '../../core/ids.ts'
import { isStopped } from '../../core/run-status.ts'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { OffshootError } from '../../core/errors.ts'
import type { Command } from 'commander'
import { FirstEvents } from '../../runtime/log/first-events.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { ModelSettings } from '../../core/model-settings.ts'
import type { SandboxSetting } from '../../config/sandbox-setting.ts'
import type { Mode } from '../../permissions/modes.ts'
import { sandboxOption } from '../sandbox-option.ts'
import { composeWatched } from '../terminal/compose-watched.ts'
import type { Continued } from '../../runtime/control/continue-branch.ts'
import { checkTurn } from '../person-only-commands.ts'
import { followElsewhere } from '../remote/follow-elsewhere.ts'
import { followHere } from '../remote/follow-here.ts'
import { lastSeq } from '../../runtime/log/stored-events.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { printHandedOver } from '../remote/server-call.ts'
import {
  approvalsOption,
  budgetOption,
  modeOption,
  type FollowFlags,
  attendEarly,
} from '../terminal/follow-run.ts'
import { trustBefore } from '../terminal/ask-trust.ts'
import { writeStderr, type Io } from '../io.ts'
import { absoluteScript } from '../pick-model.ts'
import { refuseIfDriven } from '../unused-options.ts'
import { wholeNumber } from '../number-options.ts'
import { setOption } from '../set-option.ts'
import { openStore } from '../open-store.ts'
import { idOf } from '../typed-id.ts'
import { requireSubject } from '../unknown-id.ts'
import { addOutputOptions } from '../terminal/output-flags.ts'
import { wokenAgent } from '../../runtime/views/woken-agent.ts'
import { resolveId, type ResolvedId } from '../../runtime/views/resolve-id.ts'
import type { Reader } from '../../store/port.ts'

interface ContinueFlags extends FollowFlags {
  readonly mode?: Mode
  readonly sandbox?: SandboxSetting
  readonly model?: string
  readonly file?: readonly string[]
  readonly maxTurns?: number
  readonly set?: ModelSettings
  readonly wake: boolean
}

export function continueCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  addOutputOptions(program.command('continue'), io)
    .description('resume a paused, failed, cancelled or finished run, and print its answer')
    .argument('<id>', 'id of a branch, run or conversation')
    .argument('[text]', 'a message to the agent; default: continue your previous work')
    .addOption(modeOption())
    .addOption(sandboxOption())
    .addOption(approvalsOption())
    .option('-m, --model <provider/model>', 'use another model; default: the model of the run')
    .option('--file <path>', 'add the text of a file to the message; repeatable', collect)
    .option('--max-turns <n>', 'maximum turns from now on', wholeNumber)
    .addOption(budgetOption())
    .addOption(setOption())
    .option('--no-wake', 'for a subagent: keep the report on its branch; do not wake its parent')
    .action(async (id: string, text: string | undefined, flags: ContinueFlags) =>
      setExitCode(await goOn(id, text, flags, io)),
    )
}

function collect(path: string, before: readonly string[] = []): readonly string[] {
  return [...before, path]
}

async function goOn(typed: string, text: string | undefined, flags: ContinueFlags, io: Io): Promise<number> {
  const { id: conversationId, directory, target } = await placeOf(typed, io)
  const files = flags.file?.map((path) => fileAt(path, io))
  await trustBefore(directory, flags, io)
  const composed = await composeWatched(directory, flags, io)
  const { runtime, workspace, systemText, warnings } = composed
  const { maxTurns, budgetUsd, set: settings } = flags
  const model = flags.model && absoluteScript(flags.model, io.cwd)
  const wake = flags.wake ? undefined : false
  try {
    for (const warning of warnings) await writeStderr(io, `offshoot: ${terminalLine(warning)}\n`)
    refuseIfDriven(composed, conversationId, flags)
    const where = { workspace, systemText, conversationId, target }
    const woken = flags.wake ? wokenBy(composed.store, resolveId(composed.store, target)) : undefined
    if (woken) await writeStderr(io, `offshoot: ${woken}\n`)
    const seqBefore = lastSeq(composed.store, conversationId)
    const open = openRuns(composed.store, conversationId)
    const first = new FirstEvents(runtime.subscribe)
    const leave = attendEarly(flags, runtime, io)
    const onStored = first.follow
    const continued = await runtime.continue({
      ...where,
      text,
      model,
      files,
      maxTurns,
      settings,
      wake,
      budgetUsd,
      onStored,
    })
    const place = { conversationId, seqBefore, ...continued }
    if (continued.outcome === 'steered') await writeStderr(io, `offshoot: ${steered(continued)}\n`)
    if (!continued.started && open.includes(continued.runId)) {
      // it goes on as before, wherever it is driven: whoever asked need not wait for its end
      await printHandedOver(place, flags.outputFormat, io)
      return exitCodes.completed
    }
    if (!continued.started) return await followElsewhere(place, flags, composed, io)
    return await followHere(continued.started, flags, { composed, first, leave }, io)
  } finally {
    await composed.guard.close()
    await composed.store.close()
  }
}

/** @throws OffshootError `usage` for a file that is not there: the rules, which come next, do not look. */
function fileAt(path: string, { cwd }: Pick<Io, 'cwd'>): string {
  const file = resolve(cwd, path)
  if (path.trim() !== '' && existsSync(file)) return file
  throw new OffshootError('usage', `--file ${terminalLine(path)}: there is no such file`, {
    hint: file === path ? 'check the path' : `looked for ${terminalLine(file)}`,
  })
}

function openRuns(store: Reader, conversationId: ConversationId): readonly RunId[] {
  const runs = store.find('runs', { where: { conversationId } })
  return runs.filter(({ status }) => !isStopped(status)).map(({ id }) => id)
}

async function placeOf(typed: string, io: Io) {
  await using store = await openStore(io)
  const target = idOf(store, typed, io)
  const { conversation } = requireSubject(store, target)
  checkTurn(store, conversation.id, io)
  return { ...conversation, target }
}

/** Said before anything is sent: a subagent that goes on reports to the branch above, which costs. */
function wokenBy(store: Reader, subject: ResolvedId): string | undefined {
  if (subject.type === 'conversation') return undefined
  const agent = wokenAgent(store, subject.branch.id)
  return (
    agent &&
    `its report will wake ${terminalLine(agent)}, whose answer is billed; --no-wake keeps it on its branch`
  )
}

function steered({ runId }: Continued): string {
  return `${runId} is still running; it reads the message at its next turn`
}
