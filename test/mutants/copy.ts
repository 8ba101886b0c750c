import {
  copyFileSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../support/fresh-copy.ts'
import type { Edit } from './table.ts'

const ROOT = join(import.meta.dirname, '../..')
/** All that programs of the test build and the simulator load. */
const COPIED = ['src/**/*', 'test/{support,sim,kill,mutants}/**/*', 'package.json']
/** Found where they are. */
const LINKED = ['node_modules', 'web', 'docs', 'scripts']

/** A copy of the sources and of what tests start, in which some places read otherwise. */
export class MutantCopy implements Disposable {
  readonly root: string

  /** @throws Error where an anchor stands in its file not once */
  constructor(edits: readonly Edit[]) {
    const texts = mutated(edits)
    this.root = temporaryFolder('mutant')
    const exclude = ['**/*.test.ts']
    for (const { parentPath, name } of globSync(COPIED, { cwd: ROOT, exclude, withFileTypes: true }).filter(
      (each) => each.isFile(),
    )) {
      const from = join(parentPath, name)
      const to = join(this.root, from.slice(ROOT.length))
      mkdirSync(dirname(to), { recursive: true })
      place(from, to)
    }
    for (const name of LINKED) symlinkSync(join(ROOT, name), join(this.root, name))
    for (const [file, text] of texts) this.#write(file, text)
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  /** The copy may be the same file as the source: it is replaced, not written over. */
  #write(file: string, text: string): void {
    const path = join(this.root, file)
    rmSync(path)
    writeFileSync(path, text)
  }
}

/** The files that some edits change, as they are then. @throws Error where an anchor stands in its file not once */
export function mutated(edits: readonly Edit[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { file, anchor, replacement } of edits) {
    const [before, after, ...more] = (texts.get(file) ?? textOf(file)).split(anchor)
    if (after === undefined)
      throw new Error(`${file} does not have the anchor of a mutant any more: ${anchor}`)
    if (more.length > 0) throw new Error(`${file} has the anchor of a mutant more than once: ${anchor}`)
    texts.set(file, `${before}${replacement}${after}`)
  }
  return texts
}

/** @throws Error where a file of a mutant has another name by now */
function textOf(file: string): string {
  const path = join(ROOT, file)
  if (!existsSync(path)) throw new Error(`${file} is not there any more, and a mutant changes it`)
  return readFileSync(path, 'utf8')
}

/** A link where it can be one. */
function place(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to) // another file system
  }
}
