import { join } from 'node:path'
import type { Granted, Sent } from './check.ts'
import { textOf, type CallRecord, type Records } from './records.ts'
import { draftPath, draftText, isCallOf, LEAVE } from './story.ts'

type Calls = ReadonlyMap<string, readonly CallRecord[]>

/** Files are written as a whole: one is not there, or as it was written, or as it was edited, and never else. */
export function draftProblems(directory: string, calls: Calls): string[] {
  return [...calls].flatMap(([key, [draft]]) => {
    if (!draft || !isCallOf('write', draft.tool) || !draft.input.includes('Drafted by')) return []
    const edit = `${key.slice(0, -1)}${Number(key.at(-1)) + 1}`
    const edited = calls.get(edit)?.[0]
    const text = textOf(join(directory, draftPath(key)))
    const whole = ['', draftText(key), draftText(key, edit)].indexOf(text)
    const least = edited?.status === 'completed' ? 2 : draft.status === 'completed' ? 1 : 0
    if (whole < 0) return [`R1: ${draftPath(key)} holds neither what was written nor what was edited`]
    if (whole === 2 && !edited) return [`R1: ${edit} took effect without a row`]
    return whole < least ? [`R1: ${draftPath(key)} is not as ${edit} left it`] : []
  })
}

/** A typed agent that has completed was worth its schema, and its caller reads the value. On a fork it has none. */
export function ratingProblems(calls: Calls, { runs, parts, branches }: Records): string[] {
  const forks = new Set(branches.filter(({ kind }) => kind === 'fork').map(({ id }) => id))
  const results = [...calls].flatMap(([key, [call]]) => {
    if (call?.tool !== 'rate' || call.status !== 'completed') return []
    const result = parts.find(({ id }) => id === call.resultPart)?.part ?? ''
    const isOver = /"subagent":\{[^{}]*"status":"(?:paused|failed|cancelled)"/.test(result)
    return isOver || result.includes(`\\"key\\":\\"${key}\\"`)
      ? []
      : [`D3: the value of ${key} is not in its result`]
  })
  const values = runs.flatMap(({ id, agent, status, output, branch }) => {
    if (agent !== 'rater' || status !== 'completed' || forks.has(branch)) return []
    return /"score":3/.test(output ?? '') ? [] : [`typed: ${id} is completed with ${output}`]
  })
  return [...results, ...values]
}

/** A call that was allowed for good is not asked about again; what is decided at the same time may be. */
export function grantProblems(granted: readonly Granted[], { approvals, grants }: Records): string[] {
  return granted.flatMap(({ answer, run, conversation, at }) => {
    const isKept = grants.some((row) => row.conversation === conversation && row.pattern === `${LEAVE}/*`)
    const lost = answer === 'always' && !isKept ? ['D1: a grant was acknowledged and is not stored'] : []
    const later = approvals.filter(
      (row) =>
        row.title.includes(`${LEAVE}/`) &&
        row.requestedAt > at + DECIDED_MS &&
        (answer === 'run' ? row.run === run : row.conversation === conversation),
    )
    return [...lost, ...later.map(({ id }) => `grants: ${id} asks about what was allowed for ${answer}`)]
  })
}

const DECIDED_MS = 2_000

/** What was taken before something else was sent to its branch is read before that, or waits no longer than that. */
export function orderProblems(sent: readonly Sent[], { parts, inbox }: Records): string[] {
  const waiting = inbox.filter(({ deliveredAt, withdrawnAt }) => deliveredAt === null && withdrawnAt === null)
  const places = sent.flatMap((each) => {
    const part = parts.find(({ role, part: text }) => role === 'user' && text.includes(each.text))
    if (part) return [{ each, branch: part.branch, at: part.position }]
    const item = waiting.find(({ text }) => text.includes(each.text))
    return item ? [{ each, branch: item.branch, at: Infinity }] : []
  })
  return places.flatMap((first) =>
    places
      .filter(
        (second) =>
          (first.each.toldAt ?? Infinity) < second.each.sentAt &&
          first.branch === second.branch &&
          first.at > second.at &&
          (first.each.isSteer || !second.each.isSteer),
      )
      .map(
        (second) =>
          `order: "${first.each.text}" was taken before "${second.each.text}" was sent, and is read later`,
      ),
  )
}
