import { workingTools } from '../core/rules/tool-names.ts'
import { z } from 'zod'
import { defineTool, describeTool } from './define-tool.ts'
import type { AnyTool, TodoItem, ToolContext } from './port.ts'

const inputSchema = z.lazy(() => {
  const item = z.object({
    text: z.string().min(1).max(1_000).describe('what is to be done'),
    status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']).default('pending'),
  })
  return z.object({
    items: z
      .array(item)
      .max(200)
      .optional()
      .describe('the whole new list; leave it out to see the current one'),
  })
})

type Input = z.infer<typeof inputSchema>

/** `todo {items?}`: replaces or shows the plan of this branch. */
export function todoTool(): AnyTool {
  return defineTool<Input, readonly TodoItem[]>({
    name: 'todo',
    toolset: 'planning',
    description: describeTool('todo.txt'),
    inputSchema,
    effects: 'none',
    idempotent: true,
    aliases: workingTools.todo.aliases,
    inputAliases: { todos: 'items', plan: 'items', content: 'text', step: 'text', task: 'text' },
    subject: () => [],
    title: ({ items }) => (items ? `Todo: ${items.length} items, ${doneOf(items)} done` : 'Todo'),
    execute,
    toModelOutput: (items) => ({ text: render(items) }),
  })
}

async function execute(input: Input, context: ToolContext): Promise<readonly TodoItem[]> {
  if (input.items) await context.todos.replace(input.items)
  return context.todos.list()
}

function doneOf(items: readonly TodoItem[]): number {
  return items.filter((item) => item.status === 'completed').length
}

const MARKS: Readonly<Record<TodoItem['status'], string>> = {
  pending: ' ',
  in_progress: '>',
  completed: 'x',
  cancelled: '-',
}

function render(items: readonly TodoItem[]): string {
  if (items.length === 0) return '(the list is empty)'
  return items.map((item, index) => `${index + 1}. [${MARKS[item.status]}] ${item.text}`).join('\n')
}
