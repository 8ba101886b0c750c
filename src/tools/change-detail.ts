import type { ToolContext } from './port.ts'
import { decodeText } from './text-file.ts'
import { readCurrent } from './write-file.ts'

/** What a tool may look at to say what it would do. */
export type DetailContext = Pick<ToolContext, 'workspace' | 'files'>

/**
 * The text that a change would be made to, for a person who is asked about it. Undefined unless it is what this branch has
 * read: any other change is refused, and nothing is shown of a file that the agent has not seen.
 */
export async function textAsSeen(context: DetailContext, path: string): Promise<string | undefined> {
  try {
    const target = context.workspace.resolve(path)
    const seen = context.files.seen(target.absolute)
    const current = seen && (await readCurrent(target))
    return current && current.stamp.hash === seen.hash
      ? decodeText(current.bytes, target.relative).text
      : undefined
  } catch {
    return undefined // the call itself says what is wrong with the file
  }
}
