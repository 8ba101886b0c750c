import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { pipeWriters } from './pipe-writers.ts'

const shells: ChildProcess[] = []
afterEach(() => {
  for (const shell of shells.splice(0)) process.kill(-shell.pid!, 'SIGKILL')
})

const MODULE = fileURLToPath(new URL('pipe-writers.ts', import.meta.url))
/** Prints who can write to its stdin, and keeps running. */
const READER = `'${process.execPath}' -e 'import("${MODULE}").then((m) => console.log(m.pipeWriters(0)))'`

/** What a reader in its own session reports about its stdin. */
async function said(script: string): Promise<string> {
  const shell = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  shells.push(shell)
  const [output] = (await once(shell.stdout, 'data')) as [Buffer]
  return String(output).trim()
}

test('finds a command of the same pipeline, also behind a process that both share', async () => {
  expect(await said(`sleep 60 | ${READER}`)).toBe('command')
  expect(await said(`(sleep 60; echo x) | sh -c "$(cat <<'X'\n${READER}; true\nX\n)"`)).toBe('command')
})

test('reports a pipe that only the parent process holds open as inherited', async () => {
  // the shell that starts the reader holds both ends itself
  const script = `mkfifo "$TMP/p" && exec 3<>"$TMP/p" && ${READER} <"$TMP/p"; rm -r "$TMP"`
  expect(await said(`TMP=$(mktemp -d); ${script}`)).toBe('inherited')
})

test('reports a closed descriptor as unknown', () => {
  expect(pipeWriters(987_654)).toBe('unknown')
})
