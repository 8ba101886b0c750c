import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freshCopy, temporaryFolder, userEnvironment } from '../support/fresh-copy.ts'
import { type Ended, StartedProgram, processesWith } from '../support/started-program.ts'

const INSTALL_MS = 300_000
const QUESTION = 'Where are permissions decided, and which tests cover it?'

// Beside the clone, not in it: the program must not find its own data when it searches the folder.
const home = temporaryFolder('home')
const mark = `OFFSHOOT_HOME=${home}`
let clone: string
let first: Ended

beforeAll(async () => {
  clone = freshCopy()
  first = await start('--version').ended
}, INSTALL_MS)

afterEach(() => {
  // Only after a failed test is there anything to end.
  for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL')
})

afterAll(() => {
  for (const folder of [clone, home]) rmSync(folder, { recursive: true, force: true })
})

describe('npm start in a fresh clone', () => {
  it('installs, says so on stderr, and leaves stdout to the program', () => {
    expect(first).toMatchObject({ code: 0, stdout: '0.1.0\n' })
    expect(first.stderr).toContain('Installing dependencies')
  })

  it('starts without a word once it is installed', async () => {
    expect(await start('--version').ended).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' })
  })

  it('prints the answer and nothing else', async () => {
    const json = await start('run', QUESTION, '-m', 'offline', '--output-format', 'json').ended
    const { text, status, subagents } = JSON.parse(json.stdout) as ResultDocument
    expect(status).toBe('completed')
    expect(ranTogether(subagents)).toBe(true)
    expectTrueCitations(text, 5)
    expect(await start('run', QUESTION, '-m', 'offline').ended).toMatchObject({
      code: 0,
      stdout: `${text}\n`,
    })
  }, 180_000)

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends on %s to npm with %d, and leaves no process', async (signal, code) => {
    const program = start('run', 'Wait.', '-m', `scripted:${modelThatHangs()}`)
    await program.untilStderr('hold the line')
    program.kill(signal)
    expect(await program.ended).toMatchObject({ code, signal: null })
    expect(processesWith(mark)).toEqual([])
  })
})

/** What `--output-format json` prints, as far as it is looked at here. */
interface ResultDocument {
  readonly text: string
  readonly status: string
  readonly subagents: readonly { readonly started_at: number; readonly ended_at: number }[]
}

/** Whether two of them were at work at the same time. */
function ranTogether(subagents: ResultDocument['subagents']): boolean {
  return subagents.some((one) =>
    subagents.some(
      (other) => other !== one && other.started_at <= one.started_at && one.started_at < other.ended_at,
    ),
  )
}

/** `path:line` and then at least eight characters of that line in backticks. */
function expectTrueCitations(text: string, atLeast: number): void {
  const citations = [...text.matchAll(/(\S+):(\d+) `([^`]{8,})`/g)]
  expect(citations.length).toBeGreaterThanOrEqual(atLeast)
  for (const [, path, line, quoted] of citations) {
    const lines = readFileSync(join(clone, path!), 'utf8').split('\n')
    expect(lines[Number(line) - 1], `${path}:${line}`).toContain(quoted)
  }
}

function start(...args: string[]): StartedProgram {
  return new StartedProgram(['npm', 'start', '--', ...args], { cwd: clone, env: userEnvironment(home) })
}

/** A main agent whose subagent gets no answer for longer than any test takes. */
function modelThatHangs(): string {
  const input = { subagent_type: 'explore', description: 'hold the line', prompt: 'Hold the line.' }
  const script = {
    agents: {
      main: [{ toolCalls: [{ tool: 'task', input }] }],
      explore: [{ text: 'Too late.', delayMs: 3_600_000 }],
    },
  }
  const file = join(home, 'model-that-hangs.json')
  writeFileSync(file, JSON.stringify(script))
  return file
}
