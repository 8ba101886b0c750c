import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder, userEnvironment } from '../support/fresh-copy.ts'
import { type Ended, processesWith, StartedProgram } from '../support/started-program.ts'

const ROOT = join(import.meta.dirname, '../..')

const project = temporaryFolder('user-project')
const home = temporaryFolder('home')
const installed = join(project, 'node_modules/offshoot')

beforeAll(async () => {
  await succeed('npm', 'run', 'build', '--prefix', ROOT)
  await succeed('npm', 'pack', join(ROOT, 'dist'))
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  await succeed('npm', 'install', `./${globSync('offshoot-*.tgz', { cwd: project })[0]}`)
}, 300_000)

afterAll(() => {
  for (const folder of [project, home]) rmSync(folder, { recursive: true, force: true })
})

describe('what is published', () => {
  it('holds nothing of development', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object
    for (const key of ['private', 'scripts', 'devDependencies', 'optionalDependencies']) {
      expect(manifest).not.toHaveProperty(key)
    }
    const sources = globSync('**/*.ts', { cwd: installed, exclude: ['node_modules', '**/*.d.ts'] })
    expect(sources).toEqual([])
    expect(globSync('node_modules/node-*', { cwd: project })).toEqual([])
  })

  it('can be imported', async () => {
    const code = `await import('offshoot'); await import('offshoot/testing')`
    expect(await run('--input-type=module', '--eval', code)).toMatchObject({ code: 0, stderr: '' })
  })

  it('runs as a command', async () => {
    expect(await run('node_modules/.bin/offshoot', '--version')).toMatchObject({ code: 0, stdout: '0.1.0\n' })
  })

  it('answers a question, so the files that it reads came along', async () => {
    const args = [
      'run',
      'Where is the changelog?',
      '-C',
      installed,
      '-m',
      'offline',
      '--output-format',
      'json',
    ]
    const { code, stdout } = await run('node_modules/.bin/offshoot', ...args)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed' })
  }, 120_000)

  it('leaves no process when it is killed, so the program of its guard came along', async () => {
    const call = { tool: 'bash', input: { command: 'setsid sleep 1000 & kill -9 $PPID' } }
    const script = join(home, 'killed.json')
    writeFileSync(script, JSON.stringify({ agents: { main: [{ toolCalls: [call] }] } }))
    const args = ['run', 'Go.', '-m', `scripted:${script}`, '--mode', 'auto']
    const { signal } = await run('node_modules/.bin/offshoot', ...args)
    expect(signal).toBe('SIGKILL')
    await expect.poll(() => processesWith(`HOME=${home}`), { timeout: 10_000 }).toEqual([])
  })
})

/** In the user's project, with the Node that these tests run on. */
function run(...args: string[]): Promise<Ended> {
  const env = { ...userEnvironment(home), HOME: home }
  return new StartedProgram([process.execPath, ...args], { cwd: project, env }).ended
}

async function succeed(...command: [string, ...string[]]): Promise<void> {
  const { code, stderr } = await new StartedProgram(command, { cwd: project, env: userEnvironment(home) })
    .ended
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${stderr}`)
}
