import type { Rule } from '../../core/agent.ts'
import type { Json } from '../../core/json.ts'
import { fieldSpelled, type FieldName } from '../definition-fields.ts'
import { flat, restrictingLike } from '../restricting-keys.ts'
import { askBefore } from '../ask-before.ts'
import { hookedTools } from './hooked-tools.ts'
import { listed } from './name-list.ts'
import { readOnly } from '../read-only.ts'

/** Fields of our definition found by the reader of a file format. */
export type FoundFields = Partial<Record<Exclude<FieldName, 'inputSchema' | 'outputSchema'>, unknown>>

/** The keys of a file that are needed here. */
interface RemainingFields {
  left(): readonly string[]
  peek(key: string): Json | undefined
  takeStrict(...keys: readonly string[]): Json | undefined
  keep(key: string, value: Json): void
  ignore(message: string): void
  fail(problem: string, key?: string): void
}

/**
 * Restrictions without a key in the format: keys with a clear meaning are read, others reject the file. Hooks that may
 * refuse a call are restrictions too; nothing runs them here, so a person is asked instead.
 */
export function withLeftRestrictions(foreign: RemainingFields, found: FoundFields): FoundFields {
  const given = [...((found.permissions ?? []) as readonly Rule[]), ...modeRules(foreign)]
  const rules = isReadOnly(foreign) ? readOnly(given) : given
  const limits = new Map<FieldName, Json>()
  for (const key of foreign.left()) {
    const name = fieldSpelled(key)
    if (name && LIMITS.has(name) && (found as Partial<Record<FieldName, unknown>>)[name] === undefined)
      limits.set(name, foreign.takeStrict(key) ?? null)
    else if (restrictingLike(key)) refuse(foreign, key)
  }
  const permissions = askBefore(rules, toolsOfHooks(foreign))
  return {
    ...found,
    ...Object.fromEntries(limits),
    permissions: permissions.length > 0 ? permissions : found.permissions,
  }
}

/** Fields that mean the same in any file. */
const LIMITS: ReadonlySet<FieldName> = new Set([
  'maxTurns',
  'maxCostUsd',
  'timeoutMs',
  'isolation',
  'backend',
])

function refuse(foreign: RemainingFields, key: string): void {
  const meant = restrictingLike(key)
  const hint = meant === key ? 'agents of this program do not have it' : `did you mean ${meant}?`
  foreign.fail(`its ${key.slice(0, 64)} cannot be read: ${hint}`, key)
}

function toolsOfHooks(foreign: RemainingFields): readonly string[] {
  const key = foreign.left().find((each) => flat(each) === 'hooks')
  const tools = key === undefined ? [] : hookedTools(foreign.peek(key))
  if (tools.length > 0)
    foreign.ignore(`hooks are not run here: each call that they could refuse asks first (${listed(tools)})`)
  return tools
}

function isReadOnly(foreign: RemainingFields): boolean {
  const value = foreign.takeStrict('readonly', 'readOnly', 'read_only', 'read-only')
  if (value === undefined || isFalse(value)) return false
  if (!isTrue(value)) foreign.fail('its readonly cannot be read: expected true or false', 'readonly')
  return true
}

function isFalse(value: Json): boolean {
  return value === false || (typeof value === 'string' && /^(false|no|off)$/i.test(value.trim()))
}

const PLAN: readonly Rule[] = [
  { tool: 'write', action: 'deny' },
  { tool: 'edit', action: 'deny' },
  { tool: 'bash', action: 'deny' },
]

/** Modes of other programs, without case, `_` and `-`. */
const NARROWER: Readonly<Record<string, readonly Rule[]>> = { plan: PLAN, readonly: PLAN }
/** Modes in which rules apply, and modes that say how an agent is started. */
const SAME = new Set(['default', 'ask', 'manual', 'agent', 'subagent', 'primary', 'all', 'normal', 'build'])
/** Modes that allow or refuse calls without asking. Here the person's own rules decide that. */
const MORE = new Set([
  'acceptedits',
  'auto',
  'autoedit',
  'bypasspermissions',
  'dontask',
  'yolo',
  'edit',
  'code',
])

function modeRules(foreign: RemainingFields): readonly Rule[] {
  return ['permissionMode', 'permission-mode', 'permission_mode', 'mode'].flatMap((key) => {
    const mode = foreign.takeStrict(key)
    if (mode === undefined) return []
    foreign.keep(key.replace(/[-_]m/, 'M'), mode)
    const word = typeof mode === 'string' ? flat(mode) : ''
    if (Object.hasOwn(NARROWER, word)) return NARROWER[word]!
    if (MORE.has(word))
      foreign.ignore(`${key} is ignored: an agent file cannot allow more than your own rules do`)
    else if (!SAME.has(word)) foreign.fail(`its ${key} cannot be read: the mode is not known`, key)
    return []
  })
}

/** Handwritten booleans: `true`, `yes` and `on`. */
export function isTrue(value: Json | undefined): boolean {
  return value === true || (typeof value === 'string' && /^(true|yes|on)$/i.test(value.trim()))
}
