import { readFileSync } from 'node:fs'
import type { AgentDefinition } from '../core/agent.ts'
import { OffshootError } from '../core/errors.ts'
import { once } from '../core/once.ts'
import { parseDefinition } from './parse-definition.ts'

const NAMES = ['main', 'general', 'explore', 'planner', 'researcher', 'reviewer'] as const

/** The built-in agents, read from the Markdown files beside this one. Their source is `built-in`. */
export const builtinAgents: () => readonly AgentDefinition[] = once(() => NAMES.map(readBuiltin))

function readBuiltin(name: string): AgentDefinition {
  const parsed = parseDefinition(
    readFileSync(new URL(`builtin/${name}.md`, import.meta.url), 'utf8'),
    `${name}.md`,
  )
  if ('agent' in parsed) return { ...parsed.agent, source: 'built-in' }
  throw new OffshootError('internal', `the built-in agent ${name} cannot be used: ${parsed.skipped}`)
}
