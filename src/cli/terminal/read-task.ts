import { OffshootError } from '../../core/errors.ts'
import { readStdin, type Io } from '../io.ts'

/** What is asked: the argument, else stdin, of any size. @throws OffshootError `usage` where there is neither. */
export async function readPrompt(
  argument: string | undefined,
  { what, example }: { readonly what: string; readonly example: string },
  io: Io,
): Promise<string> {
  const prompt = argument ?? (io.stdin.isTTY ? '' : await readStdin(io.stdin))
  if (prompt.trim() !== '') return prompt
  throw new OffshootError('usage', `there is no ${what}`, { hint: `${example}, or the same on stdin` })
}
