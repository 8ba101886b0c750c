import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { programCommands } from '../../../test/support/program-commands.ts'
import { TestUser } from '../../../test/support/test-user.ts'
import { commandPath, LATER } from '../help.ts'
import { completionTable, NAMED, type CommandEntry } from './command-table.ts'

const user = new TestUser({ 'a file.json': '{}', 'docs/x.txt': '' })
const program = programCommands()[0]!.parent!
const table = completionTable(program)
const entry = (path: string): CommandEntry => table.find((each) => each.path === path)!

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0
const scripts: Record<string, string> = {}

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    scripts[shell] = (await user.call(['completion', shell])).stdout
  const bin = join(user.root, 'bin')
  mkdirSync(bin)
  const start = user.command([]).map((word) => `'${word}'`)
  writeFileSync(join(bin, 'offshoot'), `#!/bin/sh\nexec ${start.join(' ')} "$@"\n`, { mode: 0o755 })
  user.env['PATH'] = `${bin}${delimiter}${user.env['PATH']}`
  await user.call(['run', 'The first question', '-m', user.script({ main: [{ text: 'Good.' }] })])
})
afterAll(() => user.remove())

const AGENTS = ['ls', 'show', 'check', 'import', 'export', 'commands']

describe('the table', () => {
  test('has every command that is there, and none that is not', () => {
    const there = programCommands().filter((command) => command.helpGroup() !== LATER)
    expect(table.map(({ path }) => path)).toEqual(['', ...there.map(commandPath)])
    expect(entry('run').options.flatMap(({ flags }) => flags)).toEqual(
      expect.arrayContaining(['--model', '-m', '--mode', '--background', '--help', '-h']),
    )
    expect(entry('agents').commands.map(({ name }) => name)).toEqual(AGENTS)
  })

  test('knows what the name of each argument and value stands for', () => {
    const named = programCommands().flatMap((command) => [
      ...command.registeredArguments.filter(({ argChoices }) => !argChoices).map((each) => each.name()),
      ...command.options
        .filter(
          ({ argChoices, long, hidden }) => !hidden && !argChoices && !/^--(agent|conversation)$/.test(long!),
        )
        .flatMap(({ flags }) => /[<[]([^>\]]+)/.exec(flags)?.[1] ?? []),
    ])
    const known = new Set(Object.keys(NAMED))
    expect([...new Set(named)].filter((name) => !known.has(name.replace('...', '')))).toEqual([])
  })

  test('has values and choices', () => {
    const mode = entry('run').options.find(({ flags }) => flags.includes('--mode'))
    expect(mode?.values).toEqual({ type: 'words', words: ['plan', 'ask', 'accept-edits', 'auto'] })
    expect(entry('show').places).toEqual([{ type: 'ask', what: 'ids' }])
    expect(entry('cancel')).toMatchObject({ places: [{ type: 'ask', what: 'ids' }], repeats: true })
  })
})

describe('the script', () => {
  test.each(['bash', 'zsh', 'fish'].filter(isInstalled))('of %s is one that it can read', (shell) => {
    expect(spawnSync(shell, ['-n'], { input: scripts[shell]! })).toMatchObject({ status: 0 })
  })

  test.each(['bash', 'zsh', 'fish'])('of %s has every command and option', (shell) => {
    for (const { path, options } of table) {
      const name = path.split(' ').at(-1)!
      expect(scripts[shell]).toContain(name)
      for (const flag of options.flatMap(({ flags }) => flags))
        expect(scripts[shell], `${path} ${flag}`).toContain(shell === 'fish' ? flag.replace(/^-+/, '') : flag)
    }
  })

  test('is refused for another shell', async () => {
    expect(await user.call(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"tcsh" is invalid.*bash, zsh, fish/),
    })
    expect(await user.call(['completion'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/missing/),
    })
  })
})

