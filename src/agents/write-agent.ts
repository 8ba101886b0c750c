import { stringify } from 'yaml'
import type { AgentDefinition } from '../core/agent.ts'
import type { Json } from '../core/json.ts'
import { definitionFields, type FieldName } from './definition-fields.ts'
import { parseDefinition } from './parse-definition.ts'
import { isOurs } from './read-fields.ts'

export interface WrittenAgent {
  readonly text: string
  /** What the form cannot express, one sentence each. */
  readonly lost: readonly string[]
}

/** An agent as one of our own files. Returns a sentence if reading it back would change it. */
export function writeOwn(agent: AgentDefinition): WrittenAgent | string {
  const extra = Object.entries(agent.extra ?? {})
  const clashing = extra.filter(([key]) => key === 'source' || isOurs(key)).map(([key]) => key)
  const fields: [string, Json | undefined][] = [
    ['name', agent.name],
    ['description', agent.description],
    ...FIELDS.map((name): [string, Json | undefined] => [name, agent[name] as Json | undefined]),
    ...extra.filter(([key]) => !clashing.includes(key)),
  ]
  const text = markdown(fields, agent.prompt)
  const again = parseDefinition(text, agent.source)
  if ('skipped' in again) return again.skipped
  return {
    text,
    lost: clashing.map((key) => `${key.slice(0, 64)} is left out: it would mean something else here`),
  }
}

const FIELDS = Object.keys(definitionFields) as FieldName[]

/** Front matter of the set fields, and the text below it. */
export function markdown(fields: readonly (readonly [string, Json | undefined])[], body: string): string {
  const given = fields.filter(([, value]) => value !== undefined)
  // a map, since a foreign key may be `__proto__`
  return `---\n${stringify(new Map(given), { lineWidth: 0, aliasDuplicateObjects: false })}---\n\n${body.trim()}\n`
}
