import { resolve } from 'node:path'
import { terminalLine } from '../core/terminal-text.ts'
import { chooseModel } from '../model/choose.ts'
import type { Composed } from '../runtime/compose.ts'
import { write, type Io } from './io.ts'

const SCRIPTED = 'scripted:'

/** The id of the model to use; says on stderr which and why. @throws OffshootError when it cannot be used. */
export async function pickModel(flag: string | undefined, composed: Composed, io: Io): Promise<string> {
  const { config } = composed.loaded
  const choice = await chooseModel({
    flag: flag && absoluteScript(flag, io.cwd),
    config,
    env: composed.env,
    fetch: composed.fetch,
  })
  await composed.runtime.resolveModel(choice.id)
  await write(io.stderr, `offshoot: ${terminalLine(choice.why)}\n`)
  return choice.id
}

/** A script is found from where the user stands, not from where the program lies. */
function absoluteScript(id: string, cwd: string): string {
  return id.startsWith(SCRIPTED) && id !== SCRIPTED ? SCRIPTED + resolve(cwd, id.slice(SCRIPTED.length)) : id
}
