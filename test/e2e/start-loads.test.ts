import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { builtinTools } from '../../src/tools/builtin-tools.ts'
import { toolSchema } from '../../src/tools/tool-schema.ts'
import { providerEnvironment, startModelServer, type ModelServer } from '../support/model-server.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser
let server: ModelServer
beforeEach(async () => {
  user = new TestUser()
  server = await startModelServer()
})
afterEach(async () => {
  await server.close()
  user.remove()
})

test('a run over plain HTTP loads neither the global fetch nor TLS nor Web Crypto (docs/decisions/0017)', async () => {
  const spy = join(user.root, 'spy.cjs')
  const list = `process.moduleLoadList.join('\\n')`
  const write = `process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(user.root)} + '/loaded-' + process.pid, ${list})`
  writeFileSync(spy, `process.on('exit', () => ${write})`)
  server.answer({ text: 'Hello.' })
  const env = { ...providerEnvironment('openai-compatible', server.url), NODE_OPTIONS: `--require=${spy}` }
  const program = user.start(['run', 'hi', '-m', 'openai-compatible/test-model'], { env })
  expect((await program.ended).code).toBe(0)
  const loaded = readFileSync(join(user.root, `loaded-${program.pid}`), 'utf8').split('\n')
  expect(loaded).toContain('NativeModule http')
  const spared = ['internal/deps/undici/undici', 'tls', 'internal/crypto/webcrypto'].map(
    (name) => `NativeModule ${name}`,
  )
  expect(loaded.filter((name) => spared.includes(name))).toEqual([])
})

test('what the bundle tells a model of the tools is what their schemas say', async () => {
  server.answer({ text: 'Hello.' })
  const env = providerEnvironment('openai-compatible', server.url)
  const program = user.start(['run', 'hi', '-m', 'openai-compatible/test-model'], { env })
  expect((await program.ended).code).toBe(0)
  const { tools } = server.requests()[0]!.body as { tools: readonly Told[] }
  const told = new Map(tools.map(({ function: { name, parameters } }) => [name, parameters]))
  for (const tool of builtinTools()) expect(told.get(tool.name)).toEqual(toolSchema(tool).inputSchema)
  expect(told.get('read')).toMatchObject({ required: ['file_path'] })
})

interface Told {
  readonly function: { readonly name: string; readonly parameters: unknown }
}
