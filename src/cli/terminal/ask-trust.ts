import { terminalLine } from '../../core/terminal-text.ts'
import { giveTrust } from '../../project/give-trust.ts'
import { heldBack, loadProject, type TrustState } from '../../project/project.ts'
import type { AskedRequest } from '../../trust/trust-request.ts'
import { countText, kindsText } from '../../trust/request-text.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { hasPerson } from '../person-only-commands.ts'
import { writeStderr, type Io } from '../io.ts'
import { dropTyped, readLines } from './terminal-lines.ts'

/** One line each, as text: the words are those of the files. */
export function requestLines(requests: readonly AskedRequest[]): string {
  return requests.map(({ file, text }) => `  ${terminalLine(file)}: ${terminalLine(text)}\n`).join('')
}

/** Shows what is held back and asks once. Whether the person said yes to exactly this. */
export async function askTrust(state: TrustState, io: Io): Promise<boolean> {
  const held = heldBack(state)
  const head = `offshoot: the files in ${terminalLine(state.directory)} ask for more than you have granted${kindsText(held)}:\n`
  const question = `  Grant ${held.length === 1 ? 'this request' : `these ${countText(held.length)}`}? [y/N], then press Enter: `
  await dropTyped(io)
  const lines = readLines(io)
  try {
    await writeStderr(io, head + requestLines(held))
    const typed = await lines.next(question, new AbortController().signal)
    return /^y(es)?$/i.test(typed?.trim() ?? '')
  } finally {
    lines.close()
  }
}

/**
 * Before something begins in a directory: asks about what its files want, where somebody can be asked. Without a yes
 * nothing of it is granted, and the run begins all the same. @throws OffshootError `conflict` for files that change
 * between the question and the answer.
 */
export async function trustBefore(
  directory: string,
  { approvals }: { readonly approvals?: 'wait' | 'deny' },
  io: Io,
): Promise<void> {
  if (approvals === 'deny' || !hasPerson(io)) return
  const { root } = createWorkspace(directory)
  const { trust } = await loadProject(root, io.env)
  if (heldBack(trust).length === 0 || !(await askTrust(trust, io))) return
  await giveTrust(root, trust.digest, io.env)
  await writeStderr(io, `offshoot: trusted; offshoot trust --revoke withdraws it\n`)
}
