import fc from 'fast-check'
import { agentNameProblem } from '../agent-name.ts'
import { describe, expect, test } from 'vitest'
import type { AgentDefinition } from '../../core/agent.ts'
import { parseDefinition } from '../parse-definition.ts'
import { writeOwn } from '../write-agent.ts'
import { exportAgent } from './export-agent.ts'
import { foreignModel } from './foreign-model.ts'
import { FOREIGN_FORMATS, type ForeignFormat } from '../agent-format.ts'
import { formatOf } from './formats.ts'

const FILE = { codex: '/p/a.toml' } as const

function read(text: string, format: ForeignFormat): AgentDefinition {
  const path = format === 'codex' ? FILE.codex : '/p/a.md'
  const [parsed] = formatOf(path, format).parse(text, path)
  if (parsed && 'agent' in parsed)
    return foreignModel({ ...parsed.agent, source: 'x' }, (model) => model).agent
  throw new Error(`${parsed?.skipped}\n${text}`)
}

const again = (agent: AgentDefinition, format: ForeignFormat) => read(exportAgent(agent, format).text, format)

/** A text as it is after a file was read: without space at its ends, and nothing that no name may hold. */
const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .map((text) => text.replaceAll(/[\p{C}\p{Zl}\p{Zp}:]/gu, '').trim())
  .filter((text) => text !== '')
const prompt = fc
  .array(fc.oneof(line, fc.constantFrom('---', 'tools: [Bash]', '"""', "'''", '\\', '# x', '{{a}}')), {
    maxLength: 5,
  })
  .map((lines) => lines.join('\n').trim())
const names = ['read', 'list', 'glob', 'grep', 'bash', 'webfetch', 'websearch', 'todo'] as const
const tools = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 })
const key = fc.stringMatching(/^[a-z]{3,8}x$/)
const json = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: true })
  .filter((value) => !JSON.stringify(value).includes('-0'))

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 })

const agents = fc
  .record({
    name: line.filter((text) => agentNameProblem(text) === undefined),
    description: line,
    prompt,
    source: fc.constant('x'),
    model: optional(
      fc.constantFrom('inherit', 'small', 'anthropic/claude-a', 'openai/gpt-b', 'google/gemini-c'),
    ),
    tools: optional(tools),
    disallowedTools: optional(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 2 })),
    maxTurns: optional(fc.integer({ min: 1, max: 99 })),
    background: optional(fc.boolean()),
    effort: optional(fc.constantFrom('low', 'high')),
    timeoutMs: optional(fc.integer({ min: 1, max: 90 }).map((minutes) => minutes * 60_000)),
    skills: optional(fc.uniqueArray(fc.constantFrom('a', 'b'), { minLength: 1 })),
    permissions: optional(
      fc.array(
        fc.record({
          tool: fc.constantFrom('bash', 'edit', 'webfetch'),
          pattern: fc.constantFrom('git *', 'x'),
          action: fc.constantFrom('allow', 'ask', 'deny'),
        }),
        { maxLength: 3 },
      ),
    ),
    extra: optional(fc.dictionary(key, json, { minKeys: 1, maxKeys: 3 })),
  })
  .map((agent) => Object.fromEntries(Object.entries(agent).filter(([, value]) => value !== undefined)))
  .map((agent) => agent as unknown as AgentDefinition)

/** What each format has a key for; models beside, since each names those of its own maker. */
const HOLDS: Readonly<Record<ForeignFormat, readonly (keyof AgentDefinition)[]>> = {
  claude: ['tools', 'disallowedTools', 'maxTurns', 'background', 'effort', 'skills'],
  opencode: ['maxTurns', 'effort'],
  codex: ['effort'],
  gemini: ['tools', 'maxTurns', 'timeoutMs'],
  cursor: ['background'],
  copilot: ['tools'],
}

const MAKERS: Partial<Record<ForeignFormat, string>> = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'google',
  cursor: 'openai',
  opencode: 'openai',
}

