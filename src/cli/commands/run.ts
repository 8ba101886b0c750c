import type { Command } from 'commander'
import { resolve } from 'node:path'
import { OffshootError } from '../../core/errors.ts'
import type { Conversation } from '../../core/conversation.ts'
import type { BranchId, ConversationId } from '../../core/ids.ts'
import type { StoredRun } from '../../core/run.ts'
import { isFinal } from '../../core/run-status.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Composed } from '../../runtime/host/compose.ts'
import { composeWatched } from '../terminal/compose-watched.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import type { StartOptions } from '../../runtime/conversation/main-run.ts'
import { follow, attendEarly } from '../terminal/follow-run.ts'
import { checkTurn, hasPerson } from '../person-only-commands.ts'
import { pickModel } from '../pick-model.ts'
import { exitCodes, type SetExitCode } from '../exit-codes.ts'
import { trustBefore } from '../terminal/ask-trust.ts'
import { writeStderr, type Io } from '../io.ts'
import { openStore } from '../open-store.ts'
import { idOf } from '../typed-id.ts'
import { requireConversation } from '../unknown-id.ts'
import { refuseUnusedInServer } from '../remote/background-options.ts'
import {
  mainBranch,
  modelFor,
  requireServer,
  printHandedOver,
  type HandedOver,
  type FoundServer,
} from '../remote/server-call.ts'
import type { Reader } from '../../store/port.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { refuseDecidedElsewhere, refuseRulesElsewhere } from '../unused-options.ts'
import { readPrompt, type TaskWords } from '../terminal/read-task.ts'
import { hasPipedInput } from '../terminal/piped-input.ts'
import { printOthersWaiting } from '../terminal/recovered-text.ts'
import { followHere } from '../remote/follow-here.ts'
import { isWithServer, runInServer, watchedElsewhere } from '../remote/server-run.ts'
import { FirstEvents } from '../../runtime/log/first-events.ts'
import { lastSeq } from '../../runtime/log/stored-events.ts'
import { RULE_FLAGS, type RunEnd, type RunFlags } from '../run-flags.ts'
import { addRunOptions, readRunFlags } from './run-options.ts'

export function runCommand(program: Command, io: Io, setExitCode: SetExitCode): void {
  const command = program
    .command('run')
    .description('answer one prompt and exit; the prompt may come from stdin')
    .argument('[prompt]', 'the prompt; - reads it from stdin; other data on stdin is added to it')
  addRunOptions(command, io).action(async (prompt: string | undefined) => {
    const flags = await readRunFlags(command)
    if (flags.background) refuseUnusedInServer(command, flags)
    setExitCode(await run(prompt, flags, io))
  })
}

const NEW: TaskWords = {
  missing: 'there is no prompt',
  hint: 'offshoot run "what to do", or the same on stdin',
}

/** The options that take several words. */
const GREEDY = [
  ['allowedTools', '--allowedTools'],
  ['disallowedTools', '--disallowedTools'],
  ['addDir', '--add-dir'],
] as const

const GREEDY_READ = {
  '--allowedTools': '--allowedTools read the prompt as a tool',
  '--disallowedTools': '--disallowedTools read the prompt as a tool',
  '--add-dir': '--add-dir read the prompt as a directory',
} as const

function missingIn(flags: RunFlags): TaskWords {
  const { conversation, continue: latest } = flags
  const greedy = GREEDY.filter(([name]) => flags[name] !== undefined).map(([, option]) => option)
  if (greedy.length > 0)
    return {
      missing: `there is no prompt: ${greedy.map((option) => GREEDY_READ[option]).join(', and ')}`,
      hint: `put the prompt first: offshoot "what to do" ${greedy[0]} ...`,
    }
  if (conversation === undefined && !latest) return NEW
  const [option, id] = latest ? ['--continue', 'last'] : [`--resume ${conversation}`, conversation]
  return {
    missing: `${latest ? '--continue' : '--resume'} needs a prompt`,
    hint: `offshoot ${option} "what to do next", or the same on stdin; offshoot continue ${id} resumes without a prompt`,
  }
}

