import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Makes one of the documents beside this file with the program of a checkout, so that it is what users of that program
 * have exported. NAME is the version of its store:
 *
 *     node test/old-exports/make.ts NAME --program CHECKOUT
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { program: { type: 'string', default: join(import.meta.dirname, '../..') } },
})
const [name] = positionals
if (name === undefined) throw new Error('usage: node test/old-exports/make.ts NAME --program CHECKOUT')

const root = mkdtempSync(join(tmpdir(), 'offshoot-garden-'))
const work = join(root, 'garden')
const main = join(values.program, 'src/cli/main.ts')
const env = {
  PATH: process.env['PATH'],
  HOME: root,
  OFFSHOOT_HOME: join(root, 'home'),
  OLLAMA_HOST: 'http://127.0.0.1:9',
}

const read = [{ tool: 'read', input: { path: 'README.md' } }]
const task = (agent: string, prompt: string, more: object = {}) => ({
  tool: 'task',
  input: { agent, task: prompt, description: prompt.split(' ').at(-1), ...more },
})

/** A report that a call waits for, one that comes by itself, and one of a subagent that pauses at its limit. */
const SCRIPT = {
  agents: {
    main: [
      {
        text: 'Three look.',
        toolCalls: [
          task('explore', 'find the place'),
          task('general', 'count the plants', { run_in_background: true }),
          task('reviewer', 'look for weeds', { run_in_background: true, max_turns: 1 }),
        ],
      },
      { text: 'I wait for the others.' },
      { text: 'Two plants, in README.md.' },
      { text: 'And no weeds.' },
    ],
    explore: [{ text: 'I read it.', toolCalls: read }, { text: 'It says > this:\n</b> a "garden" ä 😀' }],
    general: [{ toolCalls: read }, { text: 'I counted <two>.\n\n> a quote' }],
    reviewer: [{ text: 'I begin.', toolCalls: read }, { text: 'No weeds.' }],
  },
}

/** What each agent says when it is told to look again: two turns, and one. */
const again = [{ text: 'I look again.', toolCalls: read }, { text: 'It is as it was.' }]
const answer = again.slice(1)
const AGAIN = { agents: { main: answer, explore: again } }
const ONCE_MORE = { agents: { main: answer, explore: answer } }

mkdirSync(work)
writeFileSync(join(work, 'README.md'), '# Garden\n')
script(SCRIPT)
run('run', '-m', `scripted:${join(root, 'script.json')}`, 'How many plants?')
const [{ id }] = JSON.parse(run('ls', '--json')) as [{ readonly id: string }]
continueExplore(id)
const document = join(import.meta.dirname, 'documents', `${name}.json`)
writeFileSync(document, run('export', id).replaceAll(root, '/home/ada'))
rmSync(root, { recursive: true })
process.stdout.write(`${document}\n`)

function script(content: object): void {
  writeFileSync(join(root, 'script.json'), JSON.stringify(content))
}

/** It then has runs of 2, 2 and 1 turns; its parent, which reads each report, has runs with turns of their own. */
function continueExplore(id: string): void {
  const { messages } = JSON.parse(run('export', id)) as { readonly messages: readonly Branches[] }
  const found = messages.flatMap(({ branches = [] }) => branches)
  const branch = found.find(({ metadata }) => metadata.agent === 'explore')!
  script(AGAIN)
  run('continue', branch.id, 'Look again.')
  script(ONCE_MORE)
  run('continue', branch.id)
}

interface Branches {
  readonly branches?: readonly { readonly id: string; readonly metadata: { readonly agent: string } }[]
}

function run(...args: string[]): string {
  const options = { cwd: work, env, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options)
  if (status !== 0) throw new Error(`${args.join(' ')}: exit code ${status}\n${stderr}`)
  return stdout
}
