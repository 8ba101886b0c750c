import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadAgents } from './load-agents.ts'
import { exportAgent } from './foreign/export-agent.ts'
import { formatOf } from './foreign/formats.ts'
import { agentPlaces } from './agent-locations.ts'
import type { ForeignFormat } from './agent-format.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'offshoot-foreign-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const homes = () => ({ project: join(root, 'p'), home: join(root, 'h'), configHome: join(root, 'c') })
const load = () => loadAgents(agentPlaces(homes()))
const markdown = (name: string, more = '') => `---\nname: ${name}\ndescription: d\n${more}---\n\nYou work.\n`

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(root, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

/** Every place, the first before the others. */
const PLACES: readonly (readonly [file: string, content: (name: string) => string])[] = [
  ['p/.offshoot/agents/deep/x.md', markdown],
  ['p/.claude/agents/deep/x.md', markdown],
  ['p/.opencode/agents/deep/x.md', markdown],
  ['p/.opencode/agent/x.md', markdown],
  ['p/.opencode/opencode.json', opencodeJson],
  ['p/.opencode/opencode.jsonc', opencodeJson],
  ['p/opencode.json', opencodeJson],
  ['p/opencode.jsonc', opencodeJson],
  ['p/.codex/agents/x.toml', toml],
  ['p/.gemini/agents/x.md', markdown],
  ['p/.cursor/agents/x.md', markdown],
  ['p/.github/agents/x.agent.md', markdown],
  ['c/offshoot/agents/x.md', markdown],
  ['c/opencode/agents/x.md', markdown],
  ['c/opencode/agent/x.md', markdown],
  ['c/opencode/opencode.json', opencodeJson],
  ['c/gemini-cli/agents/x.md', markdown],
  ['h/.claude/agents/x.md', markdown],
  ['h/.codex/agents/x.toml', toml],
  ['h/.gemini/agents/x.md', markdown],
  ['h/.cursor/agents/x.md', markdown],
  ['h/.copilot/agents/x.md', markdown],
]

function toml(name: string): string {
  return `name = "${name}"\ndescription = "d"\ndeveloper_instructions = "You work."\n`
}

function opencodeJson(name: string): string {
  return JSON.stringify({ agent: { [name]: { description: 'd', prompt: 'You work.' } } })
}

describe('agents of all programs', () => {
  test('are found in each place', async () => {
    for (const [at, [file, content]] of PLACES.entries()) await write(file, content(`agent${at}`))
    const { agents, notes } = await load()
    expect(agents.map(({ name }) => name)).toEqual(PLACES.map((_, at) => `agent${at}`))
    expect(agents.every(({ prompt }) => prompt === 'You work.')).toBe(true)
    expect(notes).toEqual([])
  })

  test('of one name the first place counts, and each of the others is named', async () => {
    for (const [file, content] of PLACES) await write(file, content('same'))
    const { agents, notes } = await load()
    const first = join(root, PLACES[0]![0])
    expect(agents.map(({ source }) => source)).toEqual([first])
    expect(notes).toHaveLength(PLACES.length - 1)
    for (const { skipped } of notes) expect(skipped).toBe(`the agent same of ${first} takes precedence`)
  })

  test('lie beside files that are none, and in a workspace that is the home directory', async () => {
    await write('p/.codex/agents/notes.md', 'x')
    await write('p/.cursor/agents/deep/x.md', markdown('deep'))
    await write('p/.claude/agents/x.md', markdown('once'))
    const project = join(root, 'p')
    const { agents, files } = await loadAgents(agentPlaces({ ...homes(), home: project }))
    expect(agents.map(({ name }) => name)).toEqual(['once'])
    expect(files).toHaveLength(1)
  })

  test('cannot take the place of the main agent; ours can', async () => {
    await write('p/.claude/agents/main.md', markdown('main'))
    expect(await load()).toMatchObject({
      agents: [],
      notes: [{ skipped: 'the name main is reserved for the main agent' }],
    })
    await write('p/.offshoot/agents/main.md', markdown('main'))
    expect((await load()).agents.map(({ name }) => name)).toEqual(['main'])
  })
})

describe('a file that is hostile hides no other', () => {
  const bomb = [
    'a: &a [x, x]',
    ...'bcdefghij'.split('').map((key, at) => `${key}: &${key} [*${'abcdefghi'[at]}, *${'abcdefghi'[at]}]`),
  ]
  const cases: readonly (readonly [name: string, content: string | Uint8Array, reason: RegExp | null])[] = [
    ['aliases.md', markdown('aliases', `${bomb.join('\n')}\n`), null],
    ['big.md', markdown('big') + 'x'.repeat(10 * 1024 * 1024), /larger than 1048576 bytes/],
    ['binary.md', Uint8Array.from({ length: 4_096 }, (_, at) => (at * 31) % 256), /not UTF-8/],
    ['nul.md', '\0'.repeat(10_000), /no description/],
    ['escape.md', '---\nname: "a\\e]0;owned\\a"\ndescription: d\n---\n', /invisible characters/],
    ['deep.md', markdown('deep', `x: ${'['.repeat(10_000)}\n`), null],
    ['empty.md', '', /no description/],
    ['dashes.md', '---\n'.repeat(5_000), /no description/],
  ]

  test.each(cases)('%s', async (name, content, reason) => {
    for (const place of ['.claude/agents', '.opencode/agents', '.cursor/agents']) {
      await write(`p/${place}/${name}`, content)
      await write(`p/${place}/zz.md`, markdown(`good-${place.slice(1, 4)}`))
    }
    const { agents, notes } = await load()
    expect(agents.map((agent) => agent.name)).toEqual(
      expect.arrayContaining(['good-cla', 'good-ope', 'good-cur']),
    )
    const skipped = notes.filter((note) => note.skipped !== null && !/takes precedence/.test(note.skipped))
    expect(skipped.map((note) => note.skipped)).toEqual(
      reason === null ? [] : Array.from({ length: 3 }, () => expect.stringMatching(reason)),
    )
  })

  test('a link to itself, a device, and a pipe that nobody writes to', async () => {
    await write('p/.claude/agents/good.md', markdown('good'))
    const at = (name: string) => join(root, 'p/.claude/agents', name)
    await symlink('loop.md', at('loop.md'))
    await symlink('/dev/zero', at('zero.md'))
    await symlink('.', at('again'))
    execFileSync('sh', ['-c', 'mkfifo "$0"', at('pipe.md')])
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'p/opencode.json')])
    const { agents, notes } = await load()
    expect(agents.map(({ name }) => name)).toEqual(['good'])
    expect(notes.map(({ path, skipped }) => [basename(path), skipped])).toEqual([
      ['loop.md', 'it is a symbolic link to itself'],
      ['pipe.md', 'it is not a regular file'],
      ['zero.md', 'it is a link that leads out of the workspace'],
      ['opencode.json', 'it is not a regular file'],
    ])
  })

  test('a link out of the workspace is refused, and one of the user is followed', async () => {
    await write('elsewhere/secret.md', markdown('secret'))
    await write('p/docs/inside.md', markdown('inside'))
    for (const name of ['p/.claude/agents', 'h/.claude/agents', 'p/.codex'])
      await mkdir(join(root, name), { recursive: true })
    await symlink(join(root, 'elsewhere/secret.md'), join(root, 'p/.claude/agents/secret.md'))
    await symlink('../../docs/inside.md', join(root, 'p/.claude/agents/inside.md'))
    await symlink(join(root, 'elsewhere'), join(root, 'p/.codex/agents'))
    await symlink(join(root, 'elsewhere/secret.md'), join(root, 'h/.claude/agents/mine.md'))
    const { agents, notes } = await load()
    expect(agents.map(({ name, source }) => [name, source])).toEqual([
      ['inside', join(root, 'p/.claude/agents/inside.md')],
      ['secret', join(root, 'h/.claude/agents/mine.md')],
    ])
    expect(notes.map(({ path, skipped }) => [path, skipped])).toEqual([
      [join(root, 'p/.claude/agents/secret.md'), 'it is a link that leads out of the workspace'],
      [join(root, 'p/.codex/agents'), 'it is a link that leads out of the workspace'],
    ])
  })

  test('five thousand files are read in part, quickly, and that is said', async () => {
    await mkdir(join(root, 'p/.gemini/agents'), { recursive: true })
    const names = Array.from({ length: 5_000 }, (_, at) => `f${String(at).padStart(4, '0')}.md`)
    for (let at = 0; at < names.length; at += 500)
      await Promise.all(
        names
          .slice(at, at + 500)
          .map((name) => writeFile(join(root, 'p/.gemini/agents', name), markdown(name))),
      )
    await write('p/.github/agents/good.md', markdown('good'))
    const { agents, notes } = await load()
    expect(agents).toHaveLength(1_001)
    expect(agents.at(-1)!.name).toBe('good')
    expect(notes.map(({ skipped }) => skipped)).toEqual(['it has more than 1000 files; the rest are skipped'])
  }, 60_000)

  test('what is read of all of them together has a bound', async () => {
    const texts = Array.from({ length: 40 }, (_, at) => `/a${String(at).padStart(2, '0')}.md`)
    const files = {
      list: () => Promise.resolve(texts),
      has: () => Promise.resolve(true),
      read: (path: string) => Promise.resolve(markdown(path.slice(1, 4)) + ' '.repeat(1024 * 1024)),
    }
    const { agents, notes } = await loadAgents([{ path: '/', format: 'claude', kind: 'directory' }], {
      files,
    })
    expect(agents).toHaveLength(32)
    expect(notes).toHaveLength(8)
    expect(notes[0]!.skipped).toMatch(/all agent files together/)
  })
})

