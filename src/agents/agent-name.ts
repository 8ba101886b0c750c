import type { Fields } from './read-fields.ts'

const MAX_NAME_CHARS = 128
/** Characters that end a name where models and people read it: in attributes, labels and code. */
const MARKUP = /[<>"&`[\]\\]/

/** Why a text is not a valid agent name; undefined: it is valid. */
export function agentNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name.includes(':')) return 'contains a colon'
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return 'contains invisible characters'
  const markup = MARKUP.exec(name)?.[0]
  if (markup !== undefined) return `contains ${markup}; leave out < > " & \` [ ] and \\`
  return name.length > MAX_NAME_CHARS ? `is longer than ${MAX_NAME_CHARS} characters` : undefined
}

/** The file name without its directory and without `.agent.md` or `.md`. */
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

/** Name of the tool for an agent; empty if the agent's name has no usable character. */
export function toolNameOf(agentName: string): string {
  return agentName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
}