async function run(promptArgument: string | undefined, given: RunFlags, io: Io): Promise<number> {
  refuseUnrelated(given)
  const flags = given.conversation === true ? await withPicked(given, io) : given
  if (flags.inputFormat === 'stream-json')
    return await (await import('./run-messages.ts')).runMessages(promptArgument, flags, io, runOnce)
  const server = flags.background && requireServer(io, 'offshoot run drives it until it ends')
  const prompt = await promptOf(promptArgument, flags, io)
  await printUnreadWord(promptArgument, io)
  if (server) return await handOver(server, prompt, flags, io)
  return (await runOnce(prompt, flags, io)).code
}

/** `/review x` or `@critic x`: nothing but the model reads that. */
async function printUnreadWord(prompt: string | undefined, io: Io): Promise<void> {
  if (prompt === undefined || !/^\s*[/@]/.test(prompt)) return
  const line = (await import('../foreign/prompt-words.ts')).unreadWord(prompt, io.cwd)
  if (line !== undefined) await writeStderr(io, `offshoot: ${terminalLine(line)}\n`)
}

/** @throws OffshootError `usage` */
function refuseUnrelated({ forkSession, conversation, continue: latest, inputFormat }: RunFlags): void {
  if (typeof conversation === 'string' && /\s/.test(conversation.trim())) throw promptForId(conversation)
  if (!forkSession) return
  if (inputFormat === 'stream-json')
    throw new OffshootError('usage', '--fork-session cannot be combined with --input-format stream-json', {
      hint: 'leave one of them out',
    })
  if (conversation !== undefined || latest) return
  throw new OffshootError('usage', '--fork-session needs a conversation', {
    hint: 'add --continue, or --resume ID',
  })
}

/** One run, from its prompt to its end. */
async function runOnce(prompt: string, flags: RunFlags, io: Io): Promise<RunEnd> {
  const directory = resolve(io.cwd, flags.directory)
  const rules = await rulesOf(flags, io)
  await trustBefore(directory, flags, io)
  const composed = await composeWatched(directory, flags, io, rules.all)
  try {
    for (const warning of composed.warnings) await writeStderr(io, `offshoot: ${terminalLine(warning)}\n`)
    const { runtime, store, workspace } = composed
    rules.check(composed)
    const known = namedConversation(flags, store, workspace.root, io)?.id
    checkTurn(store, known, io)
    if (known && flags.forkSession) {
      const { answerOnFork } = await import('./run-on-fork.ts')
      return await answerOnFork({ conversationId: known, prompt }, flags, composed, io)
    }
    if (known && isWithServer(composed, known, io))
      return { code: await goOnThere({ conversationId: known, prompt }, flags, composed, io) }
    const first = new FirstEvents(runtime.subscribe)
    const leave = attendEarly(flags, runtime, io)
    const restrictions = rules.denying
    const input = { conversationId: known, prompt, restrictions, onStored: first.follow }
    const started = await start(input, flags, composed, io)
    await printOthersWaiting(composed, started, io)
    const code = await followHere(started, flags, { composed, first, leave }, io)
    return { code, conversationId: started.conversationId }
  } finally {
    await composed.store.close()
  }
}

/** Most runs have none, and load no reader of rules. */
async function rulesOf(flags: RunFlags, io: Io) {
  if (!RULE_FLAGS.some((flag) => flags[flag] !== undefined)) return { all: [], denying: [], check: () => {} }
  const { readRunRules, requireKnownNames } = await import('../run-rules.ts')
  const rules = await readRunRules(flags, io)
  return { ...rules, check: (composed: Composed) => requireKnownNames(rules, composed) }
}

/** `-`, or no argument: all of stdin. Else what stands on stdin is data beside the prompt. */
async function promptOf(argument: string | undefined, flags: RunFlags, io: Io): Promise<string> {
  const given = argument === '-' ? undefined : (argument ?? (await askedMessage(flags, io)))
  const prompt = await readPrompt(given, missingIn(flags), io)
  if (given === undefined || !hasPipedInput(io)) return prompt
  return (await import('../terminal/piped-data.ts')).withPipedData(prompt, io)
}

