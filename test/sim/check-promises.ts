import { outputForModel, reportEnvelope } from '../../src/core/report/report-envelope.ts'
import type { StoredRun } from '../../src/core/run.ts'
import { BOASTED, CAP, MAX_REPORT_TOKENS, WITHHELD } from './traits.ts'
import type { Stored, World } from './world.ts'

type Problem = readonly [invariant: string, what: string]

/** Checks what is promised of subagents beyond their delivery: authority, questions, caps, receipts and reports. */
export function checkPromises(world: World, stored: Stored): void {
  const rules = [misattributed, asked, exceeded, overspent, unreceipted, unmarked, unstated, unbounded]
  for (const rule of rules)
    for (const [invariant, what] of rule(world, stored)) world.watch.report(invariant, what)
}

/** Invariant P3: a question names who asks, from the root down: as it was started, or as another agent has continued it. */
function* misattributed(_: World, stored: Stored): Generator<Problem> {
  for (const { id, runId, path } of stored.find('approvals', {})) {
    const line = lineOf(stored, runId).map(({ agent }) => agent)
    const first = starterLine(stored, runId).map(({ agent }) => agent)
    if (path.join() !== line.join() && path.join() !== first.join())
      yield ['P3', `${id} is of ${line.join(' > ')} and says ${path.join(' > ')}`]
  }
}

/** Invariant A3: nobody is asked where nobody can answer. */
function* asked({ traits }: World, stored: Stored): Generator<Problem> {
  if (!traits.has('unattended')) return
  for (const { id } of stored.find('approvals', {})) yield ['A3', `${id} is asked, and nobody is there`]
}

/** Invariant A1: what `general` may not do, nothing does that it has started. */
function* exceeded({ traits, effects }: World, stored: Stored): Generator<Problem> {
  if (!traits.has('strict')) return
  for (const { callId, tool } of effects) {
    const runId = stored.get('tool_calls', callId)?.runId
    if (tool !== WITHHELD || !runId) continue
    const line = lineOf(stored, runId).map(({ agent }) => agent)
    if (line.includes('general')) yield ['A1', `${line.join(' > ')} has done ${tool} ${callId}`]
  }
}

/** Invariant B1: a subagent takes no more tokens than it was given, each time that it was let go on. */
function* overspent({ traits }: World, stored: Stored): Generator<Problem> {
  if (!traits.has('caps')) return
  for (const { id, originCallId, usage, stopNo } of stored.find('runs', {})) {
    const call = originCallId ? stored.get('tool_calls', originCallId) : undefined
    const part = call && stored.get('parts', call.partId)?.part
    const input = part?.type === 'tool-call' ? (part.input as { readonly max_tokens?: number }) : {}
    const taken = usage.input + usage.output
    if (input.max_tokens === CAP && taken > CAP * (1 + stopNo))
      yield ['B1', `${id} may take ${CAP} tokens and has taken ${taken}, stopped ${stopNo} times`]
  }
}

/** Invariant P7: what was changed stands in the receipts. */
function* unreceipted(_: World, stored: Stored): Generator<Problem> {
  for (const { id, facts } of stored.find('tool_calls', { where: { tool: 'put', status: 'completed' } }))
    if (!facts?.length) yield ['P7', `the receipts do not hold what put ${id} has changed`]
}

/** Invariant P7: a change that was only told of is marked, unless a call that was cut may have made it. */
function* unmarked({ traits }: World, stored: Stored): Generator<Problem> {
  if (!traits.has('boasts')) return
  const isCut = stored
    .find('tool_calls', {})
    .some(({ status, error }) => status === 'unknown' || error?.code === 'interrupted')
  if (isCut) return
  for (const { id, reportMessageId, reportNote } of stored.find('runs', { where: { status: 'completed' } })) {
    const parts = reportMessageId ? stored.find('parts', { where: { messageId: reportMessageId } }) : []
    const boasts = parts.some(({ part }) => part.type === 'text' && part.text.includes(BOASTED))
    if (boasts && !reportNote?.includes(BOASTED))
      yield ['P7', `${id} says that it wrote ${BOASTED}, unmarked`]
  }
}

/** Invariant D5: whoever gets a report reads what is to be said of it. */
function* unstated(_: World, stored: Stored): Generator<Problem> {
  for (const run of stored.find('runs', { where: { status: 'completed' } })) {
    const { id, reportNote } = run
    const handed = handedOver(stored, run).filter((text) => text.includes('<subagent_report'))
    if (reportNote && handed.length > 0 && !handed.some((text) => text.includes(reportNote)))
      yield ['D5', `who gets the report of ${id} does not read: ${reportNote}`]
  }
}

/** Invariant P8: no more of a report than its limit comes to who gets it. */
function* unbounded({ traits }: World, stored: Stored): Generator<Problem> {
  if (!traits.has('long reports')) return
  for (const run of stored.find('runs', {}))
    for (const text of handedOver(stored, run)) {
      const body = /<subagent_report [^>]*>\n([^]*?)\n<\/subagent_report>/.exec(text)?.[1] ?? ''
      if (body.length > MAX_REPORT_TOKENS * 4 + AROUND)
        yield ['P8', `the report of ${run.id} comes with ${body.length} characters`]
    }
}

/** What stands in a report beside what the subagent wrote: why it ended, and how to go on. */
const AROUND = 1_000

/** What the parent of a run was given of it: the result of its call, and items of its inbox. */
function handedOver(stored: Stored, { id, originCallId, parentRunId }: StoredRun): string[] {
  if (!parentRunId) return []
  const resultPartId = originCallId ? stored.get('tool_calls', originCallId)?.resultPartId : undefined
  const part = resultPartId ? stored.get('parts', resultPartId)?.part : undefined
  const result = part?.type === 'tool-result' ? [outputForModel(part.output)] : []
  const items = stored.find('inbox', { where: { fromRunId: id } })
  return [...result, ...items.map(({ text, report }) => (report ? reportEnvelope(report, text) : text))]
}

/** The run, below the line of the run whose call began its branch. */
function starterLine(stored: Stored, id: string): StoredRun[] {
  const run = stored.get('runs', id)
  const call = run && stored.get('branches', run.branchId)?.originToolCallId
  const starter = call && stored.get('tool_calls', call)?.runId
  return run ? [...(starter ? lineOf(stored, starter) : []), run] : []
}

/** The run and all above it, the root first. */
function lineOf(stored: Stored, id: string): StoredRun[] {
  const run = stored.get('runs', id)
  return run ? [...(run.parentRunId ? lineOf(stored, run.parentRunId) : []), run] : []
}
