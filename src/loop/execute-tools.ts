import { maskOutput } from './mask-live.ts'
import { errorMessage } from '../core/errors.ts'
import { maskStrings } from '../core/secrets/mask-strings.ts'
import { shapeMask, type SecretMask } from '../core/secrets/mask.ts'
import { bounds } from '../core/limits.ts'
import type { ToolCallPart, ToolOutput, ToolResultPart } from '../core/message.ts'
import { ignoreLateRejection } from '../core/rejections.ts'
import { titleLine } from '../tools/define-tool.ts'
import { parseInput } from '../tools/parse-input.ts'
import { plain } from '../tools/registry.ts'
import { ToolError, type AnyTool, type ToolContext } from '../tools/port.ts'
import { unlessAborted } from './unless-aborted.ts'
import type { Answer, Emit, EndedCall, LoopPorts, PermitRequest } from './ports.ts'
import { isCut } from './answer-outcome.ts'
import { isTooDeep } from './read-answer.ts'
import { NOT_RUN, type Repeats } from './repeats.ts'
import { whileSuspended, type Watchdog } from './watchdog.ts'

/** Outcome of a call; the journal turns it into the result that the model reads. */
type Ended = Pick<EndedCall, 'status' | 'output' | 'exitCode' | 'error'>

/** Observers of running calls. */
export interface Watch {
  readonly watchdog: Watchdog
  readonly repeats: Repeats
  readonly emit: Emit
}

/**
 * Runs the calls of one answer and returns their results in call order. They start in order; a call with effects
 * (except spawns) waits for all before it, and all after it wait for it; the others run in parallel. Every call ends in
 * a result.
 */
export async function executeTools(
  answer: Answer,
  ports: LoopPorts,
  { watchdog, repeats, emit: live }: Watch,
): Promise<ToolResultPart[]> {
  const emit: Emit = (event) => {
    watchdog.touch()
    live(event)
  }
  const running: Running[] = []
  let known = 0
  const know = async () => {
    const results = await settle(running, ports, watchdog)
    for (; known < results.length; known++) repeats.ended(running[known]!.part, results[known]!)
    return results
  }
  for (const part of answer.parts) {
    if (part.type !== 'tool-call') continue
    const tool = ports.tools.get(part.tool)
    const resumed = ports.resume?.(part)
    if (resumed) {
      ignoreLateRejection(resumed)
      repeats.begins(part)
      running.push({ part, result: resumed, spawns: true })
      continue
    }
    const alone = runsAlone(tool)
    if (alone) await settle(running, ports, watchdog)
    if (repeats.begins(part) && tool?.effects !== 'spawn') await know()
    const notRun = repeats.isCircle(part) ? inCircle(part) : isCut(answer.end) ? cutOff(part) : undefined
    const result = notRun ? ports.journal.callEnded(notRun) : runCall(part, ports, watchdog, emit)
    running.push({ part, result, spawns: tool?.effects === 'spawn' })
    ignoreLateRejection(result)
    if (alone) await result
  }
  return await know()
}

interface Running {
  readonly part: ToolCallPart
  readonly result: Promise<ToolResultPart>
  /** Whether it waits for a subagent, or has already ended. */
  readonly spawns: boolean
}

/** Waits for all: first for local work, then for subagents only. */
async function settle(
  running: readonly Running[],
  ports: LoopPorts,
  watchdog: Watchdog,
): Promise<ToolResultPart[]> {
  await Promise.all(running.filter((call) => !call.spawns).map((call) => call.result))
  const all = Promise.all(running.map((call) => call.result))
  if (!running.some((call) => call.spawns)) return await all
  const results = await whileSuspended(watchdog, 'itself', () => ports.whileChildrenRun(all))
  await whileSuspended(watchdog, 'slot', ports.untilSlot)
  return results
}

function runsAlone(tool: AnyTool | undefined): boolean {
  return tool !== undefined && tool.effects !== 'none' && tool.effects !== 'spawn'
}

/** The answer was cut, so any call in it may be incomplete: none is run. */
function cutOff(part: ToolCallPart): EndedCall {
  const message =
    'not run: the answer reached its output limit, so the arguments may be incomplete; call again with shorter ones'
  return { part, title: titleLine(part.tool), ...failure('skipped', 'truncated', message) }
}

