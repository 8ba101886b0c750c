import { z } from 'zod'
import { OffshootError } from '../../core/errors.ts'
import { bounds } from '../../core/limits.ts'
import type { RunEnd, RunFlags } from '../run-flags.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { boundedLines } from '../terminal/bounded-lines.ts'

const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() })
/** A line as the SDK of Claude Code writes it. */
const messageLine = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(textBlock).min(1)]),
  }),
})

type RunOnce = (prompt: string, flags: RunFlags, io: Io) => Promise<RunEnd>

/**
 * `--input-format stream-json`: each line of stdin is a message, answered by a run of one conversation before the next is
 * read. Ends with stdin; the exit code is that of the last run. A signal ends it after the run that it stops.
 * @throws OffshootError `usage` for a line that is no message, and where none comes.
 */
export async function runMessages(
  prompt: string | undefined,
  flags: RunFlags,
  io: Io,
  runOnce: RunOnce,
): Promise<number> {
  if (flags.outputFormat !== 'stream-json')
    throw new OffshootError('usage', '--input-format stream-json needs --output-format stream-json', {
      hint: 'add it: each message is answered by its own lines',
    })
  if (prompt !== undefined && prompt !== '-')
    throw new OffshootError('usage', 'with --input-format stream-json the prompts come from stdin', {
      hint: 'leave out the prompt, or the option',
    })
  if (io.stdin.isTTY)
    throw new OffshootError('usage', '--input-format stream-json is for programs, and stdin is a terminal', {
      hint: 'offshoot "..." asks one thing',
    })
  let last: RunEnd | undefined
  for await (const line of boundedLines(io.stdin, bounds.answerChars)) {
    if (line.trim() === '') continue
    last = await runOnce(readMessage(line), last ? goesOn(flags, last) : flags, io)
    if (last.code >= exitCodes.SIGHUP) return last.code
  }
  if (last) return last.code
  throw new OffshootError('usage', 'no message came on stdin', { hint: EXAMPLE })
}

const EXAMPLE = `a line is {"type": "user", "message": {"role": "user", "content": "where is it?"}}`

/** The instructions of a conversation are written once. */
function goesOn(flags: RunFlags, { conversationId }: RunEnd): RunFlags {
  const { appendSystemPrompt: _, continue: _latest, forkSession: _fork, ...rest } = flags
  return { ...rest, ...(conversationId ? { conversation: conversationId } : {}) }
}

function readMessage(line: string): string {
  if (line.length > bounds.answerChars)
    throw new OffshootError('usage', `a line on stdin is longer than ${bounds.answerChars} characters`)
  const { content } = messageOf(line).message
  const text = typeof content === 'string' ? content : content.map((block) => block.text).join('\n\n')
  if (text.trim() !== '') return text
  throw new OffshootError('usage', 'a message on stdin has no text', { hint: EXAMPLE })
}

function messageOf(line: string): z.output<typeof messageLine> {
  const read = messageLine.safeParse(parsed(line))
  if (read.success) return read.data
  const [issue] = read.error.issues
  const what = `${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'not understood'}`
  throw new OffshootError('usage', `a line on stdin is not a user message: ${what}`, {
    hint: `${EXAMPLE}; content may be a list of text blocks`,
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new OffshootError('usage', 'a line on stdin is not JSON', { hint: EXAMPLE, cause })
  }
}
