import type { OffshootEvent } from '../core/events.ts'
import { terminalText, terminalLine } from '../core/terminal-text.ts'
import type { Composed } from '../runtime/compose.ts'
import { readEvents } from '../runtime/stored-events.ts'
import type { RunResult } from '../runtime/run-result.ts'
import type { StartedRun } from '../runtime/runtime.ts'
import { write, type Io } from './io.ts'
import { createProgress } from './progress/progress.ts'
import { resultDocument } from './result-document.ts'

export const OUTPUT_FORMATS = ['text', 'json', 'events'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** What a run shows while it lasts and when it has ended: data on stdout, everything else on stderr. */
export interface Output {
  /** Takes the live display away while somebody is asked something; the returned function brings it back. */
  pause(): () => void
  end(result: RunResult): Promise<void>
}

export function createOutput(format: OutputFormat, started: StartedRun, composed: Composed, io: Io): Output {
  const { conversationId } = started
  const progress = createProgress(io)
  const show = (events: readonly OffshootEvent[]) => {
    progress.take(events)
    if (format === 'events') for (const event of events) io.stdout.write(`${JSON.stringify(event)}\n`)
  }
  const unsubscribe = composed.runtime.subscribe(conversationId, show)
  show(readEvents(composed.store, conversationId, 0))
  return {
    pause: () => progress.pause(),
    async end(result) {
      unsubscribe()
      progress.end()
      await write(io.stderr, closingLines(result))
      if (format === 'text') await write(io.stdout, answerText(result, io))
      if (format === 'json') await write(io.stdout, `${JSON.stringify(resultDocument(result))}\n`)
    },
  }
}

/** On a terminal nothing in the answer may be a command to it; a pipe gets the text as it is. */
function answerText({ text }: RunResult, io: Io): string {
  if (text === '') return ''
  return `${(io.stdout.isTTY ? terminalText(text) : text).replace(/\n+$/, '')}\n`
}

function closingLines({ status, reason, note, error, denials }: RunResult): string {
  const lines = denials.map(({ agent, title, reason }) => `denied: ${agent}: ${title}: ${reason}`)
  if (error) lines.push(`offshoot: ${error.message}`, ...(error.hint ? [`  ${error.hint}`] : []))
  if (note) lines.push(`offshoot: ${note}`)
  if (status === 'paused' && reason) lines.push(`offshoot: paused (${reason})`)
  return lines.map((line) => `${line.startsWith('  ') ? '  ' : ''}${terminalLine(line)}\n`).join('')
}