describe('in bash', () => {
  /** What stands in COMPREPLY after a tab at the end of these words; bash itself splits at = and :. */
  function complete(...words: string[]): string[] {
    const program = `${scripts['bash']}
COMP_WORDS=(offshoot "$@") COMP_CWORD=$#
_offshoot
[[ \${#COMPREPLY[@]} == 0 ]] || printf '%s\\n' "\${COMPREPLY[@]}"`
    const printed = execFileSync('bash', ['--norc', '-uc', program, 'bash', ...words], {
      cwd: user.directory,
      env: user.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return printed.split('\n').slice(0, -1)
  }

  test('commands', () => {
    expect(complete('')).toEqual(entry('').commands.map(({ name }) => name))
    expect(complete('ru')).toEqual(['run'])
    expect(complete('agents', '')).toEqual(AGENTS)
    expect(complete('agents', '-C', 'show', 's')).toEqual(['show'])
    expect(complete('--debug', 'mod')).toEqual(['models'])
    expect(complete('serv')).toEqual(['serve'])
    expect(complete('acp')).toEqual([])
    expect(complete('nonsense', '')).toEqual([])
  })

  test('options and their values', () => {
    expect(complete('run', '--mod')).toEqual(['--model', '--mode'])
    expect(complete('run', 'hi', '--mode', 'a')).toEqual(['ask', 'accept-edits', 'auto'])
    expect(complete('run', '--mode', '=', 'pl')).toEqual(['plan'])
    expect(complete('run', '--mode', '=')).toEqual(['plan', 'ask', 'accept-edits', 'auto'])
    expect(complete('run', '-m', 'scripted', ':', 'x', '--agen')).toEqual(['--agent'])
    expect(complete('export', '--format', '')).toContain('md')
    expect(complete('run', '--max-turns', '')).toEqual([])
    expect(complete('run', 'a prompt')).toEqual([])
  })

  test('files and directories', () => {
    expect(complete('import', 'a')).toEqual(['a file.json'])
    expect(complete('ls', '-C', 'd')).toEqual(['docs'])
  })

  test('what the program knows: conversations, agents, models', () => {
    expect(complete('rm', 'cnv_')).toEqual([expect.stringMatching(/^cnv_[0-9A-Z]{26}$/)])
    expect(complete('show', 'run_')).toEqual([expect.stringMatching(/^run_/)])
    expect(complete('agents', 'show', 'expl')).toEqual(['explore'])
    expect(complete('run', '-m', 'off')).toEqual(['offline'])
  }, 20_000)
})

describe('what the scripts ask for', () => {
  test('makes no store, and says nothing where something is wrong', async () => {
    const home = join(user.root, 'nowhere')
    const [none, broken] = [{ OFFSHOOT_HOME: home }, { OFFSHOOT_HOME: user.write('a-file', 'x') }]
    const store = join(user.root, 'damaged')
    mkdirSync(store)
    writeFileSync(join(store, 'offshoot.db'), 'x'.repeat(5000))
    for (const env of [none, broken, { OFFSHOOT_HOME: store }])
      for (const what of ['ids', 'conversations', 'branches', 'runs', 'items', 'grants'])
        expect(await user.call(['__complete', what], { env })).toMatchObject({
          code: 0,
          stdout: '',
          stderr: '',
        })
    expect(readdirSync(user.root)).not.toContain('nowhere')
    expect(readdirSync(store)).toEqual(['offshoot.db'])
  })

  test('holds no word that a shell would read as anything but a word', async () => {
    user.write('.offshoot/agents/bad.md', '---\nname: $(touch made)\ndescription: "x\\tmore\\e[31m"\n---\nx')
    user.write('.offshoot/agents/good.md', '---\nname: good\ndescription: "x\\tmore\\e[31m `y`"\n---\nx')
    const { stdout } = await user.call(['__complete', 'agents'])
    expect(stdout).toMatch(/^good\tx more␛\[31m `y`$/m)
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^[\w./:@+-]+\t[^\t]*$/)
  })

  test('is in no list of commands', async () => {
    expect((await user.call(['--help'])).stdout).not.toContain('__complete')
    expect(scripts['bash']).not.toMatch(/'__complete'/)
  })
})
