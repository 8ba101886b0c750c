import { nearestName } from '../core/nearest-name.ts'

/** Keys that grant or restrict. A key that may be one of these is never ignored. */
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

/** Restricting keys of other programs, with ours. */
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

/** Keys one letter away from a restricting one that mean something else. */
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

/** The restricting key that `key` probably means: a letter more or less, singular for plural. */
export function restrictingLike(key: string): string | undefined {
  const name = flat(key)
  const same = FLAT_RESTRICTING.find((each) => sameWord(each.name, name))
  if (same) return same.key
  if (FLAT_OTHERS.includes(name)) return undefined
  const near = nearestName(name, FLAT_ALL)
  return FLAT_RESTRICTING.find((each) => each.name === near && isNear(near, name))?.key
}

/** The same, including keys that restrict elsewhere. */
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

/** Short words have many neighbours: candidates start with the same letter and have about the same length. */
function isNear(known: string, name: string): boolean {
  const difference = Math.abs(known.length - name.length)
  return known.length > 5 ? difference <= 3 : known[0] === name[0] && difference <= 1
}
