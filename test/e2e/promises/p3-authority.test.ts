import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mechanism } from '../../support/faults.ts'
import {
  bash,
  eventsOf,
  ScriptedTree,
  task,
  untilEvent,
  waits,
  WAITS_ALLOWED,
  type TreeOptions,
} from '../../support/scripted-tree.ts'

describe('P3: a subagent at depth 3', () => {
  it('does what all above it may do, and what a person answers once, asked with its path', async () => {
    expect(await asksAPerson()).toEqual([])
  })

  it('fails without the chain of authority: it does what an agent above it may not', async () => {
    expect(await asksAPerson('authority-chain')).toEqual([
      'it has run a command that an agent above may not run',
      'it has written with a tool that an agent above does not have',
    ])
  })

  it('fails without attribution: nobody can say who asks', async () => {
    expect(await asksAPerson('attribution')).toEqual(['the question is of worker'])
  })

  it('fails without one answer that counts: a later one is taken too', async () => {
    expect(await asksAPerson('answer-once')).toEqual([
      'a second answer is taken: exit 0',
      'the answers are once, deny',
    ])
  })

  it('is denied at once where nobody can answer, and its next turn knows', async () => {
    expect(await asksNobody()).toEqual([])
  })

  it('fails without attendance: it waits for an answer that nobody can give', async () => {
    expect(await asksNobody('attendance')).toEqual([
      'it has asked, and nobody is there',
      'its next turn does not know that nobody can answer',
      'nobody is told of a denial: exit 0',
    ])
  })
})

/** The agent in the middle may do less than the main agent, and the one below it claims to be allowed everything. */
const AGENTS = {
  '.offshoot/agents/lead.md': agent('lead', 'spawns: [middle]'),
  '.offshoot/agents/middle.md': agent(
    'middle',
    'spawns: [worker]',
    'disallowedTools: [write]',
    'permissions: [{ tool: bash, pattern: "touch forbidden.txt", action: deny }]',
  ),
  '.offshoot/agents/worker.md': agent('worker', 'permissions: [{ tool: "*", action: allow }]'),
}

type Calls = readonly { readonly tool: string; readonly input: unknown }[]

function agent(name: string, ...fields: string[]): string {
  return ['---', `name: ${name}`, `description: The ${name}.`, ...fields, '---', 'You work.', ''].join('\n')
}

const CONFIG = {
  permissions: [
    { tool: 'bash', pattern: 'touch forbidden.txt', action: 'allow' },
    { tool: 'write', action: 'allow' },
    WAITS_ALLOWED,
  ],
}

function openTree(work: readonly Calls[], limits: object, off: TreeOptions['off']) {
  const starts = (name: string) => task(name, { subagent_type: name })
  return ScriptedTree.open(
    {
      'Go.': [{ toolCalls: [starts('lead')] }, { text: 'Done.' }],
      'Do lead.': [{ toolCalls: [starts('middle')] }, { text: 'Led.' }],
      'Do middle.': [{ toolCalls: [starts('worker')] }, { text: 'Passed on.' }],
      'Do worker.': [...work.map((toolCalls) => ({ toolCalls })), { text: 'Worked.' }],
    },
    { config: { ...CONFIG, limits: { maxDepth: 3, ...limits } }, files: AGENTS, off },
  )
}

async function asksAPerson(off?: Mechanism): Promise<string[]> {
  const write = { tool: 'write', input: { file_path: 'written.txt', content: 'x' } }
  const work = [[bash('touch forbidden.txt'), write], [bash('touch asked.txt')], [waits('end')]]
  await using tree = await openTree(work, {}, off)
  const { user } = tree
  const program = tree.go('--approvals', 'wait')
  const asked = await untilEvent(program, ({ type }) => type === 'approval.requested')
  expect(asked).toMatchObject({ depth: 3, title: '$ touch asked.txt', position: 1, of: 1 })
  const id = String(asked['approvalId'])
  const shown = await user.call(['approve', id])
  expect(shown).toMatchObject({ code: 2, stdout: expect.stringContaining('touch asked.txt') })
  expect(existsSync(join(user.directory, 'asked.txt'))).toBe(false)
  expect(await user.call(['approve', id, 'once'])).toMatchObject({ code: 0 })
  const second = await user.call(['approve', id, 'deny'])
  tree.release('end')
  expect(await program.ended).toMatchObject({ code: 0 })

  const path = (asked['path'] as string[]).join(' > ')
  const answered = eventsOf(program).filter(({ type }) => type === 'approval.answered')
  const answers = answered.map(({ answer }) => answer).join(', ')
  const is = (name: string) => existsSync(join(user.directory, name))
  return [
    ...(path === 'main > lead > middle > worker' ? [] : [`the question is of ${path}`]),
    ...(second.code === 1 && second.stderr.includes('already answered: once, by offshoot approve')
      ? []
      : [`a second answer is taken: exit ${second.code}`]),
    ...(answers === 'once' ? [] : [`the answers are ${answers}`]),
    ...(is('asked.txt') ? [] : ['it has not done what a person allowed']),
    ...(is('forbidden.txt') ? ['it has run a command that an agent above may not run'] : []),
    ...(is('written.txt') ? ['it has written with a tool that an agent above does not have'] : []),
  ]
}

async function asksNobody(off?: Mechanism): Promise<string[]> {
  await using tree = await openTree([[bash('touch asked.txt')]], { approvalMs: 300 }, off)
  const program = tree.go()
  const { code } = await program.ended
  const asked = eventsOf(program).filter(({ type }) => type === 'approval.requested')
  const { last } = tree.of('Do worker.').at(-1)!
  expect(existsSync(join(tree.user.directory, 'asked.txt'))).toBe(false)
  return [
    ...(asked.length > 0 ? ['it has asked, and nobody is there'] : []),
    ...(last.includes('nobody can answer here (unattended)')
      ? []
      : ['its next turn does not know that nobody can answer']),
    ...(code === 5 ? [] : [`nobody is told of a denial: exit ${code}`]),
  ]
}
