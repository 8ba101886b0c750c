import { rmSync } from 'node:fs'
import { createTestOffshoot, type TestOffshoot, type TestOptions } from '../../src/testing/test-offshoot.ts'
import { temporaryFolder } from './fresh-copy.ts'

/** `createTestOffshoot` in an empty directory, which goes with it. By default it would look at this repository with git. */
export async function testOffshoot(options: TestOptions = {}): Promise<TestOffshoot> {
  const directory = temporaryFolder('library')
  const made = await createTestOffshoot({ directory, ...options })
  const close = async () => {
    await made[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  }
  return { ...made, [Symbol.asyncDispose]: close }
}
