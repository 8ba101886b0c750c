import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'

/** A program commits one conversation to a database, and is killed. */
export async function killWriting(file: string): Promise<void> {
  const url = (path: string) => JSON.stringify(new URL(`../../src/store/${path}`, import.meta.url).href)
  const script = `
    import { openSqliteStore } from ${url('sqlite/open.ts')}
    import { sampleRows, seed } from ${url('conformance/rows.ts')}
    const store = await openSqliteStore({ file: ${JSON.stringify(file)} })
    await store.tx((tx) => seed(tx, sampleRows()), { durable: true })
    process.kill(process.pid, 'SIGKILL')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
  await once(child, 'exit')
}

/** Then somebody removes its log. */
export async function loseLog(file: string): Promise<void> {
  await killWriting(file)
  for (const end of ['-wal', '-shm']) rmSync(file + end)
}
