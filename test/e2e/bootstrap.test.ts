import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder, userEnvironment } from '../support/fresh-copy.ts'
import { StartedProgram, processesWith } from '../support/started-program.ts'

const ROOT = join(import.meta.dirname, '../..')
const MANIFEST = { engines: { node: '>=24.15' }, optionalDependencies: {} as Record<string, string> }

let project: string

beforeEach(() => {
  project = temporaryFolder('project')
  for (const name of ['bootstrap.mjs', 'install-lock.mjs']) {
    cpSync(join(ROOT, 'scripts', name), join(project, 'scripts', name))
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify(MANIFEST))
  writeFileSync(join(project, 'package-lock.json'), '{}')
})

afterEach(() => {
  // Only after a failed test is there anything to end.
  for (const pid of processesWith(`OFFSHOOT_HOME=${project}`)) process.kill(pid, 'SIGKILL')
  rmSync(project, { recursive: true, force: true })
})

describe('the bootstrap', () => {
  it('installs once, with everything on stderr, and again when the lockfile has changed', async () => {
    expect(await bootstrap('ok').ended).toMatchObject({ code: 0, stdout: '' })
    expect(npmCalls()).toEqual(['ci --include=dev --include=optional --loglevel=error'])

    expect(await bootstrap('ok').ended).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(npmCalls()).toHaveLength(1)

    writeFileSync(join(project, 'package-lock.json'), '{ }')
    const { code, stderr } = await bootstrap('ok').ended
    expect(code).toBe(0)
    expect(stderr).toContain('npm is at work')
    expect(npmCalls()).toHaveLength(2)
    expect(leftovers()).toEqual([])
  })

  it('installs once for two that start together', async () => {
    const first = bootstrap('wait')
    await first.untilStderr('npm is at work')
    const second = bootstrap('wait')
    await second.untilStderr('Waiting for another install')
    letNpmGoOn()
    expect(await first.ended).toMatchObject({ code: 0 })
    expect(await second.ended).toMatchObject({ code: 0 })
    expect(npmCalls()).toHaveLength(1)
    expect(leftovers()).toEqual([])
  })

  it('takes over the lock of a process that has died', async () => {
    const dead = spawnSync(process.execPath, ['--version']).pid
    mkdirSync(join(project, '.install-lock'))
    writeFileSync(join(project, '.install-lock', `${hostname()}~${dead}.1`), '')
    const { code, stderr } = await bootstrap('ok').ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('Waiting') })
    expect(leftovers()).toEqual([])
  })

  it('does not take the lock of a process of another machine', async () => {
    mkdirSync(join(project, '.install-lock'))
    writeFileSync(join(project, '.install-lock', 'elsewhere~1.1'), '')
    const program = bootstrap('ok')
    await program.untilStderr('Waiting for another install (process 1 on elsewhere)')
    rmSync(join(project, '.install-lock'), { recursive: true })
    expect(await program.ended).toMatchObject({ code: 0 })
  })

  it('says what to do when npm fails, and tries again the next time', async () => {
    const { code, stdout, stderr } = await bootstrap('fail').ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('npm error: no such package')
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^The dependencies could not be installed: .*exit code 7.*run the same command again\.$/,
    )
    expect(leftovers()).toEqual([])
    expect(await bootstrap('ok').ended).toMatchObject({ code: 0 })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'ends npm too on %s, and the next start installs again',
    async (signal) => {
      const program = bootstrap('wait')
      await program.untilStderr('npm is at work')
      program.kill(signal)
      expect(await program.ended).toMatchObject({ code: null, signal })
      expect(processesWith(`OFFSHOOT_HOME=${project}`)).toEqual([])
      expect(leftovers()).toEqual([])
      expect(await bootstrap('ok').ended).toMatchObject({ code: 0 })
      expect(npmCalls()).toHaveLength(2)
    },
  )

  it('waits for an npm that outlived its bootstrap', async () => {
    const first = bootstrap('wait')
    await first.untilStderr('npm is at work')
    first.kill('SIGKILL')
    const second = bootstrap('wait')
    await second.untilStderr('Waiting for another install')
    expect(npmCalls()).toHaveLength(1)
    letNpmGoOn()
    expect(await second.ended).toMatchObject({ code: 0 })
    expect(npmCalls()).toHaveLength(2)
  })

  it('says which Node to install, before anything else, where no package brings it', async () => {
    writeFileSync(join(project, 'package.json'), JSON.stringify({ ...MANIFEST, engines: { node: '>=99.1' } }))
    const { code, stdout, stderr } = await bootstrap('ok').ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^Node >=99\.1 is needed, this is [\d.]+, .*install that Node yourself.*\n$/)
    expect(existsSync(join(project, 'npm-calls.txt'))).toBe(false)
  })

  it('leaves no Node that does not start here, because it would hide the one that does', async () => {
    expect(await bootstrap('broken-node').ended).toMatchObject({ code: 0 })
    expect(readdirSync(join(project, 'node_modules/.bin'))).toEqual([])
  })

  it('says so when the lockfile is missing', async () => {
    rmSync(join(project, 'package-lock.json'))
    const { code, stderr } = await bootstrap('ok').ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/package-lock\.json is missing.*\n$/),
    })
  })
})

function bootstrap(npm: 'ok' | 'fail' | 'wait' | 'broken-node'): StartedProgram {
  const env = {
    ...userEnvironment(project),
    FAKE_NPM: npm,
    npm_execpath: join(ROOT, 'test/support/fake-npm-cli.js'),
    npm_node_execpath: process.execPath,
  }
  return new StartedProgram([process.execPath, 'scripts/bootstrap.mjs'], { cwd: project, env })
}

function letNpmGoOn(): void {
  writeFileSync(join(project, 'go-on'), '')
}

function npmCalls(): string[] {
  return readFileSync(join(project, 'npm-calls.txt'), 'utf8').trimEnd().split('\n')
}

/** The lock and what it is made of. */
function leftovers(): string[] {
  return readdirSync(project).filter((name) => name.startsWith('.install-lock'))
}
