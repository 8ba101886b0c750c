import type { ChatCompletionRequest } from '@copilotkit/aimock'
import type { ServerAnswer } from '../support/model-server.ts'
import { pick, randomOf } from './random.ts'

/**
 * `append` adds a line to the ledger and syncs it: twice is once too often. `ask` does the same when a person allows it.
 * `put` writes a file, `background` leaves a process behind, `fetch` reads a page, `spawn` starts a subagent.
 */
export type Effect = 'append' | 'put' | 'background' | 'ask' | 'fetch' | 'spawn'

export interface StoryCall {
  /** Names the call among all of a story. */
  readonly key: string
  readonly effect: Effect
}

/** What one agent does: the calls of each of its turns, and then its report. */
export interface Part {
  readonly name: string
  readonly turns: readonly (readonly StoryCall[])[]
}

export interface StoryOptions {
  readonly seed: number
  readonly children: number
  /** The calls of each child, in place of those that the seed chooses. */
  readonly effects?: readonly Effect[]
  /** Default: every third. */
  readonly background?: 'all'
  /** Names begin with it: two stories may share a store. */
  readonly prefix?: string
}

export interface Story {
  readonly opening: string
  readonly parts: ReadonlyMap<string, Part>
  /** Those whose reports come by the inbox. */
  readonly inBackground: ReadonlySet<string>
}

const CALLS = 6
const GRANDCHILDREN = 4
const ASKING = 4

/** A fan-out of subagents with six calls each, of which four start one more and four need leave. */
export function storyOf({ seed, children, effects, background, prefix = 'a' }: StoryOptions): Story {
  const random = randomOf(seed)
  const names = Array.from({ length: children }, (_, at) => `${prefix}${String(at).padStart(2, '0')}`)
  const parts = names.flatMap((name, at) => {
    const chosen = effects ?? childEffects(random, at)
    const below = chosen.includes('spawn') ? [partOf(`${name}g`, ['append', 'put'], random)] : []
    return [partOf(name, chosen, random), ...below]
  })
  const inBackground = new Set(names.filter((_, at) => background === 'all' || at % 3 === 2))
  return { opening: `Go as ${prefix}.`, parts: new Map(parts.map((part) => [part.name, part])), inBackground }
}

function childEffects(random: () => number, at: number): Effect[] {
  const special: Effect[] = at < GRANDCHILDREN ? ['spawn'] : at < GRANDCHILDREN + ASKING ? ['ask'] : []
  const rest = Array.from({ length: CALLS - special.length }, () =>
    pick(random, ['append', 'append', 'put', 'background', 'fetch'] as const),
  )
  const place = Math.floor(random() * CALLS)
  return [...rest.slice(0, place), ...special, ...rest.slice(place)]
}

function partOf(name: string, effects: readonly Effect[], random: () => number): Part {
  const calls = effects.map((effect, at) => ({ key: `${name}-${at}`, effect }))
  const turns: StoryCall[][] = []
  while (calls.length > 0) turns.push(calls.splice(0, 1 + Math.floor(random() * 3)))
  return { name, turns }
}

/** What is done by hand in the workspace: each says in a file that it was done, and when it was on the disk. */
export const scripts = {
  'append.sh': 'printf "%s\\n" "$1" >> ledger && sync ledger\n',
  'ask.sh': 'printf "%s\\n" "$1" >> ledger && sync ledger\n',
  // The process number, and the time of its start by which it is known for good.
  'background.sh': `setsid sleep 600 > /dev/null 2>&1 < /dev/null &
mkdir -p left
printf "%s %s\\n" "$!" "$(sed 's/.*) //' "/proc/$!/stat" | cut -d ' ' -f 20)" > "left/$1"
`,
}

export const PAGES = 'docs.example.com'

export const config = {
  limits: { maxDepth: 2, maxConcurrent: 4 },
  permissions: [
    { tool: 'bash', pattern: 'sh append.sh *', action: 'allow' },
    { tool: 'bash', pattern: 'sh background.sh *', action: 'allow' },
    { tool: 'write', pattern: 'put/*', action: 'allow' },
    { tool: 'webfetch', pattern: PAGES, action: 'allow' },
  ],
}

export const reportOf = (name: string): string => `Report of ${name}.`
export const putText = (key: string): string => `Put by ${key}.\n`

/**
 * What the model says: a function of the request alone, so that one that is made again after a crash has the same
 * answer. Who asks stands in the first message, how far it is in the number of answers with calls.
 */
export function answerOf(stories: readonly Story[], { messages }: ChatCompletionRequest): ServerAnswer {
  const first = textOf(messages.find(({ role }) => role === 'user')?.content)
  const turn = messages.filter(({ role, tool_calls }) => role === 'assistant' && tool_calls?.length).length
  const story = stories.find(({ opening }) => first.includes(opening))
  if (story) return turn === 0 ? opened(story) : { text: 'All of it was read.' }
  const name = /Work as (\w+)\./.exec(first)?.[1] ?? ''
  const part = stories.map(({ parts }) => parts.get(name)).find((each) => each !== undefined)
  const calls = part?.turns[turn]
  return calls ? { toolCalls: calls.map(toolCall) } : { text: reportOf(name) }
}

function opened({ parts, inBackground }: Story): ServerAnswer {
  const children = [...parts.keys()].filter((name) => !name.endsWith('g'))
  return { toolCalls: children.map((name) => task(name, inBackground.has(name))) }
}

function toolCall({ key, effect }: StoryCall) {
  switch (effect) {
    case 'append':
    case 'ask':
    case 'background':
      return { tool: 'bash', input: { command: `sh ${effect}.sh ${key}` } }
    case 'put':
      return { tool: 'write', input: { file_path: `put/${key}`, content: putText(key) } }
    case 'fetch':
      return { tool: 'webfetch', input: { url: `http://${PAGES}/${key}` } }
    case 'spawn':
      return task(`${key.split('-')[0]}g`, false)
  }
}

function task(name: string, background: boolean) {
  const input = { subagent_type: 'general', description: name, prompt: `Work as ${name}.` }
  return { tool: 'task', input: { ...input, ...(background && { run_in_background: true }) } }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}