/** What a person at the terminal says in the conversation that they named or picked. */
async function askedMessage(flags: RunFlags, io: Io): Promise<string | undefined> {
  if (!hasPerson(io) || (flags.conversation === undefined && !flags.continue)) return undefined
  await using store = await openStore(io)
  const conversation = namedConversation(flags, store, rootOf(flags, io), io)
  checkTurn(store, conversation?.id, io)
  return conversation && (await (await import('./pick-conversation.ts')).askMessage(conversation, io))
}

/** `--resume` without an id. The run works where the conversation does. */
async function withPicked(flags: RunFlags, io: Io): Promise<RunFlags> {
  await using store = await openStore(io)
  const { pickConversation } = await import('./pick-conversation.ts')
  const { id, directory } = await pickConversation(store, rootOf(flags, io), io)
  return { ...flags, conversation: id, directory }
}

function rootOf({ directory }: RunFlags, { cwd }: Io): string {
  return createWorkspace(resolve(cwd, directory)).root
}

async function start(
  { conversationId, prompt, ...rest }: RunInput<ConversationId | undefined>,
  flags: RunFlags,
  composed: Composed,
  io: Io,
): Promise<StartedRun> {
  const { runtime, workspace, systemText, agents } = composed
  const given = agents.require(flags.agent)
  const { agent, ...asked } = await equipped({ agent: given, prompt, conversationId }, flags)
  const kept = conversationId && lastModel(composed.store, conversationId, agent.name)
  const model = await pickModel(flags.model, composed, io, { ...agent, kept })
  if (model === 'offline' && flags.jsonSchema !== undefined) throw noJson()
  const more = {
    ...(flags.maxTurns ? { maxTurns: flags.maxTurns } : {}),
    ...(conversationId ? { conversationId } : {}),
    budgetUsd: flags.budgetUsd,
    settings: flags.set,
    isModelNamed: flags.model !== undefined,
    isAgentNamed: flags.isAgentNamed,
  }
  return runtime.start({ workspace, agent, model, systemText, ...more, ...rest, ...asked })
}

/** It would search, and fail for its report. */
function noJson(): OffshootError {
  return new OffshootError(
    'usage',
    '--json-schema needs a language model, and offline is a rule-based search',
    {
      hint: 'name a model with -m, or set the key of a provider; docs/models.md lists them',
    },
  )
}

interface RunInput<C> extends Pick<StartOptions, 'onStored' | 'restrictions'> {
  readonly conversationId: C
  readonly prompt: string
}

interface Equipped extends Pick<StartOptions, 'agent' | 'prompt' | 'outputSchema'> {}

/** With what the command line adds to its instructions, and what its answer has to satisfy. */
async function equipped(
  { agent, prompt, conversationId }: Equipped & { readonly conversationId: ConversationId | undefined },
  { appendSystemPrompt, jsonSchema }: RunFlags,
): Promise<Equipped> {
  if (appendSystemPrompt === undefined && jsonSchema === undefined) return { agent, prompt }
  const { readSchema, withAppended, withSchema } = await import('../run-agent.ts')
  if (conversationId && appendSystemPrompt !== undefined)
    throw new OffshootError('usage', '--append-system-prompt works only for a new conversation', {
      hint: 'put the text in the prompt, or start a new conversation',
    })
  const outputSchema = jsonSchema === undefined ? undefined : readSchema(jsonSchema)
  return {
    agent: appendSystemPrompt === undefined ? agent : withAppended(agent, appendSystemPrompt),
    prompt: outputSchema && conversationId ? withSchema(prompt, outputSchema) : prompt,
    outputSchema,
  }
}

/** That of the last run of the main branch, where the same agent answers now. */
function lastModel(store: Reader, conversationId: ConversationId, agent: string): string | undefined {
  const branch = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]
  const run = branch && lastRun(store, branch.id)
  return run?.agent === agent ? run.model : undefined
}

function lastRun(store: Reader, branchId: BranchId): StoredRun | undefined {
  return store.find('runs', { where: { branchId }, orderBy: 'id', descending: true, limit: 1 })[0]
}