function inCircle(part: ToolCallPart): EndedCall {
  return { part, title: titleLine(part.tool), ...failure('skipped', 'repeated', NOT_RUN) }
}

async function runCall(
  part: ToolCallPart,
  ports: LoopPorts,
  watchdog: Watchdog,
  emit: Emit,
): Promise<ToolResultPart> {
  let title = titleLine(part.tool)
  if (ports.signal.aborted)
    return ports.journal.callEnded({
      part,
      title,
      ...failure('skipped', 'interrupted', 'not run: the run was stopped first'),
    })
  try {
    const tool = findTool(part, ports)
    const input = readInput(tool, part)
    const shown = describe({ part, tool, input }, ports)
    title = shown.title
    const denied = await requestPermission({ part, tool, input, ...shown }, ports, watchdog)
    if (denied) return await ports.journal.callEnded({ part, title, ...denied })
    const started = ports.journal.callStarted({ part, tool, title, input })
    ignoreLateRejection(started) // awaited with the end
    if (tool.effects !== 'none') await started
    const ran = await effect({ part, tool, input }, ports, watchdog, emit)
    const ended = withoutKeys(withNotes(ran, part, ports), ports.secrets ?? shapeMask)
    const [, result] = await Promise.all([started, ports.journal.callEnded({ part, title, ...ended })])
    return result
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return ports.journal.callEnded({
      part,
      title,
      ...failure('failed', error.code, error.message, error.hint),
    })
  }
}

function findTool(part: ToolCallPart, ports: LoopPorts): AnyTool {
  const tool = ports.tools.get(part.tool)
  const toolset = part.via?.toolset
  if (tool && toolset !== undefined && plain(toolset) !== plain(tool.toolset))
    throw new ToolError(
      'unknown_tool',
      `${tool.name} is in the toolset ${tool.toolset}, not in ${JSON.stringify(toolset.slice(0, 100))}`,
    )
  if (tool) return tool
  const refusal = ports.tools.refusal?.(part.tool)
  if (refusal) throw refusal
  const known = ports.tools.list().map((each) => each.name)
  throw new ToolError(
    'unknown_tool',
    `there is no tool "${part.tool.slice(0, 100)}"; the tools are: ${known.join(', ') || 'none'}`,
  )
}

/** `never`: the registry has erased the type; the tool's own schema has just checked the value. */
function readInput(tool: AnyTool, part: ToolCallPart): never {
  const size = part.invalid?.length ?? JSON.stringify(part.input).length
  if (size > bounds.toolInputChars) {
    throw new ToolError(
      'input_too_large',
      `the input of ${tool.name} has ${size} characters; at most ${bounds.toolInputChars} are read`,
    )
  }
  const input = parseInput(tool, part.invalid ?? part.input)
  if (part.invalid !== undefined && isTooDeep(input))
    throw new ToolError('invalid_input', `wrong input for ${tool.name}: it is nested too deeply`)
  return input as never
}

/** Title and subjects of a call. If a tool fails to compute them for this input, the call fails, not the run. */
function describe(
  { part, tool, input }: CheckedCall,
  ports: LoopPorts,
): Pick<PermitRequest, 'title' | 'subjects' | 'detail'> {
  try {
    const title = titleLine(tool.title(input))
    const subjects = [...tool.subject(input)]
    const touched = subjects.map((each) => each.value).join('\n') || title
    return { title, subjects, detail: () => detailOf({ part, tool, input }, ports) ?? touched }
  } catch (error) {
    throw new ToolError('tool_error', `${tool.name} cannot take this input: ${errorMessage(error)}`)
  }
}

/** A tool's further details, without keys from files that it read. */
function detailOf(
  { part, tool, input }: CheckedCall,
  ports: LoopPorts,
): string | Promise<string> | undefined {
  const { keys } = ports.secrets ?? shapeMask
  const text = tool.detail?.(input, ports.toolContext(part.callId, noOutput))
  return text instanceof Promise ? text.then(keys) : text === undefined ? undefined : keys(text)
}

function noOutput(): void {}

