import { expect } from 'vitest'
import { findSandbox } from '../../src/exec/sandbox/find-sandbox.ts'
import { startCell } from '../../src/exec/sandbox/start-cell.ts'

/** What of a sandbox this machine has. */
export const thisMachine = await findSandbox({ path: process.env['PATH'], directories: [] })

/** Of bubblewrap, where `inCell` runs its body. */
export const BUBBLEWRAP = thisMachine.kind === 'bubblewrap' ? thisMachine.program : 'bwrap'

/** A test that takes a cell. Where this machine refuses one, the test is that the refusal is told. */
export function inCell(body: () => Promise<void>): () => Promise<void> {
  return thisMachine.kind === 'bubblewrap' ? body : () => expectRefusal(thisMachine.why)
}

/** For `describe.each`: the setting, and what makes a test of a body. */
export const SANDBOXES = [
  ['off', (body: () => Promise<void>) => body],
  ['required', inCell],
] as const

async function expectRefusal(why: string): Promise<void> {
  expect(why).toMatch(/^\S+ .{20,}$/) // one line
  const none = { shown: [], pinned: [], readOnly: [], hidden: [] }
  const layout = { workspace: '/tmp', writable: ['/tmp'], home: null, ...none }
  await expect(startCell({ bubblewrap: 'bwrap', layout, marks: {} })).rejects.toMatchObject({
    name: 'SandboxError',
    message: `the sandbox cannot be used: ${why}`,
  })
}
