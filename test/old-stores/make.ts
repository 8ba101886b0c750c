import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { constants, zstdCompressSync } from 'node:zlib'

/**
 * Makes one of the stores beside this file with the program of a checkout, so that it is what users of that program have
 * (07-of-first is what a program of version 7 has made of 01-first). Call it after a change of the schema, and once for
 * each text that a migration has ever had:
 *
 *     node test/old-stores/make.ts NAME [--program CHECKOUT]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { program: { type: 'string', default: join(import.meta.dirname, '../..') } },
})
const [name] = positionals
if (name === undefined) throw new Error('usage: node test/old-stores/make.ts NAME [--program CHECKOUT]')

const root = mkdtempSync(join(tmpdir(), 'offshoot-garden-'))
const work = join(root, 'garden')
const home = join(root, 'home')
const file = join(home, 'offshoot.db')
const main = join(values.program, 'src/cli/main.ts')
const env = { PATH: process.env['PATH'], HOME: root, OFFSHOOT_HOME: home, OLLAMA_HOST: 'http://127.0.0.1:9' }

const FILES = {
  'README.md': '# Garden\n\nA list of plants.\n',
  'water.js': 'export function water(plant) {\n  return `${plant} is watered`\n}\n',
}

/** A subagent, a todo list, a long output (an artifact), a denied command, a written file. */
const SCRIPT = {
  agents: {
    main: [
      {
        text: 'I shall look.',
        toolCalls: [
          { tool: 'task', input: { agent: 'explore', task: 'find the place', description: 'find' } },
          { tool: 'todo', input: { items: [{ text: 'water the plants', status: 'in_progress' }] } },
          { tool: 'bash', input: { command: 'seq 1 30000', description: 'count' } },
          { tool: 'write', input: { path: 'note.md', content: 'A note: ä €.\n' } },
        ],
      },
      { text: 'It is in water.js.' },
    ],
    '*': [
      { text: 'I read it.', toolCalls: [{ tool: 'read', input: { path: 'water.js' } }] },
      { text: 'It is in water.js, line 2.' },
    ],
  },
}

/** Two turns, and one. */
const AGAIN = {
  agents: {
    main: [
      { text: 'I look again.', toolCalls: [{ tool: 'read', input: { path: 'water.js' } }] },
      { text: 'It is still there.' },
    ],
  },
}
const STILL = [{ text: 'It is still there.' }]
const ONCE_MORE = { agents: { main: STILL, '*': STILL } }

const SLOW = { agents: { main: [{ text: 'This comes too late.', delayMs: 60_000 }] } }

mkdirSync(work)
for (const [path, content] of Object.entries(FILES)) writeFileSync(join(work, path), content)
run('-m', 'offline', 'Where is a plant watered?')
run('-m', script('whole', SCRIPT), '--mode', 'auto', 'Water the plants.')
continueWhole()
run('-m', script('asks', SCRIPT), '--mode', 'ask', 'Water the plants, and ask.')
continueSubagent()
await killed('-m', script('slow', SLOW), 'Say something long.')
const store = join(import.meta.dirname, 'stores', `${name}.db.zst`)
writeFileSync(store, packed())
rmSync(root, { recursive: true })
process.stdout.write(`${store}\n`)

function script(title: string, content: object): string {
  const path = join(root, `${title}.json`)
  writeFileSync(path, JSON.stringify(content))
  return `scripted:${path}`
}

function run(...args: string[]): void {
  offshoot('run', ...args)
}

/** Its main branch then has runs of 2, 2 and 1 turns. */
function continueWhole(): void {
  script('whole', AGAIN)
  offshoot('continue', latest('main'), 'Look again.')
  script('whole', ONCE_MORE)
  offshoot('continue', latest('main'))
}

/** Its subagent has runs of 2 turns and 1; then its main branch, which reads the report, has one with turns of its own. */
function continueSubagent(): void {
  script('asks', ONCE_MORE)
  offshoot('continue', latest('explore'), 'Look again.')
}

function latest(agent: string): string {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const row = db.prepare('SELECT branch_id FROM runs WHERE agent = ? ORDER BY id DESC LIMIT 1').get(agent)
  db.close()
  return String(row!['branch_id'])
}

function offshoot(...args: string[]): void {
  const options = { cwd: work, env, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], options)
  if (status !== 0) process.stderr.write(`${args.join(' ')}: exit code ${status}\n${stderr}\n`)
}

/** Ends a program while it waits for the model. */
async function killed(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [main, 'run', ...args], { cwd: work, env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  while (!isRunning()) await setTimeout(100)
  child.kill('SIGKILL')
  await ended
}

function isRunning(): boolean {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const rows = db.prepare("SELECT 1 FROM runs WHERE status = 'running'").all()
  db.close()
  return rows.length > 0
}

/** Without the name of this machine, and without the log that the killed program left. */
function packed(): Buffer {
  const db = new DatabaseSync(file)
  db.exec("UPDATE leases SET host = 'a-machine', boot_id = 'a-boot'")
  db.exec('PRAGMA wal_checkpoint(TRUNCATE); VACUUM')
  db.close()
  return zstdCompressSync(readFileSync(file), { params: { [constants.ZSTD_c_compressionLevel]: 19 } })
}
