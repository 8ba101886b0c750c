import type { AgentDefinition } from '../core/agent.ts'
import type { Json } from '../core/json.ts'
import type { Stranger } from '../core/rules/unknown-tool.ts'
import { type FrontMatter, readFrontMatter } from './front-matter.ts'
import { PROMPTS, readFields, type FieldNote, type NamedTool } from './read-fields.ts'
import { fieldSpelled } from './definition-fields.ts'
import { idleOfAgent } from '../core/idle-setting.ts'
import { reminderProblem } from './reminder-problem.ts'
import { agentNameProblem, nameOfFile, withToolName } from './agent-name.ts'
import { flat } from './restricting-keys.ts'

/** One file: an agent, or why there is none; and what of the file was ignored or guessed, a sentence each. */
export type ParsedDefinition = (
  | { readonly agent: AgentDefinition }
  | {
      /** A sentence without its subject, which is the file: `it has no description`. */
      readonly skipped: string
    }
) & {
  readonly warnings: readonly string[]
  /** Tools that it names and that only a runtime can know. */
  readonly strangers?: readonly Stranger[]
}

/**
 * Reads an agent file of our own format: Markdown whose front matter holds the fields (docs/agent-files.md). Never
 * throws. `source` is the file's path, which names the agent where the front matter does not.
 */
export function parseDefinition(text: string, source: string): ParsedDefinition {
  const matter = readFrontMatter(text)
  if (typeof matter === 'string') return { skipped: matter, warnings: [] }
  const warnings = [...matter.warnings]
  const identity = readIdentity(matter, source)
  if (typeof identity === 'string') return { skipped: identity, warnings }
  const prompt = readPrompt(matter)
  if (typeof prompt !== 'string') return { skipped: inLine(matter, prompt), warnings }
  const { fields, wrong, ignored, unknown, strangers } = readFields(ownFields(matter), matter.guessed)
  if (wrong) return { skipped: inLine(matter, wrong), warnings }
  for (const { path, problem } of ignored) warnings.push(`${path.join('.')} is ignored: ${problem}`)
  for (const { key, near } of unknown)
    if (near) warnings.push(`unknown key ${key} has no effect; did you mean ${near}?`)
  if (!isAscii(identity.name)) warnings.push(`the name ${identity.name} has characters outside ASCII`)
  const agent: AgentDefinition = { ...identity, ...withToolName(fields, identity.name), prompt, source }
  const reminder = reminderProblem(agent)
  if (reminder) return { skipped: inLine(matter, { path: [spelled(matter)], problem: reminder }), warnings }
  const idle = idleOfAgent(agent)
  if (idle) return { skipped: inLine(matter, { path: [idle.name], problem: idle.why }), warnings }
  const extra = unknown.map(({ key }) => [key, matter.fields.get(key) ?? null] as const)
  return {
    agent: extra.length > 0 ? { ...agent, extra: Object.fromEntries(extra) } : agent,
    warnings,
    ...(strangers.length > 0 ? { strangers: strangers.map((each) => placed(matter, each)) } : {}),
  }
}

const IDENTITY = ['name', 'description']

function ownFields({ fields }: FrontMatter): (readonly [string, Json])[] {
  return [...fields].filter(([key]) => !IDENTITY.includes(key) && !PROMPTS.has(flat(key)))
}

/** The body, or what the front matter has instead. */
function readPrompt({ fields, body }: FrontMatter): string | FieldNote {
  const given = [...fields].filter(([key]) => PROMPTS.has(flat(key)))
  for (const [key, value] of given) {
    if (typeof value !== 'string') return { path: [key], problem: 'expected a string' }
    if (body !== '' && value.trim() !== body)
      return {
        path: [key],
        problem:
          'it differs from the text below the front matter, which is also the prompt; keep one of them',
      }
  }
  const texts = new Set(given.map(([, value]) => (typeof value === 'string' ? value.trim() : '')))
  if (texts.size > 1)
    return { path: [given[1]![0]], problem: `"${given[0]![0]}" and "${given[1]![0]}" differ; keep one` }
  return body === '' ? ([...texts][0] ?? '') : body
}

function inLine(matter: FrontMatter, { path, problem }: FieldNote): string {
  return `its field ${path.join('.')} cannot be read (line ${matter.lineOf(path)}): ${problem}`
}

/** The field as the file spells it. */
function spelled({ fields }: FrontMatter): string {
  return [...fields.keys()].find((key) => fieldSpelled(key) === 'firstTurnReminder') ?? 'firstTurnReminder'
}

function placed(matter: FrontMatter, { tool, kind, path }: NamedTool): Stranger {
  return { tool, kind, where: `its field ${path.join('.')} cannot be read (line ${matter.lineOf(path)})` }
}

type Identity = Pick<AgentDefinition, 'name' | 'description'>

export function readIdentity({ fields }: Pick<FrontMatter, 'fields'>, source: string): Identity | string {
  const name = fields.has('name') ? plain(fields.get('name')) : nameOfFile(source)
  const problem = agentNameProblem(name)
  if (problem !== undefined) return `its name ${problem}`
  const description = plain(fields.get('description'))
  return description === '' ? 'it has no description' : { name, description }
}

function plain(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).trim()
    : ''
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}
