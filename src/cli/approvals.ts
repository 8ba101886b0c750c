import { createInterface, type Interface } from 'node:readline/promises'
import type { EventOf, OffshootEvent } from '../core/events.ts'
import { terminalLine, terminalText } from '../core/terminal-text.ts'
import type { ApprovalAnswer } from '../core/run.ts'
import type { Runtime, StartedRun } from '../runtime/runtime.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

type Question = EventOf<'approval.requested'>

const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = {
  '1': 'once',
  '2': 'run',
  '3': 'always',
  n: 'deny',
}

/** Puts each question of the tree to the person at the terminal, one after the other. Until the returned function is called the conversation is attended. */
export function answerOnTerminal(started: StartedRun, runtime: Runtime, output: Output, io: Io): () => void {
  const leave = runtime.approvals.attend()
  const ended = new AbortController()
  let line: Promise<void> = Promise.resolve()
  const unsubscribe = runtime.subscribe(started.conversationId, (events: readonly OffshootEvent[]) => {
    for (const event of events) {
      if (event.type === 'approval.requested')
        line = line.then(() => put(event, runtime, output, io, ended.signal))
    }
  })
  return () => {
    ended.abort()
    unsubscribe()
    leave()
  }
}

async function put(
  question: Question,
  runtime: Runtime,
  output: Output,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  const resume = output.pause()
  const terminal = createInterface({ input: io.stdin, output: io.stderr })
  try {
    io.stderr.write(describe(question))
    const { answer, note } = await readAnswer(terminal, question, signal)
    await runtime.approvals.answer(question.approvalId, { answer, by: 'terminal', ...(note ? { note } : {}) })
  } catch (error) {
    // the run was stopped while the question was open, or somebody else answered: there is nothing left to ask
    if (
      !signal.aborted &&
      (error as { code?: string }).code !== 'not_found' &&
      (error as Error).name !== 'AbortError'
    )
      throw error
  } finally {
    terminal.close()
    resume()
  }
}

async function readAnswer(
  terminal: Interface,
  { grant }: Question,
  signal: AbortSignal,
): Promise<{ answer: ApprovalAnswer; note?: string }> {
  const lasting = grant ? `  [2] this run  [3] always \`${terminalLine(grant.pattern ?? grant.tool)}\`` : ''
  for (;;) {
    const text = (
      await terminal.question(`  [1] once${lasting}  [n] deny  [e] deny with a note: `, { signal })
    )
      .trim()
      .toLowerCase()
    if (text === 'e') return { answer: 'deny', note: await terminal.question('  note: ', { signal }) }
    const answer = ANSWERS[text]
    if (answer && (grant || answer === 'once' || answer === 'deny')) return { answer }
  }
}

function describe({ path, title, detail, directory, rule, position, of }: Question): string {
  const lines = [
    `⚑ ${terminalLine(path.join(' > '))} needs you (${position} of ${of}): ${terminalLine(title)}`,
    ...terminalText(detail)
      .split('\n')
      .slice(0, 20)
      .map((line) => `    ${line}`),
    `  in ${terminalLine(directory)}`,
    `  because: ${terminalLine(rule)}`,
  ]
  return `${lines.join('\n')}\n`
}
