import { createHash } from 'node:crypto'
import type { ToolOutput } from '../core/message.ts'
import { stateOf } from '../core/run-status.ts'
import type { ReportFacts } from '../core/report-facts.ts'
import { checkFacts, checkMessage } from './check-messages.ts'
import { checkFinish } from './check-finish.ts'
import { damaged, shortPlace } from './damaged-export.ts'
import {
  at,
  branchesOf,
  type ExportDocument,
  type ExportedArtifact,
  type ExportedRun,
  type PlacedBranch,
} from './document.ts'

/**
 * Checks what the schema cannot: status, reason and end of each run fit together, ids are unique, references exist,
 * parent chains have no cycle, and contents match their hashes. @throws OffshootError `usage` with the first wrong
 * place.
 */
export function checkReferences(document: ExportDocument): void {
  const ids = new Ids()
  ids.add(document.id, 'id')
  document.artifacts?.forEach((artifact, i) => addArtifact(ids, artifact, `artifacts[${i}]`))
  const parents = { branch: new Parents(), run: new Parents() }
  for (const branch of branchesOf(document)) {
    addBranch(ids, branch, parents.branch)
    addMessages(ids, branch)
    const own = new Set<string>(branch.messages.map(({ id }) => id))
    branch.branch?.metadata.runs.forEach((run, i) => {
      addRun(ids, run, runPlace(branch, i), parents.run)
      checkReport(run, own, runPlace(branch, i))
    })
    addInbox(ids, branch)
  }
  ids.check()
  parents.branch.check()
  parents.run.check()
}

/** Declared and referenced ids of a document; a reference may precede its declaration. */
class Ids {
  readonly #places = new Map<string, string>()
  readonly #named: { readonly id: string; readonly place: string }[] = []

  add(id: string, place: string): void {
    const other = this.#places.get(id)
    if (other !== undefined) throw damaged(place, `${id} also appears at ${shortPlace(other)}`)
    this.#places.set(id, place)
  }

  name(id: string | null | undefined, place: string): void {
    if (id) this.#named.push({ id, place })
  }

  check(): void {
    for (const { id, place } of this.#named)
      if (!this.#places.has(id)) throw damaged(place, `there is no ${id} in the export`)
  }
}

/** Chains from child to parent, which must end. */
class Parents {
  readonly #parents = new Map<string, { readonly parent: string | null; readonly place: string }>()

  add(id: string, parent: string | null, place: string): void {
    this.#parents.set(id, { parent, place })
  }

  check(): void {
    const ends = new Set<string>()
    for (const start of this.#parents.keys()) {
      const line = new Set<string>()
      for (let id: string | null = start; id !== null && !ends.has(id);) {
        if (line.has(id)) throw damaged(this.#parents.get(id)!.place, `${id} is among its own parents`)
        line.add(id)
        id = this.#parents.get(id)?.parent ?? null
      }
      for (const id of line) ends.add(id)
    }
  }
}

function addBranch(ids: Ids, { branch, parentBranchId, place }: PlacedBranch, parents: Parents): void {
  if (!branch) return
  const here = place === '' ? 'main' : place
  if ((branch.type === 'main') !== (place === ''))
    throw damaged(at(here, 'type'), 'the main branch is "main", and no other branch is')
  ids.add(branch.id, at(here, 'id'))
  ids.name(parentBranchId, at(here, 'parentBranchId'))
  ids.name(branch.originToolCallId, at(here, 'originToolCallId'))
  parents.add(branch.id, parentBranchId, at(here, 'parentBranchId'))
}

function addMessages(ids: Ids, { messages, place }: PlacedBranch): void {
  messages.forEach((message, i) => {
    const here = at(place, `messages[${i}]`)
    ids.add(message.id, `${here}.id`)
    ids.name(message.runId, `${here}.runId`)
    checkMessage(message, here)
    message.parts.forEach((part, j) => {
      ids.add(part.id, `${here}.parts[${j}].id`)
      if (part.type === 'text') ids.name(part.summaryOf, `${here}.parts[${j}].summaryOf`)
      if (part.type === 'tool-result') nameOutput(ids, part.output, `${here}.parts[${j}].output`)
      if (part.type === 'report') nameFacts(ids, part.report, `${here}.parts[${j}].report`)
    })
  })
}

function nameOutput(ids: Ids, { artifactId, subagent }: ToolOutput, place: string): void {
  ids.name(artifactId, `${place}.artifactId`)
  if (!subagent) return
  if (subagent.type === 'report') nameFacts(ids, subagent, `${place}.subagent`)
  else ids.name(subagent.branchId, `${place}.subagent.branchId`)
}

function nameFacts(ids: Ids, { fromRunId, branchId, artifactId }: ReportFacts, place: string): void {
  ids.name(fromRunId, `${place}.fromRunId`)
  ids.name(branchId, `${place}.branchId`)
  ids.name(artifactId, `${place}.artifactId`)
}

/** A report is read from the messages of the run's own branch. */
function checkReport(run: ExportedRun, own: ReadonlySet<string>, place: string): void {
  for (const field of ['reportMessageId', 'partialFrom'] as const) {
    const id = run[field]
    if (id && !own.has(id)) throw damaged(`${place}.${field}`, `there is no ${id} on the branch of the run`)
  }
}

function runPlace({ place }: PlacedBranch, index: number): string {
  return `${place === '' ? 'main' : place}.metadata.runs[${index}]`
}

function notTogether({ status, reason, endReason }: ExportedRun): string {
  return `the status ${status} does not fit the reason ${reason} and the endReason ${endReason}`
}

function addRun(ids: Ids, run: ExportedRun, place: string, parents: Parents): void {
  if (!stateOf(run)) throw damaged(`${place}.status`, notTogether(run))
  checkFinish(run, place)
  ids.add(run.id, `${place}.id`)
  ids.name(run.parentRunId, `${place}.parentRunId`)
  ids.name(run.originCallId, `${place}.originCallId`)
  parents.add(run.id, run.parentRunId, `${place}.parentRunId`)
  run.calls.forEach((call, i) => {
    const here = `${place}.calls[${i}]`
    ids.add(call.id, `${here}.id`)
    ids.name(call.messageId, `${here}.messageId`)
    ids.name(call.partId, `${here}.partId`)
    ids.name(call.resultPartId, `${here}.resultPartId`)
    call.approvals?.forEach((approval, j) => ids.add(approval.id, `${here}.approvals[${j}].id`))
    call.questions?.forEach((question, j) => ids.add(question.id, `${here}.questions[${j}].id`))
  })
}

function addInbox(ids: Ids, { branch, place }: PlacedBranch): void {
  branch?.metadata.inbox?.forEach((item, i) => {
    const here = `${place === '' ? 'main' : place}.metadata.inbox[${i}]`
    ids.add(item.id, `${here}.id`)
    ids.name(item.fromRunId, `${here}.fromRunId`)
    if (item.report) {
      checkFacts(item.report, `${here}.report`)
      nameFacts(ids, item.report, `${here}.report`)
    }
    if (item.fromRunId && item.stopNo !== null) ids.add(`stop ${item.stopNo} of ${item.fromRunId}`, here)
  })
}

function addArtifact(ids: Ids, { id, hash, size, data }: ExportedArtifact, place: string): void {
  ids.add(id, `${place}.id`)
  ids.add(hash, `${place}.hash`)
  const content = Buffer.from(data, 'base64')
  const whole = content.length === size && createHash('sha256').update(content).digest('hex') === hash
  if (!whole) throw damaged(`${place}.data`, 'the content does not match its hash and size')
}