async function requestPermission(
  request: PermitRequest,
  ports: LoopPorts,
  watchdog: Watchdog,
): Promise<Ended | undefined> {
  const permit = await whileSuspended(watchdog, 'person', () => ports.permit(request))
  if (permit.allowed) return undefined
  const { code, reason, why } = permit
  const told = code === 'unattended' ? `${why}. ${WITHOUT_IT}` : why
  const denied = failure(code === 'interrupted' ? 'skipped' : 'denied', code, told)
  return { ...denied, error: { code, message: why, reason } }
}

/** For the model alone. */
const WITHOUT_IT = 'Go on without it, or say what is needed.'

interface CheckedCall {
  readonly part: ToolCallPart
  readonly tool: AnyTool
  readonly input: never
}

/** Runs the tool. Any error becomes a failed result; a tool that ignores a stop is abandoned after the kill timeout. */
async function effect(
  { part, tool, input }: CheckedCall,
  ports: LoopPorts,
  watchdog: Watchdog,
  emit: Emit,
): Promise<Ended> {
  // a delegation continues: its child is stored and must be stopped there
  if (ports.signal.aborted && tool.effects !== 'spawn')
    return failure('skipped', 'interrupted', 'not run: the run was stopped first')
  const emitOutput = (text: string) => emit({ type: 'tool.output', callId: part.callId, text })
  const live = maskOutput(emitOutput, ports.secrets ?? shapeMask)
  const context: ToolContext = ports.toolContext(part.callId, live.emit)
  const waitsFor = tool.asksPerson ? 'person' : boundsItself(tool) ? 'itself' : undefined
  const release = waitsFor && watchdog.suspend(waitsFor)
  try {
    const running = Promise.resolve().then(() => tool.execute(input, context))
    const output = await unlessAborted(running, ports.signal, ports.clock, bounds.killGraceMs * 2)
    live.end()
    return {
      status: 'completed',
      output: modelOutput(tool, output),
      exitCode: exitCodeOf(tool, output),
      error: null,
    }
  } catch (error) {
    live.end()
    if (ports.signal.aborted) return failure('failed', 'interrupted', 'interrupted before it finished')
    if (error instanceof ToolError) return failure('failed', error.code, error.message, error.hint)
    return failure('failed', 'tool_error', `${tool.name} failed: ${errorMessage(error)}`)
  } finally {
    release?.()
    watchdog.touch()
  }
}

/** Adds the notes of a file's directory. A call that did not complete brings none. */
function withNotes(ended: Ended, { callId }: ToolCallPart, ports: LoopPorts): Ended {
  const notes = ended.status === 'completed' ? ports.notes?.(callId) : undefined
  return notes ? { ...ended, output: { ...ended.output, notes } } : ended
}

/** A tool's result goes to the provider and into the store: neither may contain a key. */
function withoutKeys(ended: Ended, { keys }: Pick<SecretMask, 'keys'>): Ended {
  const { output, error } = ended
  const text = keys(output.text)
  const message = error && keys(error.message)
  const subagent = output.subagent && { subagent: maskStrings(output.subagent, keys) }
  const notes = output.notes && { notes: maskStrings(output.notes, keys) }
  if (!subagent && !notes && text === output.text && message === error?.message) return ended
  const masked = { ...output, text, ...subagent, ...notes }
  return { ...ended, output: masked, error: error && { ...error, message: message! } }
}

/** A custom tool may return anything; a model reads text. */
function modelOutput(tool: AnyTool, output: unknown): ToolOutput {
  const shown = tool.toModelOutput(output) as ToolOutput | undefined
  if (typeof shown?.text !== 'string') throw new Error('it returned nothing that a model can read')
  return shown
}

function exitCodeOf(tool: AnyTool, output: unknown): number | null {
  const code = tool.exitCode?.(output)
  return Number.isSafeInteger(code) ? code! : null
}

/** Programs have their own timeout, and subagents their own limits. */
function boundsItself(tool: AnyTool): boolean {
  return tool.effects === 'execute' || tool.effects === 'spawn'
}

function failure(
  status: 'failed' | 'denied' | 'skipped',
  code: string,
  message: string,
  hint?: string,
): Ended {
  const text = hint ? `${message}\n${hint}` : message
  return { status, output: { text }, exitCode: null, error: { code, message, ...(hint ? { hint } : {}) } }
}
