import { OffshootError } from '../../core/errors.ts'
import type { OffshootEvent } from '../../core/events.ts'
import type { ApprovalAnswer } from '../../core/run.ts'
import type { StartedRun } from '../../runtime/control/acquire-and-drive.ts'
import { Follow } from '../../runtime/log/follow.ts'
import type { Watched } from './watched-run.ts'
import { cleanApproval, type Io } from '../io.ts'
import { placeInLine } from './open-asks.ts'
import type { Output } from './output-formats.ts'
import {
  answerWords,
  questionText,
  grantText,
  promptLine,
  approvalText,
  choicesText,
  refusedKeyText,
  type QuestionEvent,
  type ApprovalEvent,
} from './approval-prompt-text.ts'
import { answerWord, chosenAnswer } from './chosen-answer.ts'
import { dropTyped, readKey, readLines, type Lines } from './terminal-lines.ts'

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

type Ports = Pick<Watched, 'runtime' | 'store' | 'isOurs' | 'askedBefore'>

/**
 * Shows what is asked since the command began, before the run was driven too: a recovered run may ask at once. Of a run
 * that another process drives, what it asked earlier counts too.
 */
function listen(
  { conversationId, seqBefore }: StartedRun,
  { runtime, store, isOurs = () => true, askedBefore = () => [] }: Ports,
  show: (event: OffshootEvent) => void,
): () => void {
  const receive = (event: OffshootEvent) => {
    if (isOurs(event)) show(event)
  }
  askedBefore().forEach(receive)
  const position = Follow.after(store, conversationId, seqBefore)
  const catchUp = () => {
    for (const events of position.pages()) events.forEach(receive)
  }
  const end = runtime.subscribe(conversationId, (events) => {
    position.accepted(events).forEach(receive)
    if (position.isBehind) catchUp()
  })
  catchUp()
  return end
}

/**
 * Puts each approval and question of the tree to the person at the terminal, one after the other. Until the returned
 * function is called the conversation is attended; its promise settles when the terminal is free.
 */
export function answerOnTerminal(
  started: StartedRun,
  ports: Ports,
  output: Output,
  io: Io,
): () => Promise<void> {
  const { runtime, store } = ports
  const leave = runtime.approvals.attend()
  const open = new Map<string, AbortController>()
  let line: Promise<void> = Promise.resolve()
  const queue = (event: ApprovalEvent | QuestionEvent) => {
    const id = idOf(event)
    const closed = new AbortController()
    open.set(id, closed)
    const asked = () => ({ ...event, ...placeInLine(store, event.conversationId, id) })
    line = line
      .then(() => put(asked(), { runtime, output, io }, closed.signal))
      .catch(() => started.stop('leave')) // the store took no answer: the run will say so
  }
  const receive = (event: OffshootEvent) => {
    if (event.type === 'approval.answered') open.get(event.approvalId)?.abort()
    if (event.type === 'question.answered') open.get(event.questionId)?.abort()
    if (event.type === 'approval.requested' || event.type === 'question.asked') queue(event)
  }
  const unsubscribe = listen(started, ports, receive)
  return async () => {
    unsubscribe()
    leave()
    for (const closed of open.values()) closed.abort()
    await line
  }
}

/** Nobody sits here: what is asked says on stderr how it is answered from another terminal, and waits for that. */
export function answerFromElsewhere(
  started: StartedRun,
  ports: Ports,
  output: Output,
  io: Io,
): () => Promise<void> {
  const leave = ports.runtime.approvals.attend()
  const printAsked = (event: OffshootEvent) => {
    if (event.type !== 'approval.requested' && event.type !== 'question.asked') return
    const resume = output.pause()
    io.stderr.write(cleanApproval(io, elsewhereText(event)))
    resume()
  }
  const unsubscribe = listen(started, ports, printAsked)
  return async () => {
    unsubscribe()
    leave()
  }
}

