import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { killMarked, killMarkedNow, killTree } from './kill.ts'
import { OutputBuffer } from './output-buffer.ts'
import { carriesMark, listProcesses, readEntry } from './process-table.ts'
import { runProcess, type ProcessOptions } from './run-process.ts'
import { collect } from './collect-output.ts'

function run(script: string, options: Partial<ProcessOptions> = {}) {
  return runProcess({ program: 'bash', args: ['-c', script], directory: tmpdir(), ...options })
}

/** Aborts when the program reports that it is ready. */
function abortWhenReady() {
  const controller = new AbortController()
  return {
    signal: controller.signal,
    onOutput: (text: string) => void (text.includes('ready') && controller.abort()),
  }
}

function isAlive(pid: number): boolean {
  const entry = readEntry(pid)
  return entry !== undefined && !entry.zombie
}

test('reports how a program ended', async () => {
  expect(await run('exit 3')).toMatchObject({
    exitCode: 3,
    signal: null,
    timedOut: false,
    aborted: false,
    leftRunning: false,
  })
  expect(await run('kill -TERM $$')).toMatchObject({
    exitCode: null,
    signal: 'SIGTERM',
    timedOut: false,
    aborted: false,
  })
  const merged = await run('echo out; echo err >&2')
  expect([merged.output.split('\n').sort(), merged.errorOutput]).toEqual([['', 'err', 'out'], ''])
  expect(await run('echo out; echo err >&2', { streams: 'apart' })).toMatchObject({
    output: 'out\n',
    errorOutput: 'err\n',
  })
})

test('passes the given text as input, or nothing', async () => {
  const text = 'line €\n'.repeat(50_000)
  expect((await run('cat', { input: text, headSize: 1e6 })).output).toBe(text)
  expect((await run('cat; echo end')).output).toBe('end\n')
  expect((await run('exit 0', { input: text })).exitCode).toBe(0)
})

test('explains why a program did not start', async () => {
  await expect(run('', { program: 'no-such-program-here' })).rejects.toMatchObject({
    code: 'not_found',
    reason: 'program_missing',
  })
  await expect(run('', { directory: join(tmpdir(), 'no-such-directory') })).rejects.toMatchObject({
    reason: 'directory_missing',
  })
  await expect(run('', { program: tmpdir() })).rejects.toMatchObject({ reason: 'not_permitted' })
  await expect(run('x'.repeat(3_000_000))).rejects.toMatchObject({ reason: 'too_long' })
  await expect(run('a\0b')).rejects.toMatchObject({ reason: 'other' })
})

test('passes marks but no keys to the program', async () => {
  const { output } = await run('env', {
    marks: { OFFSHOOT_OWNER: 'me' },
    environment: { PATH: process.env['PATH'], API_KEY: 'secret' },
  })
  expect(output).toContain('OFFSHOOT_OWNER=me\n')
  expect(output).not.toContain('secret')
})

