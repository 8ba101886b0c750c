import { cpSync, existsSync, linkSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from './fresh-copy.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Rights bind only an ordinary user: where the tests are root, programs about them run as nobody. */
export const ORDINARY_UID = process.getuid?.() === 0 ? 65534 : undefined

export interface ProgramCopy {
  readonly folder: string
  readonly node: string
  readonly main: string
}

/** The program with what it needs and nothing else, and its Node, where any user can read it. */
export function programCopy(): ProgramCopy {
  const folder = temporaryFolder('program')
  for (const name of ['src', 'package.json', ...installedPackages()]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  const node = join(folder, 'bin/node')
  mkdirSync(dirname(node))
  try {
    linkSync(process.execPath, node)
  } catch {
    cpSync(process.execPath, node) // on another disk
  }
  return { folder, node, main: join(folder, 'src/cli/main.ts') }
}

function installedPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; optional?: true }>
  }
  const needed = Object.entries(lock.packages).filter(([name, { dev }]) => name !== '' && !dev)
  return needed
    .map(([name]) => name)
    .filter((name) => !name.includes('/node-') && existsSync(join(ROOT, name)))
}
