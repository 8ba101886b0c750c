import { join } from 'node:path'
import type { Mechanism } from '../support/faults.ts'
import { MutantCopy } from './copy.ts'
import { editsOf } from './table.ts'

/** The program in the test build, without one mechanism: by a decorator, or from a copy of the sources. */
export class TestBuild implements Disposable {
  /** What is started; undefined: the test build as it is. */
  readonly main: string | undefined
  readonly env: { readonly TEST_OFF: string }
  readonly #copy: MutantCopy | undefined

  constructor(off: Mechanism | undefined) {
    const edits = off && editsOf(off)
    this.#copy = edits && new MutantCopy(edits)
    this.main = this.#copy && join(this.#copy.root, 'test/support/main.ts')
    this.env = { TEST_OFF: off && !edits ? off : '' }
  }

  [Symbol.dispose](): void {
    this.#copy?.[Symbol.dispose]()
  }
}