describe.each(FOREIGN_FORMATS.map((format) => [format] as const))('what is exported to %s', (format) => {
  test('and read again is the same in all that it can hold', () => {
    fc.assert(
      fc.property(agents, (agent) => {
        const read = again(agent, format)
        for (const field of ['name', 'description', 'prompt', ...HOLDS[format]] as const)
          if (field !== 'tools' || !agent.disallowedTools) expect(read[field], field).toEqual(agent[field])
        const { model } = agent
        if (model?.startsWith(`${MAKERS[format]}/`)) expect(read.model).toBe(model)
        if (format !== 'codex' && agent.extra) expect(read.extra).toMatchObject(agent.extra)
      }),
      { numRuns: 150 },
    )
  })

  test('does not change any more after that', () => {
    fc.assert(
      fc.property(agents, (agent) => {
        const once = again(agent, format)
        expect(again(once, format)).toEqual(once)
      }),
      { numRuns: 150 },
    )
  })

  test('names what it leaves out', () => {
    const agent: AgentDefinition = {
      name: 'a',
      description: 'd',
      prompt: 'p',
      source: 'x',
      icon: '!',
      maxCostUsd: 1,
      permissions: [{ tool: 'read', pattern: 'src/**', action: 'ask' }],
    }
    expect(exportAgent(agent, format).lost).toEqual([
      'left out: icon, maxCostUsd',
      'left out the rule: ask read src/**',
    ])
  })
})

test('models are named as each program names them, and one that it cannot name is said', () => {
  const agent = (model: string) => ({ name: 'a', description: 'd', prompt: 'p', source: 'x', model })
  const modelIn = (format: ForeignFormat, model: string) =>
    /^model(?:: | = )"?(.*?)"?$/m.exec(exportAgent(agent(model), format).text)?.[1]
  expect(modelIn('claude', 'anthropic/claude-x')).toBe('claude-x')
  expect(modelIn('claude', 'small')).toBe('haiku')
  expect(modelIn('codex', 'openai/gpt-x')).toBe('gpt-x')
  expect(modelIn('opencode', 'openai/gpt-x')).toBe('openai/gpt-x')
  expect(modelIn('codex', 'anthropic/claude-x')).toBeUndefined()
  expect(exportAgent(agent('anthropic/claude-x'), 'codex').lost).toEqual([
    'left out: the model anthropic/claude-x, which the format cannot name',
  ])
})

test.each([
  [
    'claude',
    '---\nname: a\ndescription: d\ntools:\n  - Bash(git log *)\n  - Read\ndisallowedTools:\n  - Write\n---\n\np\n',
  ],
  ['claude', '---\nname: a\ndescription: d\ntools:\n  - Agent(b, c)\n---\n\np\n'],
  ['codex', 'name = "a"\ndescription = "d"\nsandbox_mode = "read-only"\ndeveloper_instructions = "p"\n'],
  ['cursor', '---\nname: a\ndescription: d\nreadonly: true\n---\n\np\n'],
  [
    'opencode',
    '---\nname: a\ndescription: d\npermission:\n  bash:\n    "*": deny\n    "git *": allow\n---\n\np\n',
  ],
] as const)('restrictions of %s survive both ways', (format, text) => {
  const first = read(text, format)
  const { text: written, lost } = exportAgent(first, format)
  expect(lost).toEqual([])
  expect(read(written, format)).toEqual(first)
})

describe('what is written as our own', () => {
  test('and read again is the same', () => {
    fc.assert(
      fc.property(agents, (agent) => {
        const written = writeOwn(agent)
        if (typeof written === 'string') throw new Error(written)
        const read = parseDefinition(written.text, 'x')
        expect(read).toEqual({ agent, warnings: 'agent' in read ? read.warnings : [] })
      }),
      { numRuns: 200 },
    )
  })

  test('leaves out what would mean something else here, and says so', () => {
    const agent = {
      name: 'a',
      description: 'd',
      prompt: 'p',
      source: 'x',
      extra: { permission: 1, tool: 'x', color: 'red' },
    }
    const written = writeOwn(agent)
    expect(written).toEqual({
      text: '---\nname: a\ndescription: d\ncolor: red\n---\n\np\n',
      lost: [
        'permission is left out: it would mean something else here',
        'tool is left out: it would mean something else here',
      ],
    })
  })

  test('is a reason where it is too long to be read again', () => {
    const agent = { name: 'a', description: 'd'.repeat(40_000), prompt: 'p', source: 'x' }
    expect(writeOwn(agent)).toBe('its front matter is longer than 32768 characters')
  })
})
