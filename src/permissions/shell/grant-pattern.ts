import type { Grant } from '../types.ts'
import type { Field } from './field.ts'
import { isStatic, joinText } from './field.ts'
import { shells } from './shells.ts'
import { wrappers } from './wrapper-table.ts'

/** Programs whose arguments determine what runs, so that one command says nothing about the next. */
const EXACT = new Set(
  `eval exec source . trap xargs find env sudo ssh node python python3 perl ruby php deno bun awk sed rm mv dd curl wget
  docker podman kubectl make npx pnpx bunx git-bash osascript tar rsync chmod chown kill`.split(/\s+/),
)

/** Programs with subcommands, and how many words name the action. */
const WORDS: Readonly<Record<string, number>> = {
  git: 2,
  npm: 2,
  pnpm: 2,
  yarn: 2,
  cargo: 2,
  go: 2,
  pip: 2,
  uv: 2,
  poetry: 2,
  gh: 3,
  dotnet: 2,
  bundle: 2,
  mvn: 2,
  gradle: 2,
}

const MAX_GRANT = 200

/** The pattern that a permanent answer stores for a command; null if none would be safe. */
export function grantFor(tool: string, fields: readonly Field[]): Grant | null {
  const [name] = fields
  const text = joinText(fields)
  if (name === undefined || !fields.every(isStatic) || text.includes('*') || text.length > MAX_GRANT)
    return null
  if (/\s/.test(name.text) || name.text === '') return null
  const program = name.text.slice(name.text.lastIndexOf('/') + 1)
  if (shells.has(program) || Object.hasOwn(wrappers, program)) return null
  if (EXACT.has(program) || name.text.includes('/')) return { tool, pattern: text }
  const words = fields.slice(0, wordCount(program, fields)).map((field) => field.text)
  const plain =
    words.every((word) => /^[\w@:./+-]+$/.test(word)) && !words.slice(1).some((word) => word.startsWith('-'))
  return { tool, pattern: plain ? `${words.join(' ')} *` : text }
}

function wordCount(program: string, fields: readonly Field[]): number {
  const count = Object.hasOwn(WORDS, program) ? (WORDS[program] ?? 1) : 1
  const script = /^(run|exec|x)$/.test(fields[1]?.text ?? '') && count > 1
  return Math.min(script ? 3 : count, fields.length)
}