function elsewhereText(event: ApprovalEvent | QuestionEvent): string {
  if (event.type === 'question.asked')
    return `${questionText(event)}  answer it with: offshoot answer ${event.questionId} ${answerWord(event)}\n`
  const { approvalId, grant } = event
  const how = `  answer it with: offshoot approve ${approvalId} ${answerWords(grant)}\n`
  return approvalText(event) + grantText(grant) + how
}

function idOf(event: ApprovalEvent | QuestionEvent) {
  return event.type === 'question.asked' ? event.questionId : event.approvalId
}

interface Surface {
  readonly runtime: Watched['runtime']
  readonly output: Output
  readonly io: Io
}

/** Asks until there is an answer, or nothing left to ask: the run has stopped, or somebody else was faster. */
async function put(
  event: ApprovalEvent | QuestionEvent,
  { runtime, output, io }: Surface,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const resume = output.pause()
  try {
    if (event.type === 'question.asked') {
      const text = await typedFor(questionText(event), io, (lines) => readText(lines, event, signal))
      await runtime.questions.answer(event.questionId, { by: 'terminal', text })
    } else {
      const answer = await readAnswer(event, io, signal)
      await runtime.approvals.answer(event.approvalId, { by: 'terminal', ...answer })
    }
  } catch (error) {
    if (!signal.aborted && !isAnswered(error)) throw error
  } finally {
    resume()
  }
}

/** What was typed before the question stood there is no answer to it. */
async function typedFor<A>(text: string, io: Io, read: (lines: Lines) => Promise<A>): Promise<A> {
  await dropTyped(io)
  const lines = readLines(io)
  try {
    io.stderr.write(cleanApproval(io, text))
    return await read(lines)
  } finally {
    lines.close()
  }
}

function isAnswered(error: unknown): boolean {
  return error instanceof OffshootError && (error.code === 'not_found' || error.code === 'conflict')
}

/** One key answers. What was typed before the question stood there is no answer to it. */
async function readAnswer(event: ApprovalEvent, io: Io, signal: AbortSignal): Promise<Answer> {
  const { grant } = event
  const say = (text: string) => void io.stderr.write(cleanApproval(io, text))
  await dropTyped(io)
  say(approvalText(event))
  let isAnswered = false
  try {
    say(choicesText(grant))
    for (;;) {
      const key = (await readKey(io, signal))?.toLowerCase() ?? null
      if (key === null) return { answer: 'deny', note: 'the terminal was closed' }
      const answer = Object.hasOwn(ANSWERS, key) ? ANSWERS[key] : undefined
      const isOffered = key === 'e' || answer === 'once' || answer === 'deny' || (answer && grant)
      if (key.trim() !== '' && !isOffered)
        say(`${promptLine(key)}\n${refusedKeyText(key, grant)}${choicesText(grant)}`)
      if (!isOffered) continue
      say(`${key}\n`)
      isAnswered = true
      return answer ? { answer } : denied(await typedFor('', io, (lines) => lines.next('  note: ', signal)))
    }
  } finally {
    if (!isAnswered) say('\n') // what comes next does not belong behind the choices
  }
}

function denied(note: string | null): Answer {
  return note?.trim() ? { answer: 'deny', note: note.trim() } : { answer: 'deny' }
}

/** null: the terminal was closed. */
async function readText(
  lines: Lines,
  { options }: QuestionEvent,
  signal: AbortSignal,
): Promise<string | null> {
  const how = options.length > 0 ? 'a number, or your own words' : 'your answer'
  const prompt = `  ${how}, then press Enter: `
  for (let before = ''; ;) {
    const typed = await lines.next(before + prompt, signal)
    if (typed === null) return null
    const { text, problem } = chosenAnswer(options, typed)
    if (problem === undefined && text !== '') return text
    before =
      problem === undefined ? '' : `  ${problem}; as an answer of your own, type "${text}" with the quotes\n`
  }
}
