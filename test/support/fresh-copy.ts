import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** A new folder in the system's place for temporary files, without symbolic links in its path. */
export function temporaryFolder(name: string): string {
  return realpathSync(mkdtempSync(join(tmpdir(), `offshoot-${name}-`)))
}

/** What a clone of this work tree would hold: every file that git does not ignore, and nothing installed. */
export function freshCopy(): string {
  const copy = temporaryFolder('clone')
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  })
  // A file that was deleted but not yet staged is still listed.
  const names = listed
    .toString()
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(ROOT, name)))
  for (const name of new Set(names)) cpSync(join(ROOT, name), join(copy, name))
  return copy
}

/** What npm, the test runner and a sandbox around it put into the environment of these tests. */
const OF_THIS_RUN =
  /^(npm_(lifecycle|package|command|execpath|node_execpath|config_local_prefix)|(INIT_CWD|NODE|NODE_ENV|NODE_OPTIONS|NODE_USE_ENV_PROXY|FORCE_COLOR)$|VITE)/i
const OF_THE_PRODUCT = /^(OFFSHOOT|XDG|ANTHROPIC|OPENAI|GEMINI|GOOGLE|OLLAMA|BRAVE|EXA|TAVILY|SEARXNG)_/i

/** The environment of a user's shell: not that of the running tests, without keys, and with the machine's own Node. */
export function userEnvironment(offshootHome: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([key]) => !OF_THIS_RUN.test(key) && !OF_THE_PRODUCT.test(key),
  ) as [string, string][]
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('/node_modules/'))
  return { ...Object.fromEntries(kept), PATH: path.join(':'), OFFSHOOT_HOME: offshootHome }
}