/** The server that drives the conversation is given the message, and its run is followed as one of this process. */
async function goOnThere(
  { conversationId, prompt: text }: RunInput<ConversationId>,
  flags: RunFlags,
  composed: Composed,
  io: Io,
): Promise<number> {
  refuseDecidedElsewhere(flags, 'offshoot serve')
  refuseRulesElsewhere(flags, 'offshoot serve')
  const { runtime, store, agents } = composed
  const { maxTurns, budgetUsd } = flags
  const model = modelFor(flags.model, io)
  const branchId = store.find('branches', { where: { conversationId, kind: 'main' }, limit: 1 })[0]!.id
  const last = lastRun(store, branchId)
  const goesOn = last && !isFinal(last.status) && !flags.isAgentNamed
  const agent = goesOn ? undefined : agents.require(flags.agent).name
  const order = {
    conversationId,
    branchId,
    text,
    mode: 'follow_up',
    agent,
    model,
    maxTurns,
    budgetUsd,
  } as const
  const seqBefore = lastSeq(store, conversationId)
  const defaultModel = () => pickModel(undefined, composed, io)
  const first = new FirstEvents(runtime.subscribe)
  const leave = attendEarly(flags, runtime, io)
  const sent = await runtime.sendMessage({ ...composed, ...order, defaultModel, onStored: first.follow })
  if (sent.started) return await followHere(sent.started, flags, { composed, first, leave }, io) // the server has let go of it just now
  const started = await runInServer(sent, { conversationId, seqBefore }, composed, io)
  const asked = hasPerson(io) ? flags : { ...flags, approvals: 'wait' as const }
  return await follow(started, asked, watchedElsewhere(composed, started), io)
}

async function handOver(server: FoundServer, text: string, flags: RunFlags, io: Io): Promise<number> {
  const directory = rootOf(flags, io)
  const conversationId = await knownConversation(flags, directory, io)
  const { maxTurns, budgetUsd, agent, mode } = flags
  const order = { text, model: modelFor(flags.model, io), maxTurns, budgetUsd }
  if (conversationId === undefined) {
    const begun = await server.post<HandedOver>('/conversations', { ...order, directory, agent, mode })
    await printHandedOver(begun, flags.outputFormat, io)
    return exitCodes.completed
  }
  const { branchId } = await mainBranch(server, conversationId)
  const { runId } = await server.post<HandedOver>(`/branches/${branchId}/messages`, order)
  await printHandedOver({ conversationId, branchId, runId }, flags.outputFormat, io)
  return exitCodes.completed
}

async function knownConversation(flags: RunFlags, root: string, io: Io): Promise<ConversationId | undefined> {
  if (flags.conversation === undefined && !flags.continue) return undefined
  await using store = await openStore(io)
  const known = namedConversation(flags, store, root, io)?.id
  checkTurn(store, known, io)
  return known
}

/** @throws OffshootError `usage`; `not_found` */
function namedConversation(
  { conversation: typed, continue: isLatest }: RunFlags,
  store: Reader,
  root: string,
  io: Io,
): Conversation | undefined {
  if (typeof typed === 'string') return conversationOf(store, idOf(store, typed, io, ['cnv']))
  if (!isLatest) return undefined
  const query = { where: { directory: root }, orderBy: 'updatedAt', descending: true, limit: 1 } as const
  const [latest] = store.find('conversations', query)
  if (latest) return latest
  throw new OffshootError('usage', `there is no conversation in ${root} yet`, {
    hint: 'leave out --continue',
  })
}

/** A branch or a run goes on by another command. @throws OffshootError `usage`; `not_found` */
function conversationOf(store: Reader, id: string): Conversation {
  try {
    return requireConversation(store, id)
  } catch (cause) {
    if (!(cause instanceof OffshootError) || cause.code !== 'usage') throw cause
    throw new OffshootError('usage', cause.message, {
      hint: `offshoot continue ${id} "what to do next" goes on there`,
      cause,
    })
  }
}

/** `--resume "fix it"` */
function promptForId(typed: string): OffshootError {
  const prompt = JSON.stringify(typed.slice(0, 100))
  return new OffshootError('usage', `--resume takes an id before the prompt: ${prompt} is not an id`, {
    hint: `offshoot --resume ID ${prompt}; offshoot --continue ${prompt} takes the latest conversation`,
  })
}
