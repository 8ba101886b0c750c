import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory, testContext, tool } from './fixtures/context.ts'
import { buildSetup, pathRows, type PathRow } from './fixtures/paths.ts'
import { parseInput } from './parse-input.ts'
import { ToolError, type Subject, type Workspace } from './port.ts'

test.each(pathRows())('$id $tool: $why', async (row) => {
  await using base = await temporaryDirectory()
  const servers = await buildSetup(base.path, row.setup)
  try {
    const context = testContext(join(base.path, 'repo'))
    const called = tool(row.tool)
    const answers: string[] = []
    const attempt = async () => {
      const input = parseInput(called, inputOf(row, base.path)) as never
      answers.push(decide(called.subject(input), context.workspace))
      await called.execute(input, context)
    }
    // a tool that refuses by itself counts as a deny
    await attempt().catch((error: unknown) => {
      expect(error).toBeInstanceOf(ToolError)
      answers.push('deny')
    })
    expect(answers).toContainEqual(expect.toBeOneOf([...row.accept]))
    expect(await readFile(join(base.path, 'outside/secret'), 'utf8')).toBe('s')
  } finally {
    for (const server of servers) server.close()
  }
})

function inputOf(row: PathRow, base: string): object {
  const path = row.path.replaceAll('{{BASE}}', base)
  if (row.kind === 'pattern') return { pattern: path }
  switch (row.tool) {
    case 'write':
      return { file_path: path, content: 'new' }
    case 'edit':
      return { file_path: path, old_string: 'x', new_string: 'y' }
    case 'glob':
      return { pattern: path.includes('*') ? path : '*', ...(path.includes('*') ? {} : { path }) }
    case 'grep':
      return { pattern: 'x', path }
    default:
      return { file_path: path }
  }
}

/** The strictest decision about the targets of the paths, with rules that allow everything inside the workspace. */
function decide(subjects: readonly Subject[], workspace: Workspace): 'allow' | 'ask' {
  const paths = subjects.map((subject) => workspace.resolve(subject.value))
  return paths.some((path) => path.outside || path.guarded !== null) ? 'ask' : 'allow'
}
