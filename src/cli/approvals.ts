import { OffshootError } from '../core/errors.ts'
import type { OffshootEvent } from '../core/events.ts'
import type { ApprovalId } from '../core/ids.ts'
import type { ApprovalAnswer } from '../core/run.ts'
import type { StartedRun } from '../runtime/begin.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'
import { questionLine, questionText, type Question } from './question-text.ts'
import { dropTyped, readLines, type Lines } from './terminal-lines.ts'

interface Answer {
  readonly answer: ApprovalAnswer
  readonly note?: string
}

const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = {
  '1': 'once',
  '2': 'run',
  '3': 'always',
  n: 'deny',
}

/**
 * Puts each question of the tree to the person at the terminal, one after the other. Until the returned function is
 * called the conversation is attended; its promise settles when the terminal is free.
 */
export function answerOnTerminal(
  started: StartedRun,
  runtime: Runtime,
  output: Output,
  io: Io,
): () => Promise<void> {
  const leave = runtime.approvals.attend()
  const open = new Map<ApprovalId, AbortController>()
  let line: Promise<void> = Promise.resolve()
  const take = (event: OffshootEvent) => {
    if (event.type === 'approval.answered') open.get(event.approvalId)?.abort()
    if (event.type !== 'approval.requested') return
    const closed = new AbortController()
    open.set(event.approvalId, closed)
    line = line.then(() => put(event, runtime, output, io, closed.signal)).catch(() => started.stop('pause')) // the store took no answer: the run will say so
  }
  const unsubscribe = runtime.subscribe(started.conversationId, (events) => events.forEach(take))
  return async () => {
    unsubscribe()
    leave()
    for (const closed of open.values()) closed.abort()
    await line
  }
}

/** Nobody sits here: each question says on stderr how it is answered from another terminal, and waits for that. */
export function answerFromElsewhere(
  started: StartedRun,
  runtime: Runtime,
  output: Output,
  io: Io,
): () => Promise<void> {
  const leave = runtime.approvals.attend()
  const tell = (event: OffshootEvent) => {
    if (event.type !== 'approval.requested') return
    const resume = output.pause()
    io.stderr.write(
      `${questionText(event)}  answer it with: offshoot approve ${event.approvalId} ${words(event)}\n`,
    )
    resume()
  }
  const unsubscribe = runtime.subscribe(started.conversationId, (events) => events.forEach(tell))
  return async () => {
    unsubscribe()
    leave()
  }
}

function words({ grant }: Question): string {
  return grant ? 'once|run|always|deny' : 'once|deny'
}

/** Asks until there is an answer, or nothing left to ask: the run has stopped, or somebody else was faster. */
async function put(
  question: Question,
  runtime: Runtime,
  output: Output,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const resume = output.pause()
  try {
    const answer = await ask(question, io, signal)
    await runtime.approvals.answer(question.approvalId, { by: 'terminal', ...answer })
  } catch (error) {
    if (!signal.aborted && !isAnswered(error)) throw error
  } finally {
    resume()
  }
}

/** What was typed before the question stood there is no answer to it. */
async function ask(question: Question, io: Io, signal: AbortSignal): Promise<Answer> {
  await dropTyped(io)
  const lines = readLines(io)
  try {
    io.stderr.write(questionText(question))
    return await readAnswer(lines, question, signal)
  } finally {
    lines.close()
  }
}

function isAnswered(error: unknown): boolean {
  return error instanceof OffshootError && (error.code === 'not_found' || error.code === 'conflict')
}

async function readAnswer(lines: Lines, { grant }: Question, signal: AbortSignal): Promise<Answer> {
  const lasting = grant ? `  [2] this run  [3] always \`${questionLine(grant.pattern ?? grant.tool)}\`` : ''
  for (;;) {
    const typed = await lines.next(
      `  [1] once${lasting}  [n] deny  [e] deny with a note, then press Enter: `,
      signal,
    )
    if (typed === null) return { answer: 'deny', note: 'the terminal was closed' }
    const key = typed.trim().toLowerCase()
    if (key === 'e') return denied(await lines.next('  note: ', signal))
    const answer = Object.hasOwn(ANSWERS, key) ? ANSWERS[key] : undefined
    if (answer && (grant || answer === 'once' || answer === 'deny')) return { answer }
  }
}

function denied(note: string | null): Answer {
  return note?.trim() ? { answer: 'deny', note: note.trim() } : { answer: 'deny' }
}
