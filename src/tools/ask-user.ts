import { workingTools } from '../core/rules/tool-names.ts'
import { z } from 'zod'
import { defineTool, describeTool, titleLine } from './define-tool.ts'
import { ToolError, type AnyTool, type PersonQuestion, type ToolContext } from './port.ts'

const MAX_QUESTION_CHARS = 4_000
const MAX_OPTION_CHARS = 500
const MAX_OPTIONS = 10

const inputSchema = z.lazy(() => {
  const said = z.string().refine((text) => text.trim() !== '', 'must not be empty')
  return z.object({
    question: said.max(MAX_QUESTION_CHARS).describe('what has to be decided'),
    options: z
      .array(said.max(MAX_OPTION_CHARS))
      .max(MAX_OPTIONS)
      .default([])
      .describe('answers to choose from; the person may give another one'),
  })
})

/** `ask_user {question, options?}`: asks the person and returns the answer as text. */
export function askUserTool(): AnyTool {
  return defineTool<PersonQuestion, string>({
    name: 'ask_user',
    toolset: 'people',
    description: describeTool('ask-user.txt'),
    inputSchema,
    effects: 'none',
    idempotent: true,
    asksPerson: true,
    aliases: workingTools.ask_user.aliases,
    inputAliases: { text: 'question', prompt: 'question', message: 'question', choices: 'options' },
    subject: () => [],
    title: ({ question }) => titleLine(`Ask: ${question}`),
    execute,
    toModelOutput: (text) => ({ text }),
  })
}

async function execute(question: PersonQuestion, { ask }: ToolContext): Promise<string> {
  if (ask) return await ask(question)
  throw new ToolError('unattended', 'nobody can answer here (unattended)')
}
