import { OffshootError } from '../../core/errors.ts'
import { readStdin, type Io } from '../io.ts'

/** What an error says where there is no text. */
export interface TaskWords {
  readonly missing: string
  readonly hint: string
}

/** What is asked: the argument, else stdin, of any size. @throws OffshootError `usage` where there is neither. */
export async function readPrompt(
  argument: string | undefined,
  { missing, hint }: TaskWords,
  io: Io,
): Promise<string> {
  const prompt = argument ?? (io.stdin.isTTY ? '' : await readStdin(io.stdin))
  if (prompt.trim() !== '') return prompt
  throw new OffshootError('usage', missing, { hint })
}
