import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const url = new URL('early-signals.ts', import.meta.url).href

/** Runs a script as a process of its own that has called `endEarly`. */
function run(script: string) {
  const source = `import { endEarly, onEndSignal } from ${JSON.stringify(url)}
    endEarly()
    const heard = (name) => (signal) => console.log(name, signal)
    const kill = (signal) => process.kill(process.pid, signal)
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    ${script}`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  })
  return { status, lines: stdout.trim().split('\n').filter(Boolean) }
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('%s ends the program at once while no command listens', (signal, status) => {
  expect(run(`kill('${signal}'); setTimeout(() => {}, 60_000)`)).toEqual({ status, lines: [] })
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  'a %s that comes just before a command listens is heard',
  (signal) => {
    expect(run(`kill('${signal}'); onEndSignal(heard('command')); await turn()`)).toEqual({
      status: 0,
      lines: [`command ${signal}`],
    })
  },
)

test('a signal that comes just before the command is done with listening ends the program', () => {
  const script = `const leave = onEndSignal(heard('command')); kill('SIGTERM'); leave(); setTimeout(() => {}, 60_000)`
  expect(run(script)).toEqual({ status: 143, lines: [] })
})

test('of two that listen each hears it', () => {
  const script = `const leave = onEndSignal(heard('a')); onEndSignal(heard('b')); kill('SIGTERM'); await turn()
    leave(); kill('SIGTERM'); await turn()`
  expect(run(script).lines).toEqual(['a SIGTERM', 'b SIGTERM', 'b SIGTERM'])
})
