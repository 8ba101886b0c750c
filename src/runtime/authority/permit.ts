import { answererWords, BY_RULES, BY_TIME_LIMIT } from '../../core/report/answerer-words.ts'
import type { Action } from '../../core/agent.ts'
import type { DenialReason } from '../../core/denial-reason.ts'
import { isWide, type CommandSandbox, type Widening } from '../../core/command-sandbox.ts'
import { decide } from '../../permissions/decide.ts'
import { strictest, type ReadCommand } from '../../permissions/item.ts'
import type { Decision, PermissionCall, PermissionSubject } from '../../permissions/types.ts'
import type { Permit, PermitRequest } from '../../loop/ports.ts'
import type { AnyTool, Subject, Workspace } from '../../tools/port.ts'
import { entryAt } from '../../tools/entry-at.ts'
import { filesBelow } from '../../tools/files-below.ts'
import { resolveAt } from '../../tools/workspace-at.ts'
import type { CommandCell, Standing } from '../../tools/command-cell.ts'
import type { Deps } from '../context/deps.ts'
import { wideningIn } from '../../tools/cell/widening.ts'
import { grantsFor } from '../asking/grants.ts'
import type { LiveRun } from '../run/live-run.ts'
import { cellOf, confinementOf, type ConfinedBy } from './kept-sandbox.ts'
import { standingOf } from './standing.ts'

/** What decides calls: stored rules and answers, the workspace of the run, and people. */
export interface Deciding {
  readonly deps: ConfinedBy & Pick<Deps, 'approvals'>
  readonly workspace: Workspace
}

/**
 * Decides one call by the rules of the run's chain; asks a person if they say `ask` and somebody can answer. `also`:
 * what else it depends on; the strictest decides.
 */
export async function permit(
  { deps, workspace }: Deciding,
  run: LiveRun,
  request: PermitRequest,
  also: readonly Decision[] = [],
): Promise<Permit> {
  const cells = request.tool.usesCell ? await confinementOf(deps, run.row.conversationId)?.cells() : undefined
  const asks = wideningIn(request.subjects)
  if (isWide(asks)) {
    const why = cells ? cells.whyNeverWidened(asks) : NOTHING_TO_WIDEN
    if (why !== undefined) return refusal(why)
  }
  const confinedTo = cells?.shown()
  const call = { ...permissionCall(request.tool, request.subjects, run, workspace), confinedTo }
  run.decidedPaths.set(
    request.part.callId,
    call.subjects.flatMap((each) => (each.kind === 'path' ? [each.path] : [])),
  )
  const readCommand = call.subjects.some(({ kind }) => kind === 'command') ? await commandReader() : undefined
  const decision = also.reduce(stricter, decideCall(deps, run, call, readCommand))
  const asked = run.resumed ? deps.approvals.asked(request.part.callId) : undefined
  if (asked && !asked.answer && decision.action !== 'ask')
    await deps.approvals.answer(asked.id, {
      answer: BY_RULE[decision.action],
      by: BY_RULES,
      note: decision.why,
    })
  if (decision.action === 'allow') return { allowed: true }
  if (decision.action === 'deny') return refusal(decision.why)
  if (asked || deps.approvals.attended(run.row.conversationId))
    return await askPerson({ deps, workspace }, run, request, decision)
  const why = `denied, because it needs an approval and nobody can answer here (unattended): ${[decision.why, ...settingsFor(asks)].join('; ')}`
  return { allowed: false, code: 'unattended', reason: 'unattended', why }
}

const NOTHING_TO_WIDEN =
  'no sandbox confines commands here, so there is nothing to widen: run the command without "widen"'

function refusal(why: string): Permit {
  return { allowed: false, code: 'denied', reason: 'denied_by_rule', why }
}

/** How a person allows it beforehand. */
function settingsFor({ hosts, directories }: Widening): string[] {
  const ways = [
    ...(hosts.length > 0 ? [`sandbox.network ${JSON.stringify(hosts)} in their configuration`] : []),
    ...directories.map((directory) => `the option --add-dir ${directory} of a run`),
  ]
  return ways.length > 0 ? [`a person allows it beforehand with ${ways.join(' and ')}`] : []
}

/** Loaded on demand: it is a fifth of the program, and many runs have no command. */
async function commandReader(): Promise<ReadCommand> {
  return (await import('../../permissions/shell/shell-items.ts')).shellItems
}

/** Decides one more subject of a call by rules and lasting grants, without asking. Never allows a command this way. */
export function decideFurther(
  { deps, workspace }: Pick<Deciding, 'workspace'> & { readonly deps: StoreDeps },
  run: LiveRun,
  tool: RuledTool,
  subject: Subject,
): Action {
  return decideCall(deps, run, permissionCall(tool, [subject], run, workspace)).action
}

