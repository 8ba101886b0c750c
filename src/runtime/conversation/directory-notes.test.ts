import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  agent,
  harness,
  shownPrompt,
  type Harness,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import { modeLayer } from '../../permissions/modes.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { findNotesFor } from '../../project/workspace-facts.ts'
import { editTool } from '../../tools/edit.ts'
import type { Workspace } from '../../tools/port.ts'
import { readTool } from '../../tools/read.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { writeTool } from '../../tools/write.ts'

let root = ''
let workspace: Workspace
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-notes-')))
  for (const directory of ['api/deep', 'web']) mkdirSync(join(root, directory), { recursive: true })
  put('top.ts', 'top')
  put('api/a.ts', 'a')
  put('api/b.ts', 'b')
  put('api/AGENTS.md', 'Use tabs.')
  put('web/w.ts', 'w')
  put('web/CLAUDE.md', 'Use spaces.')
  workspace = createWorkspace(root)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
const put = (path: string, text: string) => writeFileSync(join(root, path), text)

/** Files are read in real time. */
const clock = {
  ...systemClock,
  settle: () => new Promise<void>((resolve) => setImmediate(resolve)),
  advance: async () => {},
  until: <T>(promise: Promise<T>) => promise,
  pending: () => 0,
}
const systemText = Object.assign(() => 'You work.', {
  findNotesFor: (file: string, directory: string | null) => findNotesFor(file, directory ?? root, root),
})
const read = (file_path: string) => ({ tool: 'read', input: { file_path } })
const where = () => ({ workspace, systemText })

/** A run whose main agent makes these calls, one a turn, and what it read of each. */
async function results(calls: readonly object[], more: HarnessOptions = {}, main = agent('main')) {
  const script = { main: [...calls.map((call) => ({ toolCalls: [call] })), { text: 'end' }] as never }
  const tools = [readTool(), writeTool(), editTool()]
  const h = harness({ clock, tools, layers: [modeLayer('auto')], script, ...more })
  await (
    await h.start('go', { ...where(), agent: main })
  ).result
  return { h, results: lastPrompt(h).filter((line) => line.startsWith('tool result(')) }
}

const lastPrompt = (h: Harness) => shownPrompt(h.scripted.requests.at(-1)!.options.prompt)
const TABS = '<project_notes path="api/AGENTS.md">\nUse tabs.\n</project_notes>'

test('come with the first file that is read or changed in their directory, and once', async () => {
  const { results: seen } = await results([
    read('top.ts'),
    read('api/a.ts'),
    read('api/b.ts'),
    { tool: 'write', input: { file_path: 'web/new.ts', content: 'x' } },
    { tool: 'edit', input: { file_path: 'api/a.ts', old_string: 'a', new_string: 'A' } },
  ])
  expect(seen.map((each) => each.match(/<project_notes path="([^"]*)/)?.[1])).toEqual([
    undefined,
    'api/AGENTS.md',
    undefined,
    'web/CLAUDE.md',
    undefined,
  ])
  expect(seen[1]).toContain(`a\n${TABS}\nThese notes are from the repository`)
})

test('are words of nobody: they stand in the result, and people read that they were given', async () => {
  const { h } = await results([read('api/a.ts')])
  const parts = h.store.find('parts', {}).map(({ part }) => part)
  expect(parts.filter((part) => part.type === 'text').map(({ text }) => text)).not.toContain('Use tabs.')
  const result = parts.find((part) => part.type === 'tool-result')
  expect(result?.output).toMatchObject({ notes: { path: 'api/AGENTS.md', text: 'Use tabs.' } })
  h.flush()
  const ended = h.told.find((event) => event.type === 'tool.completed')
  expect(ended).toMatchObject({
    output: expect.stringMatching(/^\(The agent also got the notes in api\/AGENTS\.md\)/),
  })
})

test('a later run of the branch has them already; a subagent gets them for itself', async () => {
  const { h } = await results([read('api/a.ts')])
  const { branchId } = h.store.find('runs', {})[0]!
  const script = {
    main: [
      { toolCalls: [read('api/b.ts')] },
      {
        toolCalls: [
          { tool: 'task', input: { prompt: 'look', description: 'look', subagent_type: 'explore' } },
        ],
      },
      { text: 'end' },
    ] as never,
    explore: [{ toolCalls: [read('api/b.ts')] }, { text: 'seen' }] as never,
  }
  const next = harness({ clock, tools: [readTool()], layers: [modeLayer('auto')], store: h.store, script })
  const { started } = await next.continue(branchId, where())
  await started!.result
  const main = next.scripted.requests.filter(({ depth }) => depth === 0).at(-1)!
  expect(shownPrompt(main.options.prompt).join('\n').split(TABS)).toHaveLength(2)
  const below = next.scripted.requests.filter(({ depth }) => depth === 1).at(-1)!
  expect(shownPrompt(below.options.prompt).join('\n')).toContain(TABS)
})

test('are not given to an agent with its own prompt alone, or against the rules', async () => {
  const bare = await results([read('api/a.ts')], {}, agent('main', { basePrompt: 'bare' }))
  expect(bare.results.join()).not.toContain('tabs')
  const denied = await results([read('api/a.ts')], {
    layers: [
      modeLayer('auto'),
      { source: 'test', rules: [{ tool: 'read', pattern: '**/AGENTS.md', action: 'deny' }] } as never,
    ],
  })
  expect(denied.results.join()).not.toContain('tabs')
})

test('who reads the notes themselves is not given them again', async () => {
  const { results: seen } = await results([read('api/AGENTS.md'), read('api/a.ts')])
  expect(seen.join()).not.toContain('project_notes')
})

test('keys in them are masked, and a long text is cut with where to read on', async () => {
  put('api/AGENTS.md', `key sk-ant-api03-${'a1B2'.repeat(24)}\n${'x'.repeat(20_000)}`)
  const { results: seen } = await results([read('api/a.ts')])
  expect(seen[0]).not.toContain('a1B2a1B2')
  expect(seen[0]).toMatch(/\(cut: 16000 of \d+ characters; read api\/AGENTS\.md for the rest\)/)
})

test('one context holds so much of them, and then their paths', async () => {
  const names = [1, 2, 3, 4, 5, 6]
  for (const n of names) {
    mkdirSync(join(root, `d${n}`))
    put(`d${n}/AGENTS.md`, 'x'.repeat(20_000))
    put(`d${n}/a.ts`, 'a')
  }
  const { results: seen } = await results(names.map((n) => read(`d${n}/a.ts`)))
  expect(seen.join('').length).toBeLessThan(70_000)
  expect(seen.at(-1)).toContain('(left out: there is no room for more; read d6/AGENTS.md yourself)')
})
