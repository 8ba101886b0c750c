import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  agent,
  harness,
  rawModel,
  said,
  finish,
  called,
  shownPrompt,
  stores,
  tool,
  type HandClock,
  type Harness,
  type HarnessOptions,
} from '../../../test/support/runtime-harness.ts'
import { systemPrompt } from '../../agents/system-prompt.ts'
import type { AgentDefinition, Rule } from '../../core/agent.ts'
import type { ScriptAnswer } from '../../model/model-script.ts'
import { systemClock } from '../../exec/system-clock.ts'
import { modeLayer } from '../../permissions/modes.ts'
import { bashTool } from '../../tools/bash.ts'
import { globTool } from '../../tools/glob.ts'
import { listTool } from '../../tools/list.ts'
import type { Workspace } from '../../tools/port.ts'
import { readTool } from '../../tools/read.ts'
import { createWorkspace } from '../../tools/workspace.ts'
import { writeTool } from '../../tools/write.ts'
import type { StartOptions } from '../conversation/main-run.ts'
import { readWorkspaceFacts } from '../../project/workspace-facts.ts'

let base = ''
let root = ''
let out = ''
let workspace: Workspace
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'offshoot-setup-')))
  root = join(base, 'w')
  out = join(base, 'out')
  mkdirSync(join(root, 'pkg/a'), { recursive: true })
  mkdirSync(out)
  writeFileSync(join(root, 'top.txt'), 'the top')
  writeFileSync(join(root, 'pkg/a/own.txt'), 'my own')
  writeFileSync(join(root, 'pkg/a/.env'), 'SECRET=1')
  writeFileSync(join(root, 'image.png'), Buffer.from('89504e470d0a1a0a00', 'hex'))
  writeFileSync(join(out, 'far.txt'), 'far away')
  writeFileSync(join(base, 'beside.txt'), 'beside')
  symlinkSync(out, join(root, 'link'))
  workspace = createWorkspace(root)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

type Entries = ScriptAnswer[]
const call = (name: string, input: object) => ({ tool: name, input: input as never })
const task = (input: object, name = 'explore') =>
  call('task', { prompt: 'look', subagent_type: name, ...input })
const read = (file_path: string) => call('read', { file_path })

const systemText: StartOptions['systemText'] = ({ directory, maxTurns, ...about }) =>
  systemPrompt({ ...about, workspace: readWorkspaceFacts(directory ?? root), limits: { maxTurns } })
const tools = () => [readTool(), globTool(), listTool(), writeTool(), bashTool()]
const where = () => ({ workspace, systemText })

/** A main agent that makes these calls and ends; `more.script` has the others. */
/** Files are read and commands run in real time: a clock that jumps ahead would take them for stuck. */
function realClock(): HandClock {
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return { ...systemClock, settle, advance: settle, until: (promise) => promise, pending: () => 0 }
}

function family(input: object | readonly object[], more: HarnessOptions = {}) {
  const calls = (Array.isArray(input) ? input : [input]).map((each) => task(each as object))
  const { script = {}, ...rest } = more
  const main: Entries = [{ text: 'I ask.', toolCalls: calls }, { text: 'end' }]
  return harness({
    clock: realClock(),
    tools: tools(),
    script: { main, explore: [{ text: 'report' }], ...script },
    ...rest,
  })
}

async function spawned(input: object | readonly object[], more: HarnessOptions = {}) {
  const h = family(input, more)
  const result = await h.run('go', where())
  return { h, result, ...seen(h) }
}

/** What the child was told first, what it got of its calls, and what its parent was answered. */
function seen(h: Harness) {
  const requests = h.scripted.requests.filter(({ depth }) => depth === 1)
  const prompt = requests.at(-1) ? shownPrompt(requests.at(-1)!.options.prompt) : []
  const last = h.scripted.requests.findLast(({ depth }) => depth === 0)
  const answer = last ? shownPrompt(last.options.prompt).at(-1)! : ''
  const children = h.store.find('runs', {}).filter(({ depth }) => depth === 1)
  return { prompt, system: prompt[0] ?? '', results: prompt.slice(2), answer, children }
}

