import { agents } from './parsers/agents.ts'
import { toolArguments } from './parsers/arguments.ts'
import { config } from './parsers/config.ts'
import { http } from './parsers/http.ts'
import { jsonl } from './parsers/jsonl.ts'
import { restrictions } from './parsers/restrictions.ts'
import { shell } from './parsers/shell.ts'
import { streams } from './parsers/streams.ts'
import type { Target } from './target.ts'

export const TARGETS = [
  config,
  agents,
  restrictions,
  jsonl,
  toolArguments,
  streams,
  http,
  shell,
] as unknown as readonly Target[]

/** @throws Error that lists what there is. */
export function targetNamed(name: string): Target {
  const target = TARGETS.find((each) => each.name === name)
  if (target) return target
  throw new Error(`there is no parser ${name}; there are ${TARGETS.map((each) => each.name).join(', ')}`)
}
