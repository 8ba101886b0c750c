import { durationWords } from '../../client/format-figures.ts'
import { isStopped, type RunStatus } from '../../core/run-status.ts'
import type { StatusLine, StatusVerb } from '../../core/status-line/status-line.ts'
import { terminalLine } from '../../core/terminal-text.ts'
import type { Reader } from '../../store/port.ts'
import { continueText } from './continue-text.ts'

/** `Waiting for 1 of 3 subagents: 2 cancelled, for 4m02s`. Of what has stopped, and can be continued, the time in UTC. */
export function statusText(
  line: StatusLine,
  { status }: { readonly status: RunStatus },
  now: number,
): string {
  const what = terminalLine(line.detail === null ? line.state : `${line.state}: ${line.detail}`)
  return [what, ...timeWords(line, isStopped(status), now)].join(', ')
}

function timeWords({ since, until, verb }: StatusLine, isOver: boolean, now: number): string[] {
  if (isOver) return since === null || verb === null ? [] : [`since ${minuteOf(since)}`]
  return [
    ...(since === null ? [] : [`for ${durationWords(now - since)}`]),
    ...(until === null ? [] : [untilWords(until, now)]),
  ]
}

export function untilWords(until: number, now: number): string {
  return `tries again ${until > now ? `in ${durationWords(until - now)}` : 'now'}`
}

function minuteOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** The command line of the verb that helps. */
export function verbText({ verb }: Pick<StatusLine, 'verb'>, store: Reader): string[] {
  return verb === null ? [] : [commandOf(verb, store)]
}

function commandOf({ name, id }: StatusVerb, store: Reader): string {
  if (id === null) return `offshoot ${name}`
  return name === 'continue' ? continueText(store, id) : `offshoot ${name} ${id}`
}
