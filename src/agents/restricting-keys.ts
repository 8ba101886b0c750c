import { nearestName } from '../core/nearest-name.ts'

/** What grants or restricts. A key that may be one of these is never dropped. */
const RESTRICTING = [
  'tools',
  'allowedTools',
  'disallowedTools',
  'permissions',
  'defaultPermissions',
  'mode',
  'permissionMode',
  'readonly',
  'isolation',
  'backend',
  'spawns',
  'canSpawnSubagents',
  'maxTurns',
  'maxIterations',
  'maxCostUsd',
  'timeoutMs',
] as const

/** Words of other programs that restrict, and what says it in ours. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  toolsets: 'tools',
  allow: 'permissions',
  ask: 'permissions',
  deny: 'permissions',
  rules: 'permissions',
  approvalmode: 'mode',
  approvalpolicy: 'mode',
  denied: 'disallowedTools',
  disallow: 'disallowedTools',
  disallowed: 'disallowedTools',
  forbidden: 'disallowedTools',
  blocked: 'disallowedTools',
  allowed: 'tools',
  deniedtools: 'disallowedTools',
  denytools: 'disallowedTools',
  blockedtools: 'disallowedTools',
  excludetools: 'disallowedTools',
  excludedtools: 'disallowedTools',
  forbiddentools: 'disallowedTools',
  subagents: 'spawns',
  steps: 'maxTurns',
  maxsteps: 'maxTurns',
  budget: 'maxCostUsd',
  budgetusd: 'maxCostUsd',
  maxbudgetusd: 'maxCostUsd',
  timeoutmins: 'timeoutMs',
  timeoutseconds: 'timeoutMs',
  bash: 'permissions',
  shell: 'permissions',
  edit: 'permissions',
  write: 'permissions',
  webfetch: 'permissions',
  websearch: 'permissions',
  externaldirectory: 'permissions',
}

/** Keys that are a letter away from one that restricts, and are something else. */
const OTHERS = [
  'name',
  'title',
  'icon',
  'description',
  'model',
  'models',
  'node',
  'effort',
  'skills',
  'code',
] as const

const FLAT_RESTRICTING = RESTRICTING.map((key) => ({ key, name: flat(key) }))
const FLAT_OTHERS = OTHERS.map(flat)
const FLAT_ALL = [...FLAT_OTHERS, ...FLAT_RESTRICTING.map(({ name }) => name)]

/** The key that restricts which `key` probably was meant to be: a letter more or less, singular for plural. */
export function restrictingLike(key: string): string | undefined {
  const name = flat(key)
  const same = FLAT_RESTRICTING.find((each) => sameWord(each.name, name))
  if (same) return same.key
  if (FLAT_OTHERS.includes(name)) return undefined
  const near = nearestName(name, FLAT_ALL)
  return FLAT_RESTRICTING.find((each) => each.name === near && isNear(near, name))?.key
}

/** The same, and words that restrict elsewhere. */
export function restrictingWord(key: string): string | undefined {
  const name = flat(key)
  return restrictingLike(key) ?? (Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined)
}

/** `maxTurns`, `max_turns`, `max-turns`, `Max Turns`. */
export function flat(key: string): string {
  return key.replace(/[\s_.-]/g, '').toLowerCase()
}

function sameWord(a: string, b: string): boolean {
  return a === b || a === `${b}s` || `${a}s` === b
}

/** Short words have many neighbours: theirs begin with the same letter, and are as long or nearly. */
function isNear(known: string, name: string): boolean {
  const difference = Math.abs(known.length - name.length)
  return known.length > 5 ? difference <= 3 : known[0] === name[0] && difference <= 1
}