describe('models', () => {
  const modelOf = async (model: string, known: (name: string) => string | undefined) => {
    await write('p/.claude/agents/x.md', markdown('x', `model: ${model}\n`))
    const { agents, notes } = await loadAgents(agentPlaces(homes()), { knownModel: known })
    return [agents[0]!.model, agents[0]!.extra, notes.flatMap(({ warnings }) => warnings)]
  }

  test.each([
    ['inherit', 'inherit'],
    ['haiku', 'small'],
    ['fast', 'small'],
    ['sonnet', 'anthropic/sonnet'],
    ['claude-x-5', 'anthropic/claude-x-5'],
    ['gpt-5.4', 'openai/gpt-5.4'],
    ['gemini-3-flash', 'google/gemini-3-flash'],
    ['GPT-5 (copilot)', 'openai/gpt-5'],
    ['Claude Sonnet 4.5 (copilot)', 'anthropic/claude-sonnet-4.5'],
    ['mistral/large', 'mistral/large'],
  ])('%s is %s where it can be used', async (theirs, ours) => {
    expect(await modelOf(theirs, (name) => name)).toEqual([ours, undefined, []])
  })

  test.each(['sonnet', 'mistral/large', 'scripted:/etc/passwd', 'nonsense'])(
    '%s is inherited where it cannot, and kept',
    async (theirs) => {
      expect(await modelOf(theirs, () => undefined)).toEqual([
        undefined,
        { model: theirs },
        [`the model ${theirs} cannot be used here; the agent inherits its model`],
      ])
    },
  )
})

/** Real files of others, where they lie beside the clone; files of the same shapes stand in readers.test.ts. */
const REAL = join(import.meta.dirname, '../../../../shared/agent-files')

test('real files are agents, keep their keys, and survive an export', () => {
  const paths = existsSync(REAL)
    ? globSync('{claude,opencode,codex,gemini,cursor,github,copilot}/*', { cwd: REAL })
    : []
  for (const path of [...paths].toSorted()) {
    const text = readFileSync(join(REAL, path), 'utf8')
    const format = formatOf(join(REAL, path))
    const [parsed] = format.parse(text, path)
    if (!parsed || !('agent' in parsed)) throw new Error(`${path}: ${parsed?.skipped}`)
    const { agent } = parsed
    expect(agent.prompt.length, path).toBeGreaterThan(100)
    expect(agent.description, path).not.toBe('')
    const written = exportAgent(agent, format.name as ForeignFormat).text
    const [again] = format.parse(written, path)
    expect(again, path).toMatchObject({
      agent: { name: agent.name, description: agent.description, prompt: agent.prompt },
    })
  }
  expect(paths.length === 0 || paths.length > 15).toBe(true)
})