type Confining = Pick<Deciding, 'workspace'> & { readonly deps: ConfinedBy }

/** Where the commands of a run start. */
export function commandsOf({ deps, workspace }: Confining, run: LiveRun): CommandCell {
  return cellOf(deps, run.row, standing({ deps, workspace }, run))
}

function standing({ deps, workspace }: Confining, run: LiveRun): Standing {
  return standingOf(deps, run, () => ownDirectory({ deps, workspace }, run))
}

/** That of a subagent that works outside the workspace, as long as the rules let it. */
function ownDirectory({ deps, workspace }: Confining, run: LiveRun): string[] {
  const directory = run.row.setup?.directory
  if (!directory || !workspace.resolve(directory).outside) return []
  const read = { name: 'read', toolset: 'files', effects: 'none' } as const
  const action = decideFurther({ deps, workspace }, run, read, { kind: 'path', value: directory })
  return action === 'allow' ? [directory] : []
}

function decideCall(
  { store }: StoreDeps,
  run: LiveRun,
  call: PermissionCall,
  readCommand?: ReadCommand,
): Decision {
  const decision = decide(call, run.chain, run.opened, readCommand)
  if (decision.action !== 'ask') return decision
  return decide(call, run.chain, [...run.opened, ...grantsFor(store, run.row)], readCommand)
}

type StoreDeps = Pick<Deps, 'store'>

/** Who answers if the current rules do not ask any more, and what. */
const BY_RULE = { allow: 'once', deny: 'deny' } as const

type RuledTool = Pick<AnyTool, 'name' | 'toolset' | 'effects'>

/** One lasting answer cannot cover several subjects. */
function stricter(a: Decision, b: Decision): Decision {
  const decision = strictest(a.action, b.action) === a.action ? a : b
  return b.action === 'ask' ? { ...decision, grant: null } : decision
}

/** Its paths start in the run's directory; rules name them from the workspace. */
function permissionCall(
  { name, toolset, effects }: RuledTool,
  subjects: readonly Subject[],
  run: LiveRun,
  workspace: Workspace,
): PermissionCall {
  const directory = run.row.setup?.directory
  const resolvePath = (path: string) =>
    directory ? resolveAt(workspace, directory, path) : workspace.resolve(path)
  return {
    tool: name,
    ...(effects === 'spawn' && name !== 'task' && { alsoTool: 'task' }),
    toolset,
    effects,
    subjects: subjects.map((each) => subject(each, resolvePath)),
    resolvePath,
    filesBelow: (path, levels) => filesBelow(workspace, path, { levels }),
    entryAt,
  }
}

function subject({ kind, value }: Subject, resolve: PermissionCall['resolvePath']): PermissionSubject {
  if (kind === 'path') return { kind, path: resolve(value) }
  return kind === 'command' ? { kind, command: value } : { kind, value }
}

const NO_SANDBOX: CommandSandbox = { force: 'off', writes: [] }

async function askPerson(
  { deps, workspace }: Pick<Deciding, 'workspace'> & { readonly deps: ConfinedBy & Pick<Deps, 'approvals'> },
  run: LiveRun,
  request: PermitRequest,
  decision: Decision,
): Promise<Permit> {
  const said = request.detail()
  const question = {
    call: request,
    detail: typeof said === 'string' ? said : await said, // calls of one answer are asked in order
    directory: run.row.setup?.directory ?? workspace.root,
    rule: decision.why,
    grant: decision.grant,
    sandbox: request.tool.usesCell
      ? await reachOf({ deps, workspace }, run, wideningIn(request.subjects))
      : null,
  }
  try {
    const { answer, by, note } = await deps.approvals.ask(run, question)
    if (answer === 'deny')
      return {
        allowed: false,
        code: 'denied',
        reason: reasonOf(by),
        why: `denied by ${answererWords(by)}${note ? `: ${note}` : ''}`,
      }
    return { allowed: true }
  } catch (error) {
    if (!run.controller.signal.aborted) throw error
    const why = 'interrupted before anybody answered'
    return { allowed: false, code: 'interrupted', reason: 'interrupted', why }
  }
}

async function reachOf(
  { deps, workspace }: Confining,
  run: LiveRun,
  asks: Widening,
): Promise<CommandSandbox> {
  const cells = await confinementOf(deps, run.row.conversationId)?.cells()
  if (!cells) return NO_SANDBOX
  return { ...cells.reach(standing({ deps, workspace }, run).widening()), ...(isWide(asks) ? { asks } : {}) }
}

function reasonOf(by: string): DenialReason {
  if (by === BY_RULES) return 'denied_by_rule'
  return by === BY_TIME_LIMIT ? 'expired' : 'denied_by_person'
}
