import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { citationsIn, type Citation } from '../../src/model/offline/citation.ts'
import { createOfflineModel } from '../../src/model/offline/offline-model.ts'
import { useFileTool } from './file-tools.ts'

const MAX_TURNS = 8
const FILE_TOOLS = ['read', 'list', 'glob', 'grep']

type TaskOutput = { type: 'text' | 'error-text'; value: string }

export interface Driven {
  readonly text: string
  readonly tasks: readonly Record<string, unknown>[]
  readonly messages: LanguageModelV4Prompt
}

export interface DriveOptions {
  readonly agent?: string
  /** What came before the question. */
  readonly before?: LanguageModelV4Prompt
  readonly delegates?: boolean
  readonly tools?: readonly string[]
  /** In place of a subagent that searches. */
  readonly runTask?: () => Promise<TaskOutput>
  /** What every file tool fails with. */
  readonly failure?: string
}

/** A directory that the offline model searches with the real tools. */
export class OfflineWorkspace {
  readonly root: string

  constructor(root: string) {
    this.root = root
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.root, path)), { recursive: true })
      await writeFile(join(this.root, path), text)
    }
  }

  /** Plays the loop: turns of the model over the tools, subagents included, until it makes no more calls. */
  async ask(question: string, options: DriveOptions = {}): Promise<Driven> {
    const { agent = 'main', before = [], delegates = true, tools: names = FILE_TOOLS } = options
    const offered = [...names, ...(delegates ? ['task'] : [])]
    const prompt = [...before, user(question)]
    const tasks: Record<string, unknown>[] = []
    for (let turn = 1; turn <= MAX_TURNS; turn++) {
      const { text, calls } = await turnOf(prompt, agent, offered)
      prompt.push({ role: 'assistant', content: [{ type: 'text', text }, ...calls] })
      if (calls.length === 0) return { text, tasks, messages: prompt }
      tasks.push(...calls.filter(({ toolName }) => toolName === 'task').map(({ input }) => input))
      const results = calls.map(async ({ toolCallId, toolName, input }) => {
        const output =
          toolName === 'task' ? this.#report(input, options) : this.#use(toolName, input, options)
        return { type: 'tool-result' as const, toolCallId, toolName, output: await output }
      })
      prompt.push({ role: 'tool', content: await Promise.all(results) })
    }
    throw new Error(`not done after ${MAX_TURNS} turns`)
  }

  async #report(input: Record<string, unknown>, { runTask, failure }: DriveOptions): Promise<TaskOutput> {
    if (runTask) return runTask()
    const { text } = await this.ask(String(input['prompt']), {
      agent: String(input['subagent_type']),
      delegates: false,
      ...(failure === undefined ? {} : { failure }),
    })
    const value = `<subagent_report agent="explore" status="completed">\n${text}\n</subagent_report>`
    return { type: 'text', value }
  }

  async #use(name: string, input: Record<string, unknown>, { failure }: DriveOptions): Promise<TaskOutput> {
    if (failure !== undefined) return { type: 'error-text', value: failure }
    try {
      return { type: 'text', value: await useFileTool(this.root, name, input) }
    } catch (error) {
      return { type: 'error-text', value: String(error) }
    }
  }

  /** The citations of an answer. @throws Error where one is not a literal piece of its line, or too short to be found. */
  async trueCitations(text: string): Promise<Citation[]> {
    const cited = citationsIn(text)
    for (const { path, line, excerpt } of cited) {
      const found = await this.lineAt(path, line)
      if (found?.includes(excerpt) !== true || excerpt.length < 8)
        throw new Error(`${path}:${line} is ${JSON.stringify(found)}, not ${JSON.stringify(excerpt)}`)
    }
    return cited
  }

  async lineAt(path: string, line: number): Promise<string | undefined> {
    return (await readFile(join(this.root, path), 'utf8')).split('\n')[line - 1]
  }
}

async function turnOf(prompt: LanguageModelV4Prompt, agent: string, offered: readonly string[]) {
  const { content } = await createOfflineModel().doGenerate({
    prompt,
    tools: offered.map((name) => ({ type: 'function' as const, name, inputSchema: {} })),
    providerOptions: { offshoot: { agent, depth: offered.includes('task') ? 0 : 1 } },
  })
  return {
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    calls: content.flatMap((part) =>
      part.type === 'tool-call'
        ? [{ ...part, input: JSON.parse(part.input) as Record<string, unknown> }]
        : [],
    ),
  }
}

function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] }
}