const works = (...calls: ReturnType<typeof call>[]): Entries => [{ toolCalls: calls }, { text: 'report' }]

describe('a subagent in a directory of its own', () => {
  const calls = () => [
    read('own.txt'),
    read('../../top.txt'),
    read(join(root, 'pkg/a/own.txt')),
    call('glob', { pattern: '*.txt' }),
    call('bash', { command: 'pwd' }),
  ]
  const allowed = [modeLayer('auto')]

  test.each(['pkg/a', './pkg/../pkg/a/', () => join(root, 'pkg/a'), () => `file://${root}/pkg/a`])(
    'works there, however that is written',
    async (given) => {
      const directory = typeof given === 'string' ? given : given()
      const { results, children, system, answer } = await spawned(
        { directory },
        { layers: allowed, script: { explore: works(...calls()) } },
      )
      expect(answer).toContain('report')
      const text = results.join('\n')
      expect(text.match(/result\(read: {6}1\tmy own\)/g)).toHaveLength(2)
      expect(text).toContain('result(read:      1\tthe top)')
      expect(text).toContain('result(glob: own.txt')
      expect(text).toContain(`result(bash: ${join(root, 'pkg/a')}\n`)
      expect(system).toContain(`Root: ${join(root, 'pkg/a')}\n`)
      expect(children[0]!.setup).toMatchObject({ directory: join(root, 'pkg/a') })
    },
  )

  test('finds what the workspace does not ignore', async () => {
    writeFileSync(join(root, '.ignore'), 'hidden.txt\n')
    writeFileSync(join(root, 'pkg/a/hidden.txt'), '')
    const script = { explore: works(call('glob', { pattern: '*.txt' })) }
    const { results } = await spawned({ directory: 'pkg/a' }, { script })
    expect(results.join()).toContain('own.txt')
    expect(results.join()).not.toContain('hidden.txt')
    for (const name of ['.ignore', 'pkg/a/hidden.txt']) rmSync(join(root, name))
  })

  test('of the workspace itself has none of its own', async () => {
    const { children } = await spawned([{ directory: '.' }, { cwd: root }, {}], {
      script: { explore: [{ text: 'r' }, { text: 'r' }, { text: 'r' }] },
    })
    expect(children.map(({ setup }) => setup!.directory)).toEqual([null, null, null])
  })

  test.each([
    ['pkg/none', 'there is no directory \\"pkg/none\\"'],
    ['top.txt', '\\"top.txt\\" is a file, not a directory'],
    ['top.txt/x', 'top.txt/x, which is outside the workspace'],
    ['a\0b', 'which is outside the workspace'],
  ])('that cannot be: %j is refused', async (directory, why) => {
    const { h, children } = await spawned({ directory })
    expect(JSON.stringify(h.store.find('tool_calls', {})[0]!.error)).toContain(why)
    expect(children).toEqual([])
  })

  test('hands it down to its own, unless they get another', async () => {
    const general = [
      { toolCalls: [task({}), task({ directory: '..' }), task({ cwd: root })] },
      { text: 'middle' },
    ]
    const h = harness({
      clock: realClock(),
      tools: tools(),
      config: { limits: { maxDepth: 2 } },
      script: {
        main: [{ toolCalls: [task({ directory: 'pkg/a' }, 'general')] }, { text: 'end' }],
        general,
        explore: [{ text: 'r' }, { text: 'r' }, { text: 'r' }],
      },
    })
    await h.run('go', where())
    const deepest = h.store.find('runs', {}).filter(({ depth }) => depth === 2)
    expect(deepest.map(({ setup }) => setup!.directory)).toEqual([
      join(root, 'pkg/a'),
      join(root, 'pkg'),
      null,
    ])
  })

  test('is bound by the rules of the workspace as they are written, and by its own from there', async () => {
    const deny = (pattern: string): Rule => ({ tool: 'read', pattern, action: 'deny' })
    const options = (layers: Rule[], own: Rule[]): HarnessOptions => ({
      layers: [{ name: 'user config', rules: layers }],
      agents: [agent('main'), agent('explore', { permissions: own })],
      script: { explore: works(read('own.txt')) },
    })
    const outcome = async (layers: Rule[], own: Rule[]) =>
      (await spawned({ directory: 'pkg/a' }, options(layers, own))).results.join('\n')
    expect(await outcome([deny('pkg/a/*')], [])).toContain('denied by user config: read pkg/a/*')
    expect(await outcome([deny('own.txt')], [])).toContain('my own')
    expect(await outcome([], [deny('own.txt')])).toContain('denied by agent explore: read own.txt')
    expect(await outcome([], [deny('pkg/a/own.txt')])).toContain('denied by agent explore')
  })

  test('that the rules deny as a read is refused, and so is one that asks where nobody answers', async () => {
    const layers = [
      { name: 'user config', rules: [{ tool: 'read', pattern: 'pkg/**', action: 'deny' }] as Rule[] },
    ]
    const denied = await spawned({ directory: 'pkg/a' }, { layers })
    expect(denied.answer).toContain('pkg/a: denied by user config: read pkg/**')
    const outside = await spawned({ directory: '../out' })
    expect(outside.answer).toContain('(unattended)')
    expect(outside.answer).toContain(`${out}, which is outside the workspace: no rule`)
    const linked = await spawned({ directory: 'link' })
    expect(linked.answer).toContain('(unattended)')
    expect([...denied.children, ...outside.children, ...linked.children]).toEqual([])
  })
})

