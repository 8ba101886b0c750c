import type { Action } from '../agent.ts'
import { shown } from './quoted-value.ts'
import { workingTools } from './tool-names.ts'

/** Longer patterns are refused: matching time is bounded by subject length times pattern length. */
export const MAX_PATTERN_LENGTH = 1000

const SHELL: ReadonlySet<string> = new Set(['bash', 'shell'])
const WEB: ReadonlySet<string> = new Set(['webfetch', 'websearch', 'web', 'sandbox_network'])
const PATHS: ReadonlySet<string> = new Set([
  ...Object.entries(workingTools).flatMap(([name, { toolset }]) => (toolset === 'files' ? [name] : [])),
  'files',
  'external_directory',
  'sandbox_write',
])

/**
 * Why a pattern cannot mean what it says; null if it can. A pattern in another program's syntax would match nothing, so
 * a denial would deny nothing.
 */
export function patternProblem(tool: string, pattern: unknown, action?: Action): string | null {
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN_LENGTH)
    return `"pattern" must be a text of 1 to ${MAX_PATTERN_LENGTH} characters, not ${shortly(pattern)}; leave it out for every call`
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(pattern) || !pattern.isWellFormed())
    return `"pattern" must be plain text without control characters, not ${shortly(pattern)}`
  if (pattern.trim() === '') return '"pattern" is empty; leave it out for every call'
  const [problem, instead] = foreignSyntax(tool, pattern, action) ?? []
  return problem ? `the pattern ${shown(pattern)} ${problem}; write ${instead}` : null
}

type Finding = readonly [problem: string, instead: string]

function foreignSyntax(tool: string, pattern: string, action: Action | undefined): Finding | null {
  const inner = /^[A-Z]\w*\((.+)\)$/s.exec(pattern)?.[1]
  if (inner) return ['is a rule of Claude Code', `${shown(inner)}, and name the tool in "tool"`]
  if (pattern !== pattern.trim()) return ['begins or ends with a space', shown(pattern.trim())]
  if (SHELL.has(tool) && isForeignPrefix(pattern, action)) {
    const command = pattern.slice(0, -2)
    return [
      'is the syntax of Claude Code',
      `${shown(`${command} *`)} for a command and its arguments, or ${shown(`${command}:**`)} for a name that contains the colon`,
    ]
  }
  if (WEB.has(tool) && /^domain:/i.test(pattern))
    return ['is the syntax of Claude Code', shown(pattern.replace(/^domain:\s*/i, '') || 'example.com')]
  const host = WEB.has(tool) ? /^\w+:\/\/([^/]*)\/?$/.exec(pattern)?.[1] : undefined
  if (host) return ['is an address without a path', shown(host)]
  if (SHELL.has(tool)) return strangeCommand(pattern)
  return PATHS.has(tool) ? (strangePath(pattern) ?? (action === 'allow' ? null : globOf(pattern))) : null
}

/**
 * Elsewhere `rm:*` means `rm *`. In an allow rule such as `npm run test:*` the colon may be literal, and the rule
 * allows less otherwise; only restrictions would be lost. `:` alone is a command.
 */
function isForeignPrefix(pattern: string, action: Action | undefined): boolean {
  if (!pattern.endsWith(':*') || pattern === ':*') return false
  return action !== 'allow' || !/\s/.test(pattern)
}

/** `*` is the only wildcard in commands. Later words may contain anything: `awk '{print $1}'`, `git show HEAD@{1}`. */
function strangeCommand(pattern: string): Finding | null {
  const [first = ''] = pattern.split(/\s/, 1)
  if (first.startsWith('^') || /^\/.*[*+\]).$]\/[gimsu]*$/.test(pattern))
    return ['looks like a regular expression', 'the command with "*" for any text, for example "rm *"']
  if (/\{[^{}]*,[^{}]*\}|\[[^\]]+\]|\w\?/.test(first))
    return ['has a wildcard that command patterns do not support', 'a rule of its own for each command']
  return null
}

/** Paths do not support sets: a restriction with one would match only names with brackets. */
function globOf(pattern: string): Finding | null {
  if (/\{[^{}]*,[^{}]*\}/.test(pattern)) return ['has a list in braces', 'a rule of its own for each name']
  return /[[\]]/.test(pattern) ? ['has a set in brackets', '"?" for one character of any kind'] : null
}

/** Paths match relative to the workspace, or from the root of the file system. */
function strangePath(pattern: string): Finding | null {
  if (/^(~|\$\{?HOME\b)/.test(pattern)) return ['names the home directory', 'its absolute path']
  if (pattern.startsWith('!')) return ['cannot negate', 'a rule of its own for the exception']
  if (/^\.\/(\.?\/)/.test(pattern))
    return ['begins with more than one "./"', shown(pattern.replace(/^(\.?\/+)+/, ''))]
  if (/(^|\/)\.\.(\/|$)/.test(pattern)) return ['contains ".."', 'an absolute path']
  if (/[^/]\/$/.test(pattern)) return ['names a directory alone', shown(`${pattern}**`)]
  return pattern.includes('\\') ? ['contains a backslash', 'the path with "/"'] : null
}

function shortly(value: unknown): string {
  return typeof value === 'string' && value.length > 200 ? `${value.length} characters` : shown(value)
}
