import { decide } from '../permissions/decide.ts'
import type { Decision, PermissionCall, PermissionSubject } from '../permissions/types.ts'
import type { Permit, PermitRequest } from '../loop/ports.ts'
import type { Subject, Workspace } from '../tools/port.ts'
import type { Deps } from './deps.ts'
import type { LiveRun } from './live-run.ts'

/** Decides one call of a run by the rules of its chain; asks a person where they say `ask` and somebody can answer. */
export async function permit(
  deps: Deps,
  run: LiveRun,
  workspace: Workspace,
  request: PermitRequest,
): Promise<Permit> {
  const call = permissionCall(request, workspace)
  run.decidedPaths.set(
    request.part.callId,
    call.subjects.flatMap((each) => (each.kind === 'path' ? [each.path] : [])),
  )
  const decision = decide(call, run.chain, [...run.conversationGrants, ...run.grants])
  const asked = run.resumed ? deps.approvals.asked(request.part.callId) : undefined
  if (asked && !asked.answer && decision.action !== 'ask')
    await deps.approvals.answer(asked.id, {
      answer: BY_RULE[decision.action],
      by: 'rules',
      note: decision.why,
    })
  if (decision.action === 'allow') return { allowed: true }
  if (decision.action === 'deny') return { allowed: false, code: 'denied', why: decision.why }
  if (asked || deps.approvals.attended) return await askPerson(deps, run, workspace, request, decision)
  const why = `denied, because it needs an approval and nobody can answer here (unattended): ${decision.why}. Go on without it, or say what is needed.`
  return { allowed: false, code: 'unattended', why }
}

/** A question that the rules of today do not ask any more. */
const BY_RULE = { allow: 'once', deny: 'deny' } as const

function permissionCall({ tool, subjects }: PermitRequest, workspace: Workspace): PermissionCall {
  const { name, toolset, effects } = tool
  const resolvePath = (path: string) => workspace.resolve(path)
  return {
    tool: name,
    toolset,
    effects,
    subjects: subjects.map((each) => subject(each, workspace)),
    resolvePath,
  }
}

function subject({ kind, value }: Subject, workspace: Workspace): PermissionSubject {
  if (kind === 'path') return { kind, path: workspace.resolve(value) }
  return kind === 'command' ? { kind, command: value } : { kind, value }
}

async function askPerson(
  deps: Deps,
  run: LiveRun,
  workspace: Workspace,
  request: PermitRequest,
  decision: Decision,
): Promise<Permit> {
  const question = {
    call: request,
    detail: request.detail(),
    directory: workspace.root,
    rule: decision.why,
    grant: decision.grant,
  }
  try {
    const { answer, by, note } = await deps.approvals.ask(run, question)
    if (answer === 'deny')
      return { allowed: false, code: 'denied', why: `denied by ${by}${note ? `: ${note}` : ''}` }
    if (answer === 'run' && decision.grant) run.grants.push(decision.grant)
    if (answer === 'always' && decision.grant) run.conversationGrants.push(decision.grant)
    return { allowed: true }
  } catch (error) {
    if (!run.controller.signal.aborted) throw error
    return { allowed: false, code: 'interrupted', why: 'interrupted before anybody answered' }
  }
}