/** Answers every question that comes, and notes what was asked. */
async function attended(h: Harness, answer: 'once' | 'always' | 'deny' = 'once') {
  const asked: { tool: string; detail: string; directory: string }[] = []
  h.runtime.approvals.attend()
  const started = await h.start('go', where())
  h.runtime.subscribe(started.conversationId, (events) => {
    for (const event of events) {
      if (event.type !== 'approval.requested') continue
      const { tool, detail, directory } = event
      asked.push({ tool, detail, directory })
      void h.runtime.approvals.answer(event.approvalId, { answer, by: 'test' })
    }
  })
  const result = await h.clock.until(started.result)
  return { asked, result, ...seen(h) }
}

describe('a directory outside of the workspace', () => {
  test('is asked for once, and then what lies in it is open to the subagent, and nothing else', async () => {
    const explore = works(read('far.txt'), read('./new.txt'), read('../beside.txt'))
    const { asked, results, children } = await attended(
      family({ directory: '../out' }, { script: { explore } }),
    )
    expect(asked).toEqual([
      { tool: 'task', detail: `explore\nwith ${out}`, directory: root },
      { tool: 'read', detail: '../beside.txt', directory: out },
    ])
    expect(results.join()).toContain('far away')
    expect(results.join()).toContain('beside')
    expect(children[0]!.setup!.directory).toBe(out)
  })

  test('that a person denies starts nobody', async () => {
    const { children, answer } = await attended(family({ directory: '../out' }), 'deny')
    expect(answer).toContain('denied by User (test)')
    expect(children).toEqual([])
  })

  test('that a rule allows needs no person, and what lies in it needs the rule', async () => {
    const rule = (pattern: string): NonNullable<HarnessOptions['layers']> => [
      { name: 'user config', rules: [{ tool: 'external_directory', pattern, action: 'allow' }] },
    ]
    const script = { explore: works(read('far.txt')) }
    const all = await spawned({ directory: out }, { layers: rule(`${out}/**`), script })
    expect(all.results.join()).toContain('far away')
    const alone = await spawned({ directory: out }, { layers: rule(out), script })
    expect(alone.results.join()).toContain('(unattended)')
  })

  test('is denied again as soon as a rule denies it, in a later process too', async () => {
    const explore = [...works(read('far.txt'))]
    const h = family({ directory: out }, { script: { explore } })
    const { children } = await attended(h)
    const later = (layers: NonNullable<HarnessOptions['layers']> = []) =>
      harness({
        tools: tools(),
        layers,
        store: h.store,
        clock: realClock(),
        script: { explore: works(read('far.txt')), main: [{ text: 'read' }] },
      })
    const again = async (next: Harness) => {
      const { started } = await next.continue(children[0]!.branchId, where())
      await next.clock.until(started!.result)
      return seen(next).prompt.at(-1)
    }
    expect(await again(later())).toContain('far away')
    const deny: Rule = { tool: 'external_directory', action: 'deny' }
    expect(await again(later([{ name: 'user config', rules: [deny] }]))).toContain('denied by user config')
  })

  test('is open to what the subagent starts, though not to its parent', async () => {
    const general = [{ toolCalls: [task({}), read('far.txt')] }, { text: 'middle' }]
    const main = [
      { toolCalls: [task({ directory: out }, 'general'), read(join(out, 'far.txt'))] },
      { text: 'end' },
    ]
    const h = harness({
      clock: realClock(),
      tools: tools(),
      config: { limits: { maxDepth: 2 } },
      script: { main, general, explore: works(read('far.txt')) },
    })
    const { asked } = await attended(h)
    expect(asked.map(({ tool, directory }) => [tool, directory])).toEqual([
      ['task', root],
      ['read', root],
    ])
    const deepest = h.scripted.requests.findLast(({ depth }) => depth === 2)!
    expect(shownPrompt(deepest.options.prompt).at(-1)).toContain('far away')
  })

  test('whose name would be a pattern opens nothing: each path in it asks', async () => {
    const strange = join(base, 'o*t')
    mkdirSync(strange, { recursive: true })
    writeFileSync(join(strange, 'far.txt'), 'strange')
    const { asked } = await attended(
      family({ directory: strange }, { script: { explore: works(read('far.txt')) } }),
    )
    expect(asked.map(({ tool }) => tool)).toEqual(['task', 'read'])
  })

  test('of a command is decided too, whatever the command names', async () => {
    const layers = [
      { name: 'user config', rules: [{ tool: 'bash', pattern: 'ls *', action: 'allow' }] as Rule[] },
    ]
    const script = { explore: works(call('bash', { command: 'ls' })) }
    const h = family({ directory: 'link' }, { layers, script })
    const { asked, results, children } = await attended(h)
    expect(asked.map(({ tool }) => tool)).toEqual(['task'])
    expect(results.join()).toContain('far.txt')
    expect(children[0]!.setup!.directory).toBe(out)
    // what was imported from elsewhere has a directory, and no answer of a person
    for (const { id, kind } of h.store.find('rules', {}))
      if (kind === 'grant') await h.store.tx((tx) => void tx.delete('rules', id), { durable: true })
    const next = harness({
      tools: tools(),
      layers,
      store: h.store,
      clock: realClock(),
      script: { explore: works(call('bash', { command: 'ls' })), main: [{ text: 'read' }] },
    })
    const { started } = await next.continue(children[0]!.branchId, where())
    await next.clock.until(started!.result)
    expect(seen(next).prompt.at(-1)).toContain('external_directory asks by default')
  })
})

