import { resolve } from 'node:path'
import type { AgentDefinition } from '../core/agent.ts'
import { OffshootError } from '../core/errors.ts'
import { terminalLine } from '../core/terminal-text.ts'
import type { Composed } from '../runtime/host/compose.ts'
import { chooseModel, type Choice } from '../model/choose.ts'
import { writeStderr, type Io } from './io.ts'

const SCRIPTED = 'scripted:'

/**
 * The id of the model to use: the one of the flag, else that of the conversation that goes on, else of the agent that is to
 * have it, else of the configuration or the environment. Says on stderr which and why. @throws OffshootError when it cannot be used.
 */
export async function pickModel(
  flag: string | undefined,
  composed: Composed,
  io: Io,
  agent?: AnsweringAgent,
): Promise<string> {
  if (flag?.trim() === '') throw new OffshootError('usage', 'the model of -m is empty')
  const { id, why, origin } = await choiceOf(flag && absoluteScript(flag, io.cwd), composed, agent)
  await composed.runtime.resolveModel(id).catch((error: unknown) => {
    throw origin ? asConfigError(error, origin) : error
  })
  await writeStderr(io, `offshoot: ${terminalLine(why)}\n`)
  return id
}

interface AnsweringAgent extends AgentDefinition {
  /** The model with which it has answered in the conversation before. */
  readonly kept?: string | undefined
}

interface Picked extends Pick<Choice, 'id' | 'why'> {
  /** Where it is written, if it is in a file or a variable. */
  readonly origin?: string | undefined
}

async function choiceOf(
  flag: string | undefined,
  { loaded: { config }, env, fetch, runtime }: Composed,
  agent: AnsweringAgent | undefined,
): Promise<Picked> {
  if (flag === undefined && agent?.kept) return ofConversation(agent.kept)
  const wanted = (flag === undefined && agent?.model) || 'inherit'
  const isSmall = wanted === 'small'
  if (wanted !== 'inherit' && !isSmall) return ofAgent(agent!, wanted, 'model of agent')
  const choice = await chooseModel({ flag, config, env, fetch })
  if (isSmall) return ofAgent(agent!, runtime.modelOf(agent!, choice.id), 'small model, set by agent')
  return flag === undefined && config.model ? { ...choice, origin: OF_CONFIG } : choice
}

function ofConversation(id: string): Picked {
  return {
    id,
    why: `model ${id} (as in this conversation)`,
    origin: 'the model of this conversation (-m names another)',
  }
}

const OF_CONFIG = 'the `model` of the configuration (offshoot.jsonc, OFFSHOOT_MODEL)'

function ofAgent({ name }: AgentDefinition, id: string, what: string): Picked {
  const origin = `the model of the agent ${name} (offshoot agents show ${name})`
  return { id, why: `model ${id} (${what} ${name})`, origin }
}

/** A wrong model of a file is no wrong usage, and the person has to read where it is written. */
function asConfigError(error: unknown, origin: string): unknown {
  if (!(error instanceof OffshootError) || error.code !== 'usage') return error
  const hint = [error.hint, `It is ${origin}.`]
  return new OffshootError('config', error.message, { hint: hint.filter(Boolean).join(' '), cause: error })
}

/** A script is found from where the user stands, not from where the program lies. */
export function absoluteScript(id: string, cwd: string): string {
  return id.startsWith(SCRIPTED) && id !== SCRIPTED ? SCRIPTED + resolve(cwd, id.slice(SCRIPTED.length)) : id
}
