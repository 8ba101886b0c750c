import type { ChatCompletionRequest } from '@copilotkit/aimock'
import type { ServerAnswer } from '../support/model-server.ts'
import type { Feature } from './features.ts'
import { pick, randomOf } from './random.ts'

/**
 * `append` adds a line to the ledger and syncs it: twice is once too often. `ask` does the same when a person allows it.
 * `put` writes a file, `background` leaves a process behind, `fetch` reads a page, `spawn` starts a subagent. `draft`
 * writes a larger file, and `edit` changes a line of it; `leave` writes a file where a person has to allow it; `rate` is a typed agent as a tool, whose report is JSON.
 */
export type Effect =
  | 'append'
  | 'put'
  | 'background'
  | 'ask'
  | 'fetch'
  | 'spawn'
  | 'draft'
  | 'edit'
  | 'leave'
  | 'rate'

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
  readonly features?: ReadonlySet<Feature>
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

/** A fan-out of subagents with six calls each and more, of which four start one more and four need leave. */
export function storyOf({
  seed,
  children,
  effects,
  background,
  prefix = 'a',
  features,
}: StoryOptions): Story {
  const random = randomOf(seed)
  const wider = randomOf(seed + 5)
  const names = Array.from({ length: children }, (_, at) => `${prefix}${String(at).padStart(2, '0')}`)
  const parts = names.flatMap((name, at) => {
    const chosen = effects ?? [...childEffects(random, at), ...moreEffects(wider, features)]
    const isDeep = features?.has('depth 3') ?? false
    const below = chosen.includes('spawn') ? partsBelow(`${name}g`, isDeep, random) : []
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

/** Of depth 2, and one below it. */
function partsBelow(name: string, isDeep: boolean, random: () => number): Part[] {
  if (!isDeep) return [partOf(name, ['append', 'put'], random)]
  return [partOf(name, ['append', 'spawn', 'put'], random), partOf(`${name}g`, ['append', 'put'], random)]
}

function moreEffects(random: () => number, features: ReadonlySet<Feature> = new Set()): Effect[] {
  const hasFile = random() < 0.5
  const isTyped = random() < 0.3
  const asks = random() < 0.4
  return [
    ...(features.has('files') && hasFile ? (['draft', 'edit'] as const) : []),
    ...(features.has('grants') && asks ? (['leave'] as const) : []),
    ...(features.has('typed') && isTyped ? (['rate'] as const) : []),
  ]
}

function partOf(name: string, effects: readonly Effect[], random: () => number): Part {
  const calls = effects.map((effect, at) => ({ key: `${name}-${at}`, effect }))
  const turns: StoryCall[][] = []
  while (calls.length > 0) {
    const most = 1 + Math.floor(random() * 3)
    // what is edited was written in a turn before
    const edit = calls.findIndex(({ effect }, at) => at > 0 && effect === 'edit')
    turns.push(calls.splice(0, edit > 0 ? Math.min(edit, most) : most))
  }
  return { name, turns }
}

/** What is done by hand in the workspace: each says in a file that it was done, and when it was on the disk. */
const scripts = {
  'append.sh': 'printf "%s\\n" "$1" >> ledger && sync ledger\n',
  'ask.sh': 'printf "%s\\n" "$1" >> ledger && sync ledger\n',
  // The process number, and the time of its start by which it is known for good.
  'background.sh': `setsid sleep 600 > /dev/null 2>&1 < /dev/null &
mkdir -p left
printf "%s %s\\n" "$!" "$(sed 's/.*) //' "/proc/$!/stat" | cut -d ' ' -f 20)" > "left/$1"
`,
}

export const PAGES = 'docs.example.com'

const config = {
  limits: { maxDepth: 2, maxConcurrent: 4 },
  permissions: [
    { tool: 'bash', pattern: 'sh append.sh *', action: 'allow' },
    { tool: 'bash', pattern: 'sh background.sh *', action: 'allow' },
    { tool: 'write', pattern: 'put/*', action: 'allow' },
    { tool: 'write', pattern: 'text/*', action: 'allow' },
    { tool: 'edit', pattern: 'text/*', action: 'allow' },
    { tool: 'webfetch', pattern: PAGES, action: 'allow' },
  ],
}

const RATER = `---
name: rater
description: Rates something.
tools: []
inputSchema:
  type: object
  properties:
    what: { type: string }
  required: [what]
outputSchema:
  type: object
  properties:
    score: { type: integer }
    key: { type: string }
  required: [score, key]
exposeAsTool: { name: rate, maxTurns: 4 }
---
You rate what you are given.
`

/** The money that is not enough, and what is: US dollars. */
export const BUDGET = { little: 0.5, enough: 1_000 }
/** Of one answer, where answers cost anything: about two cents. */
const USAGE = { prompt_tokens: 100, completion_tokens: 200, total_tokens: 300 }
const PRICES = { 'openai-compatible/story': { input: 10, output: 100 } }

/** What a person has in the workspace before anything is started. */
export function workspaceOf(features: ReadonlySet<Feature> = new Set()): Record<string, string> {
  const isShort = features.has('budget')
  const limits = {
    ...config.limits,
    ...(features.has('depth 3') ? { maxDepth: 3 } : {}),
    ...(isShort ? { budgetUsd: BUDGET.little } : {}),
  }
  const all = {
    ...config,
    limits,
    ...(isShort ? { prices: PRICES } : {}),
    ...(features.has('sandbox') ? { sandbox: 'auto' } : {}),
  }
  return {
    ...scripts,
    'offshoot.jsonc': JSON.stringify(all),
    ...(features.has('typed') ? { '.offshoot/agents/rater.md': RATER } : {}),
  }
}

export const reportOf = (name: string): string => `Report of ${name}.`
export const putText = (key: string): string => `Put by ${key}.\n`

/** As it is written, and as it is after the edit of the call that follows. */
export function draftText(key: string, edit?: string): string {
  const head = `Drafted by ${key}.\n${edit === undefined ? STATE : stateOf(edit)}\n`
  return head + 'Nothing of this line is changed.\n'.repeat(LINES)
}

const STATE = 'State: as drafted.'
const stateOf = (edit: string): string => `State: edited by ${edit}.`
const LINES = 1_500
/** Which file an agent drafts and edits. */
/** The folder in which nothing is written unless a person allows it. */
export const LEAVE = 'leave'
export const draftPath = (key: string): string => `text/${key.split('-')[0]}`

/**
 * What the model says: a function of the request alone, so that one that is made again after a crash has the same
 * answer. Who asks stands in the first message, how far it is in the number of answers with calls.
 */
export function answerOf(
  stories: readonly Story[],
  request: ChatCompletionRequest,
  features: ReadonlySet<Feature> = new Set(),
): ServerAnswer {
  const answer = playedOf(stories, request)
  return features.has('budget') ? { ...answer, usage: USAGE } : answer
}

function playedOf(stories: readonly Story[], { messages }: ChatCompletionRequest): ServerAnswer {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content))
  const first = said[0] ?? ''
  const turn = messages.filter(({ role, tool_calls }) => role === 'assistant' && tool_calls?.length).length
  if (said.some((text) => text.includes(OTHER_WAY))) return { text: 'It went another way.' }
  const rated = /what: ([a-z]\d\dg*-\d)/.exec(first)?.[1]
  if (rated) return rating(rated, messages.filter(({ role }) => role === 'assistant').length)
  const story = stories.find(({ opening }) => first.includes(opening))
  if (story) return turn === 0 ? opened(story) : { text: 'All of it was read.' }
  const name = /Work as (\w+)\./.exec(first)?.[1] ?? ''
  const part = stories.map(({ parts }) => parts.get(name)).find((each) => each !== undefined)
  const calls = part?.turns[turn]
  return calls ? { toolCalls: calls.map(toolCall) } : { text: reportOf(name) }
}

/** With this a fork begins, which repeats nothing of the branch that it leaves. */
export const OTHER_WAY = 'Go another way'

/** Every other one is no JSON at first. */
function rating(key: string, turn: number): ServerAnswer {
  const isWrong = turn === 0 && Number(key.at(-1)) % 2 === 0
  return { text: isWrong ? 'About three.' : JSON.stringify({ score: 3, key }) }
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
      return { tool: spelled('write', key), input: { file_path: `put/${key}`, content: putText(key) } }
    case 'fetch':
      return { tool: 'webfetch', input: { url: `http://${PAGES}/${key}` } }
    case 'spawn':
      return task(`${key.split('-')[0]}g`, false)
    case 'draft':
      return { tool: spelled('write', key), input: { file_path: draftPath(key), content: draftText(key) } }
    case 'edit':
      return {
        tool: spelled('edit', key),
        input: { file_path: draftPath(key), old_string: STATE, new_string: stateOf(key) },
      }
    case 'leave':
      return { tool: spelled('write', key), input: { file_path: `${LEAVE}/${key}`, content: putText(key) } }
    case 'rate':
      return { tool: 'rate', input: { what: key } }
  }
}

const SPELLINGS = {
  write: ['write', 'Write', 'write', 'create_file', 'write_file'],
  edit: ['edit', 'MultiEdit', 'edit', 'str_replace', 'Edit'],
} as const

/** Models call tools by names that they know from elsewhere too: a call has the same one each time. */
function spelled(tool: keyof typeof SPELLINGS, key: string): string {
  const names = SPELLINGS[tool]
  return names[[...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % names.length]!
}

/** Whether a call is one of this tool, whatever the model called it. */
export function isCallOf(tool: keyof typeof SPELLINGS, name: string | undefined): boolean {
  return SPELLINGS[tool].some((each) => each === name)
}

function task(name: string, background: boolean) {
  const input = { subagent_type: 'general', description: name, prompt: `Work as ${name}.` }
  return { tool: 'task', input: { ...input, ...(background && { run_in_background: true }) } }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}
