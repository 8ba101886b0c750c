import { OffshootError } from '../core/errors.ts'
import type { Env } from '../config/homes.ts'

/** In a clone, `npm start --` stands for the program's name. */
export function isNpmStart(env: Env): boolean {
  return env['npm_lifecycle_event'] === 'start' && env['npm_package_name'] === 'offshoot'
}

/**
 * Hints in the form in which the program was started: `offshoot ls` as `npm start -- ls`. What an agent calls
 * (`denied: …: $ offshoot ls`) and prose (`an offshoot serve`) stay as they are.
 */
export function asStarted(env: Env, text: string): string {
  return isNpmStart(env) ? text.replace(HINT, 'npm start --') : text
}

const COMMANDS =
  'run|spawn|continue|fork|recover|serve|sessions|ps|ls|show|log|inbox|steer|pause|interrupt|background|cancel|close|approve|answer|export|import|rm|gc|agents|models|config|permissions|trust|doctor|completion'
const HINT = new RegExp(`(?<=^|: |; |, |\\(|^  |usage: )offshoot(?= (?:(?:${COMMANDS})\\b|--|"|[A-Z]))`, 'gm')

/**
 * Without `--`, npm keeps our options for itself and passes only their values on: a run would lose its limits unseen.
 * @throws OffshootError `usage`
 */
export function refuseOptionsOfNpm(env: Env): void {
  if (!isNpmStart(env)) return
  const taken = OPTIONS.filter((name) => env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined)
  if (taken.length === 0) return
  throw new OffshootError('usage', `npm kept ${taken.map((name) => `--${name}`).join(', ')} for itself`, {
    hint: `put -- after npm start: npm start -- COMMAND --${taken[0]} …`,
  })
}

/** Ours that npm has no setting for, and `dry-run`, which nobody sets for good: without it, a command would act. */
const OPTIONS = (
  'mode model agent approvals allow deny add-dir sandbox max-turns budget-usd max-budget-usd set output-format ' +
  'input-format raw-output directory conversation continue resume fork-session background append-system-prompt ' +
  'json-schema permission-mode allowed-tools allowedTools disallowed-tools disallowedTools tools deliver label no-wake ' +
  'expose open host port print session full-auto format file ask-for-approval output-last-message output-schema ' +
  'skip-git-repo-check yolo dangerously-skip-permissions dangerously-bypass-approvals-and-sandbox backend pause ' +
  'dry-run limit status search messages ids follow edit withdraw promote clear note pattern older-than keep rules ' +
  'list revoke repair system-prompt mcp-config fallback-model cd agents session-id title attach hostname'
).split(' ')
