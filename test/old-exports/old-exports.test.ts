import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { transcriptLines } from '../../src/cli/terminal/transcript-lines.ts'
import { buildContext } from '../../src/core/build-context.ts'
import { authorOfMessage, textOf, type Part } from '../../src/core/message.ts'
import { documentText } from '../../src/export/document-text.ts'
import { branchesOf, type ExportDocument, type PlacedBranch } from '../../src/export/document.ts'
import { exportConversation } from '../../src/export/export-conversation.ts'
import { countedIds } from '../../src/export/fixtures/conversations.ts'
import { documentHtml } from '../../src/export/html.ts'
import { importConversation } from '../../src/export/import-conversation.ts'
import { documentMarkdown } from '../../src/export/markdown.ts'
import { parseExport } from '../../src/export/parse-export.ts'
import { readMessages } from '../../src/runtime/run/messages.ts'
import { callFactsIn } from '../../src/runtime/views/call-facts.ts'
import { createMemoryStore } from '../../src/store/memory.ts'

const DOCUMENTS = join(import.meta.dirname, 'documents')
const names = readdirSync(DOCUMENTS)

const COUNTED = 'I counted <two>.\n\n> a quote'

async function opened(name: string) {
  const before = parseExport(readFileSync(join(DOCUMENTS, name), 'utf8'))
  const store = createMemoryStore()
  const id = await importConversation(store, before, countedIds(0))
  return { before, store, id, document: exportConversation(store, id) }
}

/** What a model reads of the messages of a branch that inherits nothing. */
function told({ branch, messages }: PlacedBranch): string[] {
  const branchId = branch!.id
  const rows = messages.map(({ state = 'complete', runId = null, usage = null, created, ...message }, i) => {
    return { ...message, state, runId, usage, branchId, position: i, createdAt: created }
  })
  const tree = {
    branches: new Map([[branchId, { id: branchId, inheritContext: false } as never]]),
    messages: () => rows,
  }
  return buildContext(tree, branchId).flatMap(({ parts }) => parts.map(textOfPart))
}

function textOfPart(part: Part): string {
  return part.type === 'tool-result' ? part.output.text : textOf([part])
}

const branchNamed = (document: ExportDocument, label: string) =>
  [...branchesOf(document)].find(({ branch }) => branch?.metadata.label === label)!

describe.each(names)('the document %s', (name) => {
  test('says in every view what the subagents reported, and never what was put around it for a model', async () => {
    const { store, document } = await opened(name)
    const log = [...branchesOf(document)]
      .flatMap(({ branch }) =>
        transcriptLines(readMessages(store, branch!.id), { agent: 'main', factsOf: callFactsIn(store) }),
      )
      .join('\n')
    for (const text of [documentMarkdown(document), documentHtml(document), log])
      expect(text).not.toMatch(/subagent_(report|receipts)|It is paused, not done/)
    expect(log).toContain('Report of general: completed (plants')
    expect(log).toContain('I counted <two>.\n\n    > a quote')
    expect(documentMarkdown(document)).toContain('> I counted <two>.\n>\n> > a quote')
  })

  test('has its reports as parts, each with its run', async () => {
    const { document } = await opened(name)
    const parts = document.messages.flatMap((message) => message.parts)
    const reports = parts
      .filter((part) => part.type === 'report')
      .filter(({ report }) => report.agent !== 'explore')
    expect(reports.toSorted((a, b) => a.report.agent.localeCompare(b.report.agent))).toMatchObject([
      { text: COUNTED, report: { agent: 'general', status: 'completed', figures: { turns: 2 } } },
      { report: { agent: 'reviewer', status: 'paused', endReason: 'max_turns' } },
    ])
  })

  test('has runs with turns of their own', async () => {
    const { before, document } = await opened(name)
    for (const { branch } of branchesOf(document)) {
      const turns = branch!.metadata.runs.map((run) => run.turns)
      const of = [...branchesOf(before)].find((each) => each.branch!.id === branch!.id)!
      const told = of.messages.filter(({ role, runId }) => role === 'assistant' && runId)
      const conclusions = branch!.metadata.state === 'max_iterations' ? 1 : 0
      expect(turns.reduce((sum, each) => sum + each, conclusions)).toBe(told.length)
      expect(branch!.metadata.iterations).toBe(told.length - conclusions)
    }
  })

  test('says who wrote each text: the person, the agent that gave a task', async () => {
    const { document } = await opened(name)
    const asked = document.messages.find(({ role }) => role === 'user')!
    expect(authorOfMessage({ ...asked, runId: asked.runId ?? null })).toBe('person')
    for (const label of ['place', 'plants', 'weeds']) {
      const found = branchNamed(document, label) as PlacedBranch | undefined
      const task = found?.messages.find(({ role }) => role === 'user')
      if (task)
        expect(task.parts[0]).toMatchObject({ author: { agent: 'main', branchId: document.main!.id } })
    }
  })

  test('is to a model what it was', async () => {
    const { before, document } = await opened(name)
    const [old, now] = [before, document].map((each) => [...branchesOf(each)].map(told))
    expect(now).toEqual(old)
    expect(old!.length).toBeGreaterThan(3)
  })

  test('is equal to the byte from then on', async () => {
    const { document } = await opened(name)
    const store = createMemoryStore()
    const id = await importConversation(store, parseExport(documentText(document)), countedIds(0))
    expect(documentText(exportConversation(store, id))).toBe(documentText(document))
  })
})

test('a branch that was continued twice has 2, 2 and 1 turns: it shows 5, and is exported as 5', async () => {
  const { before, document } = await opened('11.json')
  const explore = (of: ExportDocument) =>
    [...branchesOf(of)].find(({ branch }) => branch!.metadata.agent === 'explore')!.branch!.metadata
  const turns = (of: ExportDocument) =>
    explore(of)
      .runs.map((run) => `${run.turns}/${run.limits.maxTurns}`)
      .join(' ')
  expect(turns(before)).toBe('2/15 4/17 5/19')
  expect(turns(document)).toBe('2/15 2/15 1/15')
  expect(explore(document)).toMatchObject({ iterations: 5, maxIterations: 19 })
  const main = document.main!.metadata.runs.map((run) => run.turns)
  expect(main).toEqual(before.main!.metadata.runs.map((run) => run.turns))
  expect([before.version, document.version]).toEqual([1, 2])
})