test('whatever a subagent in a directory of its own names: what is outside the workspace asks', async () => {
  const names = fc.array(
    fc.constantFrom('..', '.', 'pkg', 'a', 'link', 'own.txt', 'top.txt', 'out', 'far.txt'),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  const paths = fc.array(
    names.map((each) => each.join('/')),
    { minLength: 1, maxLength: 6 },
  )
  const commands = paths.map((each) => each.map((path) => `cat ${path}`))
  const scenario = fc.record({ directory: fc.constantFrom('pkg', 'pkg/a', 'pkg/a/../..'), paths, commands })
  const property = fc.asyncProperty(scenario, async ({ directory, paths, commands }) => {
    const explore = works(...paths.map(read), ...commands.map((command) => call('bash', { command })))
    const layers = [
      { name: 'user config', rules: [{ tool: 'bash', pattern: 'cat *', action: 'allow' }] as Rule[] },
    ]
    const { results } = await spawned({ directory }, { layers, script: { explore } })
    expect(results).not.toEqual([])
    expect(results.join()).not.toMatch(/far away|beside/)
  })
  await fc.assert(property, { numRuns: 25 })
})

describe.each(stores)('what a spawn was given, in the %s store,', (_, open) => {
  const given = {
    directory: 'pkg/a',
    effort: 'high',
    max_cost_usd: 0.5,
    max_tokens: 90_000,
    context_files: ['top.txt'],
  }
  const setup = () => ({
    directory: join(root, 'pkg/a'),
    effort: 'high',
    persona: null,
    contextFiles: [join(root, 'top.txt')],
    maxCostUsd: 0.5,
    maxTokens: 90_000,
  })

  test('holds for later runs on its branch, for its forks, and in another process', async () => {
    const store = await open()
    const first = await spawned(given, { store })
    const [child] = first.children
    expect(child).toMatchObject({ setup: setup(), limits: { maxCostUsd: 0.5, maxTokens: 90_000 } })
    const again = { explore: works(read('own.txt')), main: [{ text: 'read' }] }
    const next = harness({ clock: realClock(), tools: tools(), store, script: again })
    const { started } = await next.continue(child!.branchId, where())
    await started!.result
    expect(seen(next).prompt.at(-1)).toContain('my own')
    const later = store.find('runs', { where: { branchId: child!.branchId }, orderBy: 'id' }).at(-1)!
    expect(later).toMatchObject({ setup: setup(), limits: { maxCostUsd: 0.5, maxTokens: 90_000 } })
    expect(next.scripted.requests.find(({ depth }) => depth === 1)!.options.reasoning).toBe('high')
    const fork = harness({
      clock: realClock(),
      tools: tools(),
      store,
      script: { explore: works(read('own.txt')) },
    })
    const of = { branchId: child!.branchId, role: 'assistant' } as const
    const [answer] = store.find('messages', { where: of })
    const forked = await fork.fork(answer!.id, 'another way', where() as object)
    await forked.result
    expect(seen(fork).prompt.at(-1)).toContain('my own')
    expect(store.get('runs', forked.runId)).toMatchObject({ setup: setup() })
    await store.close()
  })

  test('holds for a run that a dead process left', async () => {
    const store = await open()
    const stuck = tool('stuck', { execute: () => new Promise(() => {}), idempotent: true })
    const explore = [{ toolCalls: [call('stuck', {})] }]
    const dead = family(given, { store, tools: [...tools(), stuck], script: { explore } })
    await dead.start('go', where())
    while (store.count('tool_calls', { tool: 'stuck', status: 'running' }) === 0) await dead.clock.settle()
    const back = harness({
      clock: realClock(),
      tools: [...tools(), tool('stuck')],
      store,
      script: { explore: works(read('own.txt')), main: [{ text: 'end' }] },
    })
    await back.recover(where())
    expect(seen(back).prompt.at(-1)).toContain('my own')
    expect(back.scripted.requests.find(({ depth }) => depth === 1)!.options.reasoning).toBe('high')
    await store.close()
  })
})

describe('the first context of a subagent', () => {
  const files = (system: string) =>
    system.slice(system.indexOf('# Reference files'), system.indexOf('# Limits'))

  test('has the files of its parent, its definition and the call, each once, or why it has not', async () => {
    const context_files = [
      'pkg/a/own.txt',
      './top.txt',
      'none.txt',
      'pkg',
      'image.png',
      'pkg/a/.env',
      '../out/far.txt',
    ]
    const agents = [
      agent('main', { contextFiles: ['top.txt'] }),
      agent('explore', { contextFiles: ['pkg/a/own.txt', 'gone.md'] }),
    ]
    const h = family({ context_files }, { agents })
    await (
      await h.start('go', { ...where(), agent: agents[0]! })
    ).result
    const { system } = seen(h)
    const shown = files(system)
    const names = [...shown.matchAll(/^--- (.*) ---$/gm)].map(([, name]) => name)
    expect(names).toEqual([
      'top.txt',
      'pkg/a/own.txt',
      'gone.md',
      'none.txt',
      'pkg',
      'image.png',
      'pkg/a/.env',
      join(out, 'far.txt'),
    ])
    expect(shown).toContain('--- top.txt ---\n```\nthe top\n```')
    expect(shown).toContain('--- gone.md ---\n(could not be read: gone.md: there is no such file')
    expect(shown).toContain('--- pkg ---\n(could not be read: pkg is a directory')
    expect(shown).toContain('--- image.png ---\n(could not be read: it is not text but image/png)')
    expect(shown).toContain(
      '--- pkg/a/.env ---\n(could not be read: nobody can be asked: pkg/a/.env looks like a secret',
    )
    expect(shown).not.toMatch(/SECRET|far away/)
  })

  test('names files from where it works, and those of the call from where its parent does', async () => {
    const { system } = await spawned({ directory: 'pkg/a', context_files: ['pkg/a/own.txt', 'top.txt'] })
    expect(files(system)).toContain('--- own.txt ---\n```\nmy own\n```')
    expect(files(system)).toContain(`--- ${join(root, 'top.txt')} ---\n\`\`\`\nthe top\n\`\`\``)
  })

  test('has a file that the rules ask about if a person allows it, and there is no call if not', async () => {
    const input = { context_files: ['pkg/a/.env', 'top.txt'] }
    const yes = await attended(family(input))
    expect(yes.asked).toEqual([
      { tool: 'task', detail: `explore\nwith ${join(root, 'pkg/a/.env')}`, directory: root },
    ])
    expect(files(yes.system)).toContain('SECRET=1')
    const no = await attended(family(input), 'deny')
    expect(no.children).toEqual([])
  })

  test('has no file that its parent may not read', async () => {
    const denied = { permissions: [{ tool: 'read', pattern: 'top.txt', action: 'deny' as const }] }
    const input = { context_files: ['top.txt'] }
    const start = async (main: AgentDefinition) => {
      const h = family(input)
      await h.clock.until((await h.start('go', { ...where(), agent: main })).result)
      return files(seen(h).system)
    }
    expect(await start(agent('main', denied))).toContain('denied by agent main: read top.txt')
    const main = agent('main', { tools: ['list', 'task'] })
    expect(await start(main)).toContain('main has no tool `read`')
    const h = family({ directory: 'pkg/a' })
    await (
      await h.start('go', { ...where(), agent: main })
    ).result
    expect(seen(h).children).toMatchObject([{ setup: { directory: join(root, 'pkg/a') } }])
  })

  test('is bounded, file by file and as a whole', async () => {
    const big = Array.from({ length: 6 }, (_, at) => `big${at}.txt`)
    for (const name of big) writeFileSync(join(root, name), 'a word\n'.repeat(100_000))
    const { system } = await spawned({ context_files: big })
    expect(files(system).length).toBeLessThan(70_000)
    expect(files(system)).toContain('(cut: 20000 of')
    expect(files(system)).toContain('there is no room for more')
    for (const name of big) rmSync(join(root, name))
  })

  test('has a persona that was asked for, and of a general one that of its parent, as inherited', async () => {
    const agents = [
      agent('main', { prompt: 'Main manner.' }),
      agent('general'),
      agent('explore'),
      agent('critic', { prompt: 'Be terse.' }),
    ]
    const asked = await spawned({ persona: 'critic' }, { agents })
    expect(asked.system).toMatch(/^system # Persona, of the agent critic\n.*\nBe terse\.\n\n# Role: explore/)
    expect((await spawned({}, { agents })).system).toMatch(/^system # Role: explore/)
    const unknown = await spawned({ persona: 'nobody' }, { agents })
    expect(unknown.answer).toContain('there is no agent "nobody" to take the persona from')
    expect(unknown.answer).toContain('main, general, explore, critic')
    const deep = harness({
      clock: realClock(),
      tools: tools(),
      agents,
      config: { limits: { maxDepth: 2 } },
      script: {
        main: [{ toolCalls: [task({}, 'general'), task({ persona: 'critic' }, 'general')] }, { text: 'end' }],
        general: [
          { toolCalls: [task({}, 'general')] },
          { toolCalls: [task({}, 'general')] },
          ...Array.from({ length: 4 }, () => ({ text: 'r' })),
        ],
      },
    })
    await (
      await deep.start('go', where())
    ).result
    const systems = deep.scripted.requests
      .filter(({ depth }) => depth > 0)
      .map(({ depth, options }) => {
        const [first] = shownPrompt(options.prompt)
        return `${depth} ${/^system # Persona, (.*)\n.*\n(.*)\n/.exec(first!)?.slice(1).join(': ')}`
      })
    expect([...new Set(systems)].toSorted()).toEqual([
      '1 inherited from the agent main that started you: Main manner.',
      '1 of the agent critic: Be terse.',
      '2 inherited from the agent critic that started you: Be terse.',
      '2 inherited from the agent main that started you: Main manner.',
    ])
  })

  test('has the schemas that were handed over, and restricts nothing by them', async () => {
    const { system, h } = await spawned({ tools: { files: ['Read', 'glob'] } })
    expect(system).toContain('# Tools at hand')
    expect(system).toMatch(/\{"name":"read".*"file_path"/)
    expect(system).toMatch(/\n\{"name":"glob"/)
    const offered = h.scripted.requests.find(({ depth }) => depth === 1)!.options.tools!
    expect(offered.map(({ name }) => name)).toEqual(['read', 'glob', 'list', 'write', 'bash'])
  })

  test.each<[object, string]>([
    [{ files: ['wizard'] }, 'you have no tool "wizard" to hand over'],
    [{ shell: ['read'] }, 'read is in files, not in "shell"'],
    [{ files: ['write'] }, 'explore has no tool write'],
    [{ shell: ['bash'] }, 'you have no tool "bash" to hand over'],
    [{ agents: ['task'] }, 'task needs no schema'],
  ])('cannot have the schemas %j', async (schemas, why) => {
    const agents = [
      agent('main', { tools: ['files', 'task'] }),
      agent('explore', { disallowedTools: ['write'] }),
    ]
    const h = family({ tools: schemas }, { agents })
    await (
      await h.start('go', { ...where(), agent: agents[0]! })
    ).result
    expect(seen(h).answer).toContain(why)
    expect(seen(h).children).toEqual([])
  })

  test('says how many turns there are, and does not change with what it was made of', async () => {
    const { h, children, system } = await spawned({ max_turns: 7 })
    expect(system).toContain('You have 7 turns.')
    expect(system).toContain('- pkg/'.slice(2))
    writeFileSync(join(root, 'AGENTS.md'), 'Use tabs.')
    const agents = [agent('main'), agent('explore', { prompt: 'Quite another.' })]
    const script = { explore: [{ text: 'more' }], main: [{ text: 'read' }] }
    const next = harness({ clock: realClock(), tools: tools(), agents, store: h.store, script })
    const { started } = await next.continue(children[0]!.branchId, where())
    await started!.result
    expect(seen(next).system).toBe(system)
    rmSync(join(root, 'AGENTS.md'))
  })
})

test('a main agent has the files of its definition', async () => {
  const h = harness({ clock: realClock(), tools: tools(), script: { main: [{ text: 'hi' }] } })
  const main = agent('main', { contextFiles: ['top.txt', 'pkg/a/.env'], effort: 'low' })
  await (
    await h.start('go', { ...where(), agent: main })
  ).result
  const [request] = h.scripted.requests
  const [system] = shownPrompt(request!.options.prompt)
  expect(system).toContain('--- top.txt ---\n```\nthe top\n```')
  expect(system).toContain('(could not be read: nobody can be asked')
  expect(request!.options.reasoning).toBe('low')
})

test('a subagent that a person starts has what a definition says of it', async () => {
  const agents = [
    agent('main', { contextFiles: ['top.txt'], prompt: 'Main manner.' }),
    agent('general', { effort: 'max' }),
    agent('explore'),
  ]
  const h = harness({ clock: realClock(), tools: tools(), agents, script: { general: [{ text: 'r' }] } })
  await (
    await h.spawn('look', { ...where(), agent: agents[1]! })
  ).result
  const [request] = h.scripted.requests
  const [system] = shownPrompt(request!.options.prompt)
  expect(system).toContain('# Persona, inherited from the agent main that started you')
  expect(system).toContain('--- top.txt ---')
  expect(request!.options.reasoning).toBe('max')
})

describe('effort', () => {
  const reasoning = ({ h }: { h: Harness }) =>
    h.scripted.requests.map(({ depth, options }) => [depth, options.reasoning])

  test('is sent with each request of the subagent: what the call says, else its definition', async () => {
    const agents = [agent('main'), agent('explore', { effort: 'minimal' })]
    const script = { explore: works(read('top.txt')) }
    expect(reasoning(await spawned({ effort: 'high' }, { agents, script }))).toEqual([
      [0, undefined],
      [1, 'high'],
      [1, 'high'],
      [0, undefined],
    ])
    expect(reasoning(await spawned({}, { agents }))[1]).toEqual([1, 'minimal'])
    expect(reasoning(await spawned({}))[1]).toEqual([1, undefined])
  })
})

describe('a first turn of a subagent without a call', () => {
  /** What a model of this kind is asked by the subagent, and what the subagent reports. */
  async function asked(
    answers: readonly (readonly unknown[])[],
    more: Partial<HarnessOptions> = {},
    input = {},
  ) {
    const prompts: string[] = []
    let n = 0
    const model = rawModel((_, { depth, messages }) => {
      if (depth === 0)
        return [
          ...(n++ === 0
            ? [called('task', JSON.stringify({ prompt: 'look', subagent_type: 'explore', ...input }))]
            : said('end')),
          finish(),
        ]
      const last = messages.at(-1)!
      prompts.push(
        `${last.role}: ${last.parts.map((part) => ('text' in part ? part.text : part.type)).join()}`,
      )
      return [...answers[prompts.length - 1]!, finish()]
    })
    const agents = [agent('main'), agent('explore', { firstTurnReminder: true })]
    const h = harness({ tools: [tool('look')], agents, model, ...more })
    const { subagents } = await h.run('go')
    const message = subagents[0]!.reportMessageId!
    const [part] = h.store.find('parts', { where: { messageId: message } })
    return { prompts, row: subagents[0]!, text: (part!.part as { text: string }).text }
  }

  test('is answered once with a reminder; the next one is the report', async () => {
    const { prompts, row, text } = await asked([said('a guess'), said('the report')])
    expect(prompts).toEqual(['user: look', expect.stringContaining('without a single call of a tool')])
    expect(row).toMatchObject({ status: 'completed', turns: 2 })
    expect(text).toBe('the report')
  })

  test('counts where it has called before, or has no tools, or no turn is left', async () => {
    expect((await asked([[called('look')], said('the report')])).prompts).toHaveLength(2)
    expect((await asked([said('the report')], { tools: [] })).prompts).toHaveLength(1)
    expect((await asked([said('the report')], {}, { max_turns: 1 })).prompts).toHaveLength(1)
  })

  test('is the report where its agent does not ask for more', async () => {
    const { h } = await spawned({}, { tools: [tool('look')] })
    expect(h.scripted.requests.filter(({ depth }) => depth === 1)).toHaveLength(1)
  })
})
