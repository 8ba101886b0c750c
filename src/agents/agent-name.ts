import type { Fields } from './read-fields.ts'

const MAX_NAME_CHARS = 128
/** They mark where a name ends in what models and people read of an agent: attributes, labels, code. */
const MARKUP = /[<>"&`[\]\\]/

/** Why a text is no name of an agent; undefined: it is one. */
export function agentNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name.includes(':')) return 'contains a colon'
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return 'contains invisible characters'
  const markup = MARKUP.exec(name)?.[0]
  if (markup !== undefined) return `contains ${markup}; leave out < > " & \` [ ] and \\`
  return name.length > MAX_NAME_CHARS ? `is longer than ${MAX_NAME_CHARS} characters` : undefined
}

/** The file name without its folder and without `.agent.md` or `.md`. */
export function nameOfFile(path: string): string {
  const base = path.split(/[/\\]/).at(-1) ?? ''
  return base.replace(/(\.agent)?\.md$|\.toml$/i, '').trim()
}

/** `exposeAsTool: true` takes the agent's own name. */
export function withToolName(fields: Fields, agentName: string): object {
  const { exposeAsTool, ...others } = fields
  if (typeof exposeAsTool !== 'boolean') return fields
  const name = toolNameOf(agentName)
  return exposeAsTool && name !== '' ? { ...others, exposeAsTool: { name } } : others
}

/** The name of the tool that an agent is offered as; empty where its own has nothing of one. */
export function toolNameOf(agentName: string): string {
  return agentName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
}
