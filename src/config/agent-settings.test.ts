import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtinAgents } from '../agents/builtin-agents.ts'
import { agentLevel } from '../permissions/agent-level.ts'
import { checkConfig } from './config-file.ts'
import { configuredAgents } from './agent-settings.ts'
import { readSource } from './read-source.ts'

type Name = 'user config' | 'project config'

const read = (values: object) => checkConfig(values, () => 'file:1')
const source = (name: Name, agents: object) => ({ name, file: `/${name}`, values: read({ agents }).values })

function agentOf(name: string, ...sources: ReturnType<typeof source>[]) {
  return configuredAgents(builtinAgents(), sources).agents.require(name)
}

function refusal(values: object): string {
  try {
    read(values)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it was taken')
}

describe('an agent of a configuration', () => {
  test('takes every field of a definition, and says its source', () => {
    const fields = {
      description: 'Judges.',
      prompt: 'You judge.',
      allowedTools: 'read, grep',
      maxIterations: 4,
    }
    expect(agentOf('critic', source('user config', { critic: { ...fields, temperature: 0.1 } }))).toEqual({
      name: 'critic',
      description: 'Judges.',
      prompt: 'You judge.',
      tools: ['read', 'grep'],
      maxTurns: 4,
      temperature: 0.1,
      source: '/user config#agents.critic',
    })
  })

  test('overrides what there is, field by field; the later source counts', () => {
    const first = source('user config', { explore: { maxTurns: 3, model: 'a/b' } })
    const agent = agentOf('explore', first, source('project config', { explore: { maxTurns: 4 } }))
    expect(agent).toMatchObject({ maxTurns: 4, model: 'a/b', source: 'built-in' })
  })

  test('never widens what the definition, or another source, denies', () => {
    const allow = { tool: 'bash', action: 'allow' }
    const user = source('user config', { explore: { permissions: [{ tool: 'read', action: 'deny' }] } })
    const agent = agentOf('explore', user, source('project config', { explore: { permissions: [allow] } }))
    const { layers } = agentLevel(agent, [])
    expect(layers.map(({ name }) => name)).toEqual([
      'agent explore',
      'user config: agents.explore',
      'project config: agents.explore',
    ])
    expect(layers[0]!.rules).toContainEqual({ tool: 'shell', action: 'deny' })
  })

  test('has the tools that both sources list, and does without those that either forbids', () => {
    const user = source('user config', { general: { tools: ['Read'], disallowedTools: ['bash'] } })
    const project = source('project config', {
      general: { tools: ['read', 'write'], disallowedTools: ['edit'] },
    })
    expect(agentOf('general', user, project)).toMatchObject({
      tools: ['read', 'write'],
      disallowedTools: ['bash', 'edit'],
      narrowed: [
        {
          source: 'user config',
          rules: [
            { tool: '*', action: 'deny' },
            { tool: 'read', action: 'allow' },
          ],
        },
      ],
    })
  })

  test('in mode plan changes nothing, whoever else says what', () => {
    const user = source('user config', { general: { mode: 'plan' } })
    const agent = agentOf('general', user, source('project config', { general: { mode: 'ask' } }))
    expect(agent.mode).toBe('plan')
    expect(agentLevel(agent, []).layers[1]).toMatchObject({ name: 'mode plan', byEffect: { write: 'deny' } })
  })

  test('that there is not is said; one that is nearly another is an error', () => {
    const { warnings } = configuredAgents(builtinAgents(), [
      source('user config', { critic: { maxTurns: 3 } }),
    ])
    expect(warnings).toEqual([expect.stringMatching(/agents\.critic: there is no agent with that name here/)])
    expect(() => agentOf('main', source('user config', { exlpore: { maxTurns: 3 } }))).toThrow(
      /agents\.exlpore: there is no agent with that name; did you mean "explore"\?/,
    )
  })
})

describe('what grants, restricts or limits is never left out of a configuration', () => {
  test.each([
    [{ permission: { bash: true } }, 'unknown key "permission"; did you mean permissions?'],
    [{ limits: { maxTurn: 3 } }, 'unknown key "limits.maxTurn"; did you mean maxTurns?'],
    [{ maxTurns: 3 }, 'unknown key "maxTurns"; write it under "limits"'],
    [{ budget: 3 }, 'write "limits": {"budgetUsd": ...}'],
    [{ mode: 'plan' }, 'set the mode with --mode'],
    [{ readonly: true }, '--mode plan'],
    [{ toolz: [] }, 'under "agents.NAME"'],
    [{ disalowedTools: ['bash'] }, 'under "agents.NAME"'],
    [{ isolation: 'worktree' }, 'write it under "subagents"'],
    [{ delegatoin: 'off' }, 'did you mean delegation?'],
    [{ delegations: [{ agent: 'a', for: 'b', tool: 'edit', patern: 'x' }] }, 'did you mean pattern?'],
    [
      { delegations: [{ agent: 'a', for: 'b', tool: 'Edit' }] },
      'there is no tool "Edit"; did you mean "edit"?',
    ],
    [{ subagents: { isolaton: 'none' } }, 'did you mean isolation?'],
    [
      { agents: { explore: { disalowedTools: ['bash'] } } },
      'agents.explore.disalowedTools: there is no field',
    ],
    [
      { agents: { explore: { maxTurns: 'many' } } },
      'agents.explore.maxTurns: expected a whole number from 1',
    ],
    [
      { agents: { explore: { permissions: [{ tool: 'Bash', action: 'deny' }] } } },
      'agents.explore.permissions.0.tool',
    ],
    [{ subagents: { isolation: 'worktree' } }, 'subagents.isolation: "worktree" has no effect'],
    [{ subagents: { backend: 'codex' } }, 'subagents.backend: "codex" has no effect'],
    [{ announce: 'summary' }, 'announce: "summary" has no effect'],
    [{ subagents: { workingDir: 'separate' } }, 'subagents.workingDir: "separate" has no effect'],
    [{ subagents: { defaultCli: 'claude' } }, 'subagents.defaultCli: "claude" has no effect'],
    [{ subagents: { announceFormat: 'summary' } }, 'subagents.announceFormat: "summary" has no effect'],
    [
      { agents: { explore: { isolation: 'worktree' } } },
      'agents.explore.isolation: "worktree" has no effect',
    ],
    [{ mcp: { x: { command: 'touch P' } } }, '"mcp" has no effect'],
    [{ hooks: {} }, '"hooks" has no effect'],
    [
      { subagents: { maxConcurrent: 3 }, limits: { maxConcurrent: 4 } },
      'subagents.maxConcurrent and limits.maxConcurrent are the same setting but differ',
    ],
    [null, 'the file: '],
  ])('%j', (values, said) => {
    expect(refusal(values as never)).toContain(said)
  })

  test('other spellings are read, and the defaults may be written', () => {
    const values = {
      subagents: { maxConcurrent: 3, defaultCli: 'native', announceFormat: 'full', workingDir: 'same' },
    }
    expect(read(values)).toEqual({
      values: {
        subagents: { backend: 'native', isolation: 'none' },
        limits: { maxConcurrent: 3 },
        announce: 'full',
      },
      warnings: [],
      strangers: [],
      agents: [],
    })
  })

  test('tools that only a runtime can know are handed on with their place', () => {
    const { strangers } = read({
      permissions: ['bash', { tool: 'deploy', action: 'deny' }],
      agents: { explore: { tools: ['read', 'judge'] } },
    })
    expect(strangers).toEqual([
      { tool: 'deploy', kind: 'rule', where: 'file:1: permissions.1.tool' },
      { tool: 'judge', kind: 'list', where: 'file:1: agents.explore.tools.1' },
    ])
  })
})

test.each(['limits', 'delegations'])('%s in an agent is refused: it would limit nothing', (key) => {
  expect(refusal({ agents: { general: { [key]: { maxTurns: 1 } } } })).toMatch(
    new RegExp(`^file:1: agents\\.general\\.${key}: unknown key; `),
  )
})

test('a reminder that does nothing is refused with file and line', () => {
  const directory = mkdtempSync(join(tmpdir(), 'offshoot-'))
  const file = join(directory, 'config.jsonc')
  const text =
    '{\n  "agents": {\n    "general": { "maxTurns": 1,\n      "firstTurnReminder": true }\n  }\n}\n'
  writeFileSync(file, text)
  const { values } = readSource(file)
  expect(() => configuredAgents(builtinAgents(), [{ name: 'user config', file, values }])).toThrow(
    `${file}:4: agents.general.firstTurnReminder: `,
  )
  rmSync(directory, { recursive: true })
})

test('a setting that does nothing for the model of its agent is refused, and left out for one of another source', () => {
  const idle = { critic: { description: 'x', prompt: 'y', model: 'openai/gpt-6-sol', topP: 0.5 } }
  const program = { ...source('user config', idle), file: null }
  expect(() => configuredAgents(builtinAgents(), [program])).toThrow(
    'agents.critic.topP: topP has no effect with openai/gpt-6-sol',
  )
  const explore = { ...agentOf('explore'), topP: 0.5 }
  const moved = source('user config', { explore: { model: 'openai/gpt-6-sol' } })
  expect(configuredAgents([explore], [moved]).agents.require('explore').model).toBe('openai/gpt-6-sol')
})
