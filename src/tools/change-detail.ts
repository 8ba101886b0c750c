import type { ToolContext } from './port.ts'
import { decodeText } from './text-file.ts'
import { readCurrent } from './write-file.ts'

/** What a tool may read to describe a change. */
export type DetailContext = Pick<ToolContext, 'workspace' | 'files'>

/**
 * The text that a change would modify, for the person who approves it. Undefined unless this branch has read it: any
 * other change is refused, and a person never sees parts of a file that the agent has not seen.
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
    return undefined // the call itself reports the problem with the file
  }
}
