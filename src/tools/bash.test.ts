import { expect, test } from 'vitest'
import { carriesMark, listProcesses, readEntry } from '../exec/process-table.ts'
import { killMarked } from '../exec/kill.ts'
import { callText, temporaryDirectory, testContext, tool } from './fixtures/context.ts'
import type { ToolContext } from './port.ts'

function bash(input: object, context: ToolContext) {
  return callText('bash', input, context)
}

test('returns the output as printed, with the exit code, and emits it live', async () => {
  await using at = await temporaryDirectory()
  const context = testContext(at.path)
  expect(await bash({ command: 'echo out; echo err >&2; echo more; exit 3' }, context)).toBe(
    'out\nerr\nmore\n(exit code 3)',
  )
  expect(context.emitted.join('')).toBe('out\nerr\nmore\n')
  expect(await bash({ command: 'pwd' }, context)).toBe(`${at.path}\n(exit code 0)`)
  expect(await bash({ command: 'true' }, context)).toBe('(no output)\n(exit code 0)')
  expect(await bash({ command: 'kill -9 $$' }, context)).toContain('(no exit code, ended by SIGKILL)')
})

test('records the exit code', async () => {
  await using at = await temporaryDirectory()
  const output = await tool('bash').execute({ command: 'exit 7' } as never, testContext(at.path))
  expect(tool('bash').exitCode?.(output as never)).toBe(7)
})

test('a timeout ends the command and everything it started', async () => {
  await using at = await temporaryDirectory()
  const text = await bash(
    { command: 'echo begun; sleep 1000 & sleep 1000', timeout_ms: 300 },
    testContext(at.path),
  )
  expect(text).toBe('begun\n(timed out after 300 ms; no exit code, ended by SIGTERM)')
})

test('an interrupt also ends processes that left the group, but none of an earlier call', async () => {
  await using at = await temporaryDirectory()
  const mark = { name: 'OFFSHOOT_RUN_ID', value: `run_${process.pid}_${Date.now()}` }
  const stop = new AbortController()
  const processMarks = { [mark.name]: mark.value }
  const run = testContext(at.path).run
  const marked = () => listProcesses().filter((each) => !each.zombie && carriesMark(each.pid, mark)).length
  const first = testContext(at.path, { processMarks, run: { ...run, callId: 'cal_first' as never } })
  expect(await bash({ command: 'setsid sleep 1000 & echo' }, first)).toContain('still runs')
  expect(marked()).toBe(1)
  const second = testContext(at.path, {
    processMarks,
    run: { ...run, callId: 'cal_second' as never },
    signal: stop.signal,
    emit: (text) => text.includes('ready') && stop.abort(),
  })
  await expect(bash({ command: 'setsid sleep 1000 & echo ready; wait' }, second)).rejects.toMatchObject({
    code: 'interrupted',
  })
  expect(marked()).toBe(1)
  expect(await killMarked({ mark: mark.name, values: [mark.value] })).toEqual([])
  expect(marked()).toBe(0)
})

test('an interrupt and the end of a run find a daemon by its limit', async () => {
  await using at = await temporaryDirectory()
  const id = `${process.pid}_${Date.now()}`
  const stop = new AbortController()
  const contextOf = (runId: string, callId: string, more: Partial<ToolContext> = {}) =>
    testContext(at.path, {
      processMarks: { OFFSHOOT_OWNER: `own_${id}`, OFFSHOOT_RUN_ID: `${runId}_${id}` },
      run: { ...testContext(at.path).run, callId: `${callId}_${id}` as never },
      ...more,
    })
  const daemon = `env -i setsid sh -c '(exec sleep 1000 > /dev/null 2>&1 & echo $!)'`
  const leave = async (context: ToolContext) => Number.parseInt(await bash({ command: daemon }, context))
  const pids = [await leave(contextOf('run_1', 'cal_1')), await leave(contextOf('run_2', 'cal_2'))]
  const interrupted = contextOf('run_1', 'cal_3', {
    signal: stop.signal,
    emit: (text) => {
      pids.push(Number.parseInt(text))
      stop.abort()
    },
  })
  await expect(bash({ command: `${daemon}; sleep 1000` }, interrupted)).rejects.toMatchObject({
    code: 'interrupted',
  })
  const living = () => pids.map((pid) => readEntry(pid)?.zombie === false)
  expect(living()).toEqual([true, true, false])
  expect(await killMarked({ mark: 'OFFSHOOT_RUN_ID', values: [`run_1_${id}`] })).toEqual([])
  expect(living()).toEqual([false, true, false])
  expect(await killMarked({ mark: 'OFFSHOOT_OWNER', values: [`own_${id}`] })).toEqual([])
  expect(living()).toEqual([false, false, false])
})

test('unsupported fields are refused by name', async () => {
  await using at = await temporaryDirectory()
  await expect(
    bash({ command: 'true', run_in_background: true }, testContext(at.path)),
  ).rejects.toMatchObject({
    code: 'not_available',
    message: expect.stringContaining('run_in_background'),
  })
})
