import { resolve } from 'node:path'
import { OffshootError } from '../core/errors.ts'
import { terminalLine } from '../core/terminal-text.ts'
import { chooseModel } from '../model/choose.ts'
import type { Composed } from '../runtime/host/compose.ts'
import { say, type Io } from './io.ts'

const SCRIPTED = 'scripted:'

/** The id of the model to use; says on stderr which and why. @throws OffshootError when it cannot be used. */
export async function pickModel(flag: string | undefined, composed: Composed, io: Io): Promise<string> {
  if (flag?.trim() === '') throw new OffshootError('usage', 'the model of -m is empty')
  const { config } = composed.loaded
  const choice = await chooseModel({
    flag: flag && absoluteScript(flag, io.cwd),
    config,
    env: composed.env,
    fetch: composed.fetch,
  })
  await composed.runtime.resolveModel(choice.id).catch((error: unknown) => {
    throw flag || !config.model ? error : asConfigError(error)
  })
  await say(io, `offshoot: ${terminalLine(choice.why)}\n`)
  return choice.id
}

/** A wrong `model` of the configuration is no wrong usage, and whoever typed the command has to hear where it stands. */
function asConfigError(error: unknown): unknown {
  if (!(error instanceof OffshootError) || error.code !== 'usage') return error
  const hint = [error.hint, 'It is the `model` of the configuration (offshoot.jsonc, OFFSHOOT_MODEL).']
  return new OffshootError('config', error.message, { hint: hint.filter(Boolean).join(' '), cause: error })
}

/** A script is found from where the user stands, not from where the program lies. */
function absoluteScript(id: string, cwd: string): string {
  return id.startsWith(SCRIPTED) && id !== SCRIPTED ? SCRIPTED + resolve(cwd, id.slice(SCRIPTED.length)) : id
}
