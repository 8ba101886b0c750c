import { fileErrorWords } from '../core/file-error-words.ts'
import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { agentSpelled } from '../agents/agent-aliases.ts'
import type { AgentRegistry } from '../agents/registry.ts'
import type { Rule } from '../core/agent.ts'
import { OffshootError } from '../core/errors.ts'
import { nearestName } from '../core/nearest-name.ts'
import { shown } from '../core/rules/quoted-value.ts'
import { isRule, readRule } from '../core/rules/read-rule.ts'
import { strangerProblem } from '../core/rules/unknown-tool.ts'
import { knownTools } from '../project/known-tools.ts'
import type { Composed } from '../runtime/host/compose.ts'
import type { RunFlags } from './run-flags.ts'
import type { Io } from './io.ts'

/** Rules that the command line has for one run. */
export interface RunRules {
  /** In the order in which they count: what denies is last. */
  readonly all: readonly Rule[]
  /** Those that deny hold for the run in other processes too. */
  readonly denying: readonly Rule[]
}

type RuleFlags = Pick<RunFlags, 'allow' | 'deny' | 'addDir' | 'allowedTools' | 'disallowedTools'>

/** @throws OffshootError `usage` for a rule that is not understood, and for a directory that is none. */
export async function readRunRules(flags: RuleFlags, io: Pick<Io, 'cwd'>): Promise<RunRules> {
  const { allow = [], deny = [], addDir = [], allowedTools = [], disallowedTools = [] } = flags
  const foreign = allowedTools.length + disallowedTools.length > 0
  const { claudeRules } = foreign ? await import('./foreign/claude-rules.ts') : { claudeRules: none }
  const allowing = [
    ...allow.map((text) => ownRule('--allow', text, 'allow')),
    ...claudeRules('--allowedTools', allowedTools, 'allow'),
    ...addDir.map((directory) => directoryRule(directory, io)),
  ]
  const denying = [
    ...deny.map((text) => ownRule('--deny', text, 'deny')),
    ...claudeRules('--disallowedTools', disallowedTools, 'deny'),
  ]
  return { all: [...allowing, ...denying], denying }
}

const none = (): Rule[] => []

/** Agents and programs have tools of their own. @throws OffshootError `usage` for a tool or an agent that is not known here. */
export function requireKnownNames({ all }: RunRules, { tools, agents }: Composed): void {
  const known = knownTools({ tools, agents: agents.list() })
  for (const rule of all) {
    const problem = strangerProblem({ tool: rule.tool, kind: 'rule', where: '' }, known)
    if (problem) throw new OffshootError('usage', problem, { hint: SHAPE })
    requireAgent(rule, agents)
  }
}

/** A rule for starting an agent that there is not would have no effect. */
function requireAgent({ tool, pattern = '*' }: Rule, agents: AgentRegistry): void {
  if ((tool !== 'task' && tool !== 'agents') || /[*?\s]/.test(pattern)) return
  if (agentSpelled(pattern, agents.list())) return
  const near = nearestName(pattern, agents.names())
  const hint = near ? `did you mean "${near}"?` : `the agents are: ${agents.names().join(', ')}`
  throw new OffshootError(
    'usage',
    `a rule names the agent ${shown(pattern)}, which does not exist; ${hint}`,
    {
      hint: 'leave the rule out; offshoot agents lists the agents',
    },
  )
}

const SHAPE =
  'a rule is TOOL or TOOL:PATTERN, such as --allow "bash:npm test *"; docs/permissions.md describes the patterns'

function ownRule(option: string, text: string, action: 'allow' | 'deny'): Rule {
  const short = readRule(text)
  const read = isRule(short) ? readRule({ ...short, action }) : short
  if (isRule(read)) return read
  const hint = /^\w+\(.*\)$/s.test(text)
    ? `${SHAPE}; --allowedTools and --disallowedTools accept the spelling of Claude Code`
    : SHAPE
  throw new OffshootError('usage', `${option}: ${read.problem}`, { hint })
}

/** It is asked about no more; what is written there is decided as in the directory of the run. */
function directoryRule(directory: string, { cwd }: Pick<Io, 'cwd'>): Rule {
  if (directory.trim() === '')
    throw new OffshootError('usage', '--add-dir: the directory is empty', {
      hint: 'name one, or leave it out',
    })
  const path = realDirectory(resolve(cwd, directory))
  if (/[*?]/.test(path))
    throw new OffshootError('usage', `--add-dir ${JSON.stringify(directory)}: its path contains * or ?`, {
      hint: 'a rule would mean other directories too; rename it, or name its files in the prompt',
    })
  return { tool: 'external_directory', pattern: path === '/' ? '/**' : `${path}/**`, action: 'allow' }
}

function realDirectory(path: string): string {
  try {
    if (statSync(path).isDirectory()) return realpathSync(path)
  } catch (cause) {
    throw new OffshootError('usage', `--add-dir: ${path} cannot be used: ${fileErrorWords(cause)}`, {
      hint: PROMPT_FIRST,
      cause,
    })
  }
  throw new OffshootError('usage', `--add-dir: ${path} is not a directory`, { hint: PROMPT_FIRST })
}

const PROMPT_FIRST = 'the option takes every word after it: put the prompt before it, or after --'
