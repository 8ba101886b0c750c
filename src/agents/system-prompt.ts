import type { AgentDefinition, JsonSchema } from '../core/agent.ts'
import { bounded, boundedLine, fenced } from './bounded-text.ts'
import { delegationRules, limitRules, workRules, type RuleFacts } from './prompt-rules.ts'
import { reportPrompt } from './report-prompt.ts'
import { skillsPrompt } from './skills-prompt.ts'
import type { Skill } from './skills.ts'
import type { WorkspaceFacts } from '../core/workspace-facts.ts'
import { filesPrompt, workspacePrompt, type ReferenceFile } from './workspace-prompt.ts'

/** Another agent's prompt before the role; tools and limits stay the agent's own. */
export interface Persona {
  readonly agent: string
  readonly prompt: string
  /** Whether it was passed on by the spawning agent rather than requested. */
  readonly inherited: boolean
}

export interface SystemPromptInput {
  readonly agent: AgentDefinition
  /** 0: it works with the person; otherwise it reports to the agent that started it. */
  readonly depth: number
  readonly persona?: Persona | undefined
  readonly workspace: WorkspaceFacts
  readonly limits: { readonly maxTurns: number }
  /** Names of the offered tools: with `task` it can delegate, with `ask_user` it can ask. */
  readonly tools: readonly string[]
  readonly files?: readonly ReferenceFile[]
  /** Listed if it has `read`. */
  readonly skills?: readonly Skill[]
  /** Tools whose schemas were passed on at the start. */
  readonly schemas?: readonly {
    readonly name: string
    readonly description: string
    readonly inputSchema: object
  }[]
  /** Schema of its report. */
  readonly outputSchema?: JsonSchema | undefined
}

const MAX_PERSONA_CHARS = 8_000
export const MAX_ROLE_CHARS = 32_000
const MAX_SCHEMAS_CHARS = 20_000

/** The system text of a branch's first context . Each part is bounded, and so is the whole. */
export function systemPrompt(input: SystemPromptInput): string {
  const { agent, persona, workspace, tools, files = [], skills = [], schemas = [] } = input
  const facts: RuleFacts = { depth: input.depth, tools, maxTurns: input.limits.maxTurns }
  const isBare = agent.basePrompt === 'bare'
  const sections = [
    ...(persona ? [personaPrompt(persona)] : []),
    isBare ? ownPrompt(agent) : rolePrompt(agent),
    ...(isBare ? [] : workPrompts(facts, workspace)),
    ...(files.length > 0 ? [filesPrompt(files)] : []),
    ...(skills.length > 0 && tools.includes('read') && !isBare ? [skillsPrompt(skills)] : []),
    ...(schemas.length > 0 ? [schemasPrompt(schemas)] : []),
    ...(input.outputSchema ? [reportPrompt(input.outputSchema)] : []),
    ...(isBare ? [] : [limitRules(facts)]),
  ]
  return `${sections.join('\n\n')}\n`
}

function workPrompts(facts: RuleFacts, workspace: WorkspaceFacts): string[] {
  const delegation = facts.tools.includes('task') ? [delegationRules()] : []
  return [workRules(facts), ...delegation, workspacePrompt(workspace)]
}

/** Providers reject an empty system text, so an agent without a prompt gets its heading. */
function ownPrompt(agent: AgentDefinition): string {
  return boundedRole(agent.prompt) || rolePrompt(agent).trimEnd()
}

function personaPrompt({ agent, prompt, inherited }: Persona): string {
  const name = boundedLine(agent, 128)
  const source = inherited ? `inherited from the agent ${name} that started you` : `of the agent ${name}`
  const scope = 'It sets the tone; where they differ, the role and the rules below apply.'
  return `# Persona, ${source}\n${scope}\n${bounded(prompt, MAX_PERSONA_CHARS, 'the rest is left out')}`
}

function rolePrompt({ name, prompt }: AgentDefinition): string {
  return `# Role: ${boundedLine(name, 128)}\n${boundedRole(prompt)}`
}

function boundedRole(prompt: string): string {
  return bounded(prompt, MAX_ROLE_CHARS, 'the rest is left out')
}

function schemasPrompt(schemas: NonNullable<SystemPromptInput['schemas']>): string {
  const lines = schemas.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name, description, inputSchema }),
  )
  return `# Tools at hand\n${fenced(bounded(lines.join('\n'), MAX_SCHEMAS_CHARS, 'ask for the other schemas'))}`
}
