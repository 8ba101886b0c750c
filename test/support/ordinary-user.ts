import { cpSync, linkSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { temporaryFolder } from './fresh-copy.ts'
import { programFiles } from './program-files.ts'

/** What the bundles import of the installed packages; the rest they hold. */
const RIPGREP = '@vscode'

/** Rights bind only an ordinary user: where the tests are root, programs about them run as nobody. */
export const ORDINARY_UID = process.getuid?.() === 0 ? 65534 : undefined

export interface ProgramCopy {
  readonly folder: string
  readonly node: string
  readonly main: string
}

/** The program of this test run with what it needs and nothing else, and its Node, where any user can read it. */
export function programCopy(): ProgramCopy {
  const folder = temporaryFolder('program')
  const { main, compiled } = programFiles()
  const installed = join(dirname(main), 'node_modules')
  // other tests write what they have compiled meanwhile: its temporary files vanish under the copy
  const left = [installed, compiled]
  cpSync(dirname(main), folder, { recursive: true, filter: (path) => !left.includes(path) })
  cpSync(join(installed, RIPGREP), join(folder, 'node_modules', RIPGREP), { recursive: true })
  const node = join(folder, 'bin/node')
  mkdirSync(dirname(node))
  try {
    linkSync(process.execPath, node)
  } catch {
    cpSync(process.execPath, node) // on another disk
  }
  return { folder, node, main: join(folder, basename(main)) }
}
