import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../../src/core/json.ts'
import { ignoreLateRejection } from '../../../src/core/rejections.ts'
import { createTaskTool } from '../../../src/runtime/delegation/task-tool.ts'
import { createTaskTexts } from '../../../src/runtime/task/task-texts.ts'
import { builtinTools } from '../../../src/tools/builtin-tools.ts'
import { parseInput } from '../../../src/tools/parse-input.ts'
import { ToolError, type AnyTool } from '../../../src/tools/port.ts'
import { mutatedJson, mutatedText } from '../mutate.ts'
import { checkMessage } from '../properties.ts'
import { Finding, hold, type Target } from '../target.ts'

type Input = { readonly tool: string; readonly input: Json }

/** Inputs that each tool takes, in the spellings of several models. */
const SEEDS: Readonly<Record<string, readonly Json[]>> = {
  read: [
    { file_path: 'src/a.ts', offset: 3, limit: 80 },
    { path: 'a', offset: '1' },
  ],
  write: [{ file_path: 'a.txt', content: 'one\ntwo' }],
  edit: [
    { file_path: 'a', edits: [{ old_string: 'a', new_string: 'b', replace_all: true }] },
    { path: 'a', old_string: 'a', new_string: 'b' },
  ],
  list: [{ path: '.' }, {}],
  glob: [{ pattern: '**/*.ts', path: 'src' }],
  grep: [{ pattern: 'a(b|c)+', path: '.', glob: '*.ts', output_mode: 'content', '-n': true }],
  bash: [{ command: 'ls -la', timeout_ms: 1_000, description: 'lists' }],
  todo: [{ todos: [{ text: 'a', status: 'pending' }] }],
  ask_user: [{ question: 'Which?', options: ['a', 'b'] }],
  webfetch: [{ url: 'https://example.com/a?b#c', format: 'markdown' }],
  task: [
    {
      prompt: 'look',
      description: 'looks',
      subagent_type: 'explore',
      run_in_background: 'true',
      max_turns: '3',
    },
    { continue: 'brn_1', prompt: 'go on' },
    {
      task: 'x',
      history: 'none',
      context_files: ['a'],
      tools: { files: true },
      allowed_tools: ['read'],
      permissions: [{ tool: 'bash', pattern: 'ls *', action: 'deny' }],
      output_schema: { type: 'object', properties: { a: { type: 'string' } } },
      model: 'small',
      effort: 'low',
      directory: 'src',
      timeout_ms: 5,
    },
  ],
}

const task = createTaskTool(createTaskTexts(), [], () => Promise.reject(new Error('it is not run')))
const TOOLS: readonly AnyTool[] = [...builtinTools(), task as unknown as AnyTool]
const DICTIONARY = Object.values(SEEDS)
  .flat()
  .flatMap((seed) => Object.entries(seed as object).flat())
  .filter((each) => typeof each === 'string')
  .concat(['true', 'FALSE', ' 3 ', '[1]', '{"a":1}', 'null', '"text"', 'allowedTools', 'readonly'])

const MAX_MESSAGE = 2_000
/** There are no files here: a tool says what it can of its input alone. */
const NO_FILES = {} as never

/** What models send as the input of a tool. */
export const toolArguments: Target<Input> = {
  name: 'arguments',
  limitMs: 250,
  fixed: ['tool'],
  generate(random) {
    const tool = random.pick(TOOLS).name
    const seed = random.pick(SEEDS[tool] ?? [{}])
    const changed = mutatedJson(random, seed, DICTIONARY)
    if (random.chance(0.7)) return { tool, input: changed }
    const corpus = [JSON.stringify(changed), JSON.stringify(JSON.stringify(seed))]
    return { tool, input: mutatedText(random, { corpus, dictionary: DICTIONARY }) }
  },
  run({ tool: name, input }) {
    const tool = TOOLS.find((each) => each.name === name)
    if (!tool) throw new Error(`there is no tool ${name}`)
    const before = JSON.stringify(input)
    const read = readInput(tool, input)
    hold(JSON.stringify(input) === before, 'changes what was sent', () => before)
    if (typeof input === 'object') {
      const asText = readInput(tool, before)
      const isSame = isDeepStrictEqual(asText, read)
      hold(isSame || 'refused' in read === 'refused' in asText, 'is another as text', () =>
        JSON.stringify([read, asText]),
      )
      hold(isSame || 'refused' in read, 'is another as text', () => JSON.stringify([read, asText]))
    }
    if ('refused' in read) return
    checkUse(tool, read.value)
    if (tool.name === 'task') return // what it reads is not what it is sent
    const again = readInput(tool, read.value)
    hold(isDeepStrictEqual(again, read), 'is another when it is read again', () =>
      JSON.stringify([read, again]),
    )
  },
}

type Read = { readonly value: unknown } | { readonly refused: string }

function readInput(tool: AnyTool, input: unknown): Read {
  try {
    return { value: parseInput(tool, input) }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'invalid_input') throw error
    hold(error.message.length <= MAX_MESSAGE, 'the error is too long', () => `${error.message.length}`)
    hold(error.message.includes(tool.name), 'the error names no tool', () => error.message)
    checkMessage(error.message, 'the error')
    return { refused: error.message }
  }
}

/** What is asked of a tool before it runs. */
function checkUse(tool: AnyTool, value: unknown): void {
  for (const { kind, value: subject } of tool.subject(value as never))
    hold(typeof subject === 'string', 'a subject is no text', () => `${kind} ${typeof subject}`)
  const title = tool.title(value as never)
  if (title.includes('\n') || title.length > MAX_MESSAGE) throw new Finding('a title is no line', title)
  ignoreLateRejection(Promise.resolve(tool.detail?.(value as never, NO_FILES)))
}
