import { accessSync, constants, statSync } from 'node:fs'
import { once } from '../../core/once.ts'
import type { Permit, PermitRequest } from '../../loop/ports.ts'
import type { Grant } from '../../permissions/types.ts'
import type { Reader } from '../../store/port.ts'
import { ToolError, type ResolvedPath } from '../../tools/port.ts'
import { resolveAt } from '../../tools/workspace-at.ts'
import {
  decideFile,
  decidePath,
  definedFiles,
  distinct,
  readContextFiles,
  type DecidedPath,
  type FileReader,
} from './context-files.ts'
import { decideFanOut, type FanOut, type FanOutScope } from './fan-out.ts'
import { grantsFor } from '../asking/grants.ts'
import type { LiveRun } from '../run/live-run.ts'
import { permit, type Deciding } from '../authority/permit.ts'
import { directoryGrants } from '../authority/restrictions.ts'
import type { Deps } from '../context/deps.ts'
import type { Scope } from '../context/scope.ts'
import type { TaskInput } from '../task/task-input.ts'

type PermitScope = FanOutScope & Deciding & Pick<Scope, 'systemText'>

/**
 * Decides a call that starts a subagent together with its inputs: its directory, and the files of its first context,
 * each as a `read` of the calling agent. A person is asked once for everything. The content is kept for the spawn.
 * @throws ToolError for a directory in which no process can work.
 */
export async function permitSpawn(scope: PermitScope, run: LiveRun, request: PermitRequest): Promise<Permit> {
  const { deps, workspace } = scope
  const { part } = request
  const input = request.input as TaskInput
  if (input.continue !== undefined) return await permit(scope, run, request)
  const reader = once(() => readerOf(deps.store, run)) // most calls have no inputs
  const own = run.row.setup?.directory ?? workspace.root
  const directory =
    input.directory === undefined
      ? undefined
      : decidePath(reader(), workspace, resolveAt(workspace, own, input.directory))
  const files = filesOf(scope, run, input, own).map((path) => decideFile(reader(), workspace, path))
  const isAnswered = run.resumed && deps.approvals.asked(part.callId) !== undefined
  const asked = isAnswered || deps.approvals.attended(run.row.conversationId)
  const also = [...(directory ? [directory] : []), ...(asked ? files.filter(isAsk) : [])]
  const decideOne = (fanOut?: FanOut) =>
    permit(scope, run, withDetail(request, also, fanOut), [
      ...also.map(asDecision),
      ...(fanOut ? [fanOut.decision] : []),
    ])
  const leave = await (deps.config.delegation === 'ask'
    ? decideFanOut(scope, run, request, decideOne)
    : decideOne())
  if (!leave.allowed) return leave
  if (directory) checkDirectory(directory.path, input.directory!)
  const absolute = directory?.path.absolute
  const from = absolute ?? own
  run.prepared.set(part.callId, {
    ...(absolute === undefined ? {} : { directory: absolute }),
    opened: directory ? openedBy(directory) : [],
    contextFiles: files.map(({ path }) => path.absolute),
    files: files.length > 0 ? await readContextFiles(files, workspace, from, asked) : [],
  })
  if (scope.systemText.prepare) await scope.systemText.prepare(from)
  return leave
}

/** The files that an agent passes on: its own, those of its definition, and those of the call. */
function filesOf(
  { deps, workspace }: Pick<Scope, 'workspace'> & { readonly deps: Pick<Deps, 'agents'> },
  run: LiveRun,
  { subagent_type, context_files }: TaskInput,
  own: string,
): readonly ResolvedPath[] {
  const handed = run.row.setup?.contextFiles ?? []
  return distinct([
    ...handed.map((path) => workspace.resolve(path)),
    ...definedFiles(workspace, deps.agents.get(subagent_type)),
    ...context_files.map((path) => resolveAt(workspace, own, path)),
  ])
}

function readerOf(store: Reader, { agent, chain, tools, opened, row }: LiveRun): FileReader {
  return { name: agent.name, chain, tools, opened, grants: grantsFor(store, row) }
}

function isAsk({ decision }: DecidedPath): boolean {
  return decision.action === 'ask'
}

function asDecision({ path, decision }: DecidedPath) {
  const where = path.outside ? `${path.relative}, which is outside the workspace` : path.relative
  return { ...decision, why: `${where}: ${decision.why}` }
}

/** Shows a person everything that the answer covers. */
function withDetail(
  request: PermitRequest,
  also: readonly DecidedPath[],
  fanOut: FanOut | undefined,
): PermitRequest {
  const paths = also.map(({ path }) => `with ${path.absolute}`)
  const all = fanOut ? [fanOut.detail] : []
  const whole = (own: string) => [...all, own, ...paths].join('\n')
  const detail = () => {
    const own = request.detail()
    return typeof own === 'string' ? whole(own) : own.then(whole)
  }
  return { ...request, detail }
}

function checkDirectory({ absolute }: ResolvedPath, given: string): void {
  const shown = JSON.stringify(given.slice(0, 200))
  const stats = statsOf(absolute)
  if (!stats) throw new ToolError('not_found', `there is no directory ${shown} for the subagent to work in`)
  if (!stats.isDirectory()) throw new ToolError('not_a_directory', `${shown} is a file, not a directory`)
  try {
    accessSync(absolute, constants.R_OK | constants.X_OK)
  } catch {
    throw new ToolError('not_permitted', `this user has no permission to work in ${shown}`)
  }
}

/** undefined: missing, or unknown. */
function statsOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** A directory outside the workspace that the rules ask about was allowed by a person: this covers everything in it. */
function openedBy(directory: DecidedPath): readonly Grant[] {
  return directory.path.outside && isAsk(directory) ? directoryGrants(directory.path.absolute) : []
}
