import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ToolResultPart } from '../src/core/message.ts'
import { outputForModel } from '../src/core/report/report-envelope.ts'
import { mechanisms } from './support/faults.ts'
import { TestUser } from './support/test-user.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGE = readFileSync(join(ROOT, 'docs/control.md'), 'utf8')
const block = (language: string) => new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(PAGE)![1]!

let user: TestUser

beforeEach(() => {
  user = new TestUser({ 'wait.sh': 'while [ ! -e go ]; do sleep 0.02; done' })
})

afterEach(() => user.remove())

it('docs/control.md shows commands that do what stands beside them', async () => {
  const waits = { toolCalls: [{ tool: 'bash', input: { command: 'sh wait.sh' } }] }
  const model = user.script({
    main: [{ match: 'only the parser', text: 'The parser it is.' }, waits],
  })
  user.write(
    'offshoot.jsonc',
    '{"permissions": [{"tool": "bash", "pattern": "sh wait.sh", "action": "allow"}]}',
  )
  await user.trust()
  const program = user.start(['run', 'Go.', '-m', model])
  await program.untilStderr('$ sh wait.sh')
  const [run] = JSON.parse((await user.call(['ps', '--json'])).stdout) as { id: string }[]
  const ids: Record<string, string> = { RUN: run!.id, UNKNOWN: 'run_00000000000000000000000000' }
  const lines = block('sh').trimEnd().split('\n')
  expect(lines).toHaveLength(6)
  const said: string[] = []
  for (const line of lines) {
    const [command = '', comment = ''] = line.split(/\s+#\s/)
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
    const args = words.slice(1).map((word) => ids[word] ?? word)
    if (args[0] === 'continue') {
      expect(await program.ended).toMatchObject({ code: 4 })
      user.write('go', '')
    }
    const { code, stdout, stderr } = await user.call(args)
    const exit = /^exit (\d)/.exec(comment)?.[1] ?? '0'
    expect([line, String(code)], stderr).toEqual([line, exit])
    said.push(stdout + stderr)
  }
  const [steered, interrupted, again, continued, cancelled, unknown] = said
  expect(steered).toContain('reads it at its next turn')
  expect(interrupted).toContain('paused (user)')
  expect(again).toContain('there is nothing to interrupt')
  expect(continued).toContain('The parser it is.')
  expect(cancelled).toContain(`already_finished: ${run!.id} is completed`)
  expect(unknown).toContain('not_found')
})

it('its limits are read, and pause what goes in circles, with the report that it shows', async () => {
  user.write('offshoot.jsonc', block('jsonc'))
  await user.trust()
  const { stdout } = await user.call(['config'])
  for (const line of [/stallMs.*1000/, /maxIdenticalCalls.*3/, /timeoutMs.*600000/])
    expect(stdout).toMatch(line)
  const list = { tool: 'list', input: {} }
  const task = { tool: 'task', input: { prompt: 'Look.', subagent_type: 'general' } }
  const model = user.script({
    main: [{ toolCalls: [task] }, { text: 'Without it.' }],
    general: [
      { text: 'I look for it.', toolCalls: [list] },
      ...Array.from({ length: 9 }, () => ({ toolCalls: [list] })),
    ],
  })
  const ended = await user.run(['run', 'Go.', '-m', model])
  expect(ended).toMatchObject({ code: 0, stdout: 'Without it.\n' })
  const parts = user.rows(
    'SELECT part FROM parts WHERE part LIKE \'%"tool-result"%\' AND part LIKE \'%"subagent"%\'',
  )
  const { output } = JSON.parse(String(parts[0]!['part'])) as ToolResultPart
  const shown = outputForModel(output)
    .replaceAll(/brn_\w+/g, 'BRANCH')
    .replace(/\d+\.\d s/, 'SECONDS s')
  expect(shown.slice(0, block('text').length)).toBe(block('text'))
})

it('its table names scenarios that switch off what it says, and misses none', () => {
  const rows = [...PAGE.matchAll(/^\| (P\d) .* \| (.*) \| `(p\d-\w+)` \|$/gm)]
  const scenarios = globSync('test/e2e/promises/*.test.ts', { cwd: ROOT })
  expect(rows.map(([, , , name]) => `${name}.test.ts`)).toEqual(
    scenarios.map((path) => basename(path)).toSorted(),
  )
  for (const [, promise, named, name] of rows) {
    expect(name!.startsWith(`${promise!.toLowerCase()}-`)).toBe(true)
    const text = readFileSync(join(ROOT, 'test/e2e/promises', `${name}.test.ts`), 'utf8')
    const switched = mechanisms.filter((each) => text.includes(`('${each}')`))
    expect([...named!.matchAll(/`([\w-]+)`/g)].map(([, each]) => each)).toEqual(
      switched.toSorted(byPlace(named!)),
    )
  }
})

it('nothing that is published knows a switch', () => {
  const sources = globSync('{src,dist}/**/*.{ts,js}', { cwd: ROOT, exclude: ['**/*.test.ts'] })
  expect(sources.length).toBeGreaterThan(100)
  const naming = sources.filter((path) =>
    /\b(?:TEST_OFF|isOff)\b/.test(readFileSync(join(ROOT, path), 'utf8')),
  )
  expect(naming).toEqual([])
})

function byPlace(text: string) {
  return (a: string, b: string) => text.indexOf(a) - text.indexOf(b)
}