test('runs no git hook of a repository', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-test-'))
  try {
    const script = `git init -q . && printf '#!/bin/sh\\necho HOOKED\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit &&
      git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x && git log --oneline | wc -l`
    const { output, exitCode } = await run(script, { directory })
    expect({ exitCode, output: output.trim() }).toEqual({ exitCode: 0, output: '1' })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

test('a timeout ends a program that ignores SIGTERM', async () => {
  const result = await run("trap '' TERM; echo ready; while :; do sleep 1000; done", {
    timeoutMs: 100,
    killGraceMs: 100,
  })
  expect(result).toMatchObject({
    exitCode: null,
    signal: 'SIGKILL',
    timedOut: true,
    aborted: false,
    output: 'ready\n',
    survivors: [],
  })
})

test('an abort first lets a program end on its own', async () => {
  const result = await run("trap 'echo bye; exit 9' TERM; echo ready; sleep 1000 & wait", abortWhenReady())
  expect(result).toMatchObject({ exitCode: 9, aborted: true, output: 'ready\nbye\n' })
})

test('an abort before the start starts nothing', async () => {
  expect(await run('echo x', { signal: AbortSignal.abort() })).toMatchObject({
    aborted: true,
    output: '',
    exitCode: null,
  })
})

test('an abort ends processes that left the group, by mark and by ancestry', async () => {
  const mark = { name: 'OFFSHOOT_CALL_ID', value: `call_${process.pid}_${Date.now()}` }
  const script = `setsid bash -c 'trap "" TERM; echo $$; while :; do sleep 1000; done' &
    env -i "$(command -v setsid)" "$(command -v sleep)" 1000 &
    echo $!; echo ready; wait`
  const result = await run(script, {
    ...abortWhenReady(),
    marks: { [mark.name]: mark.value },
    sweep: mark,
    killGraceMs: 100,
  })
  const pids = result.output.match(/^\d+$/gm)!.map(Number)
  expect(pids.length).toBeGreaterThan(0)
  expect(pids.filter(isAlive)).toEqual([])
  expect(listProcesses().filter((each) => !each.zombie && carriesMark(each.pid, mark))).toEqual([])
  expect(result).toMatchObject({ aborted: true, survivors: [], leftRunning: false })
})

test('a grandchild that holds the pipe does not delay the result, and survives', async () => {
  const result = await run('setsid sleep 1000 & echo $!; exit 4')
  const pid = Number(result.output)
  expect(result).toMatchObject({ exitCode: 4, leftRunning: true })
  expect(isAlive(pid)).toBe(true)
  expect(await killTree({ group: readEntry(pid)!.group })).toEqual([])
  expect(isAlive(pid)).toBe(false)
})

test('killMarkedNow ends marked processes at once', async () => {
  const value = `owner_${process.pid}_${Date.now()}`
  const result = await run('setsid sleep 1000 & echo $!', { marks: { OFFSHOOT_OWNER: value } })
  const pid = Number(result.output)
  killMarkedNow({ mark: 'OFFSHOOT_OWNER', value })
  expect(await killTree({ mark: { name: 'OFFSHOOT_OWNER', value } })).toEqual([])
  expect(isAlive(pid)).toBe(false)
})

test('one scan ends processes with any of several mark values', async () => {
  const values = ['one', 'two', 'three'].map((name) => `${name}_${process.pid}_${Date.now()}`)
  const pids = await Promise.all(
    values.map(async (value) =>
      Number((await run('setsid sleep 1000 & echo $!', { marks: { OFFSHOOT_RUN_ID: value } })).output),
    ),
  )
  expect(await killMarked({ mark: 'OFFSHOOT_RUN_ID', values: values.slice(1) })).toEqual([])
  expect(pids.map(isAlive)).toEqual([true, false, false])
  expect(await killMarked({ mark: 'OFFSHOOT_RUN_ID', values })).toEqual([])
  expect(pids.map(isAlive)).toEqual([false, false, false])
})

test('keeps head and tail of excessive output in bounded memory', async () => {
  const before = process.memoryUsage().rss
  const result = await run('echo first; yes | head -c 100000000; echo last', {
    headSize: 1_000,
    tailSize: 1_000,
  })
  expect(result.output.length).toBeLessThan(2_100)
  expect(result.output).toMatch(/^first\ny\n[^]*\n\[\.\.\. \d+ bytes left out \.\.\.\]\n[^]*last\n$/)
  expect(result.droppedBytes).toBeGreaterThan(99_000_000)
  expect(process.memoryUsage().rss - before).toBeLessThan(90_000_000)
})

test('decodes a character split between two chunks', async () => {
  const stream = new PassThrough()
  const buffer = new OutputBuffer(100, 100)
  const live: string[] = []
  const collected = collect(stream, buffer, (text) => live.push(text))
  const bytes = Buffer.from('a€😀z')
  for (const byte of bytes) stream.write(Uint8Array.of(byte))
  stream.end()
  await collected.ended
  expect(buffer.text()).toBe('a€😀z')
  expect(live.join('')).toBe('a€😀z')
})
