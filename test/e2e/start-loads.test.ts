import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { configSchema } from '../../src/config/config-schema.ts'
import { configValues } from '../../src/config/config-values.ts'
import { createTaskCancel } from '../../src/runtime/delegation/task-cancel.ts'
import { taskJsonSchema } from '../../src/runtime/task/task-input.ts'
import { createTaskMessage } from '../../src/runtime/delegation/task-message.ts'
import { createTaskOutput } from '../../src/runtime/delegation/task-output.ts'
import { createTaskStatus } from '../../src/runtime/delegation/task-status.ts'
import { builtinTools } from '../../src/tools/builtin-tools.ts'
import type { AnyTool } from '../../src/tools/port.ts'
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

test('a run over plain HTTP loads neither the global fetch nor TLS nor Web Crypto nor what it has no use for (docs/decisions/0017)', async () => {
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
  const spared = SPARED.map((name) => `NativeModule ${name}`)
  expect(loaded.filter((name) => spared.includes(name))).toEqual([])
})

const SPARED = [
  'internal/deps/undici/undici',
  'tls',
  'internal/crypto/webcrypto',
  'child_process',
  'vm',
  'internal/dns/promises',
  'readline',
]

test('what the bundle tells a model of the tools is what their schemas say', async () => {
  server.answer({ text: 'Hello.' })
  const env = providerEnvironment('openai-compatible', server.url)
  const program = user.start(['run', 'hi', '-m', 'openai-compatible/test-model'], { env })
  expect((await program.ended).code).toBe(0)
  const { tools } = server.requests()[0]!.body as { tools: readonly Told[] }
  const told = new Map(tools.map(({ function: { name, parameters } }) => [name, parameters]))
  for (const tool of builtinTools()) expect(told.get(tool.name)).toEqual(toolSchema(tool).inputSchema)
  expect(told.get('read')).toMatchObject({ required: ['file_path'] })
  for (const tool of controlTools()) expect(told.get(tool.name)).toEqual(toolSchema(tool).inputSchema)
  const agents = ['general', 'explore', 'planner', 'researcher', 'reviewer']
  const { $schema: _, ...task } = taskJsonSchema(agents) as { readonly $schema: string }
  expect(told.get('task')).toEqual(task)
})

function controlTools(): readonly AnyTool[] {
  const none = { deps: {} } as never
  return [createTaskCancel, createTaskMessage, createTaskOutput, createTaskStatus].map((create) =>
    create(none, none),
  )
}

test('what is in force without a configuration is what its schema says', async () => {
  const program = user.start(['config', '--json'])
  expect((await program.ended).code).toBe(0)
  const { values } = JSON.parse(program.stdout) as { values: readonly { key: string; value: unknown }[] }
  const sources = { config: configSchema().parse({}), layers: [], sources: [] }
  expect(values).toEqual(configValues(sources).values)
})

test('a start makes few schemas beside those of the provider’s package (docs/decisions/0017)', async () => {
  const spy = join(user.root, 'spy.cjs')
  writeFileSync(
    spy,
    `let made = 0
    globalThis.__zod_globalConfig = { postProcessor: () => void made++ }
    process.on('exit', () => process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(user.root)} + '/made-' + process.pid, String(made)))`,
  )
  server.answer({ text: 'Hello.' })
  const env = { ...providerEnvironment('openai-compatible', server.url), NODE_OPTIONS: `--require=${spy}` }
  const program = user.start(['run', 'hi', '-m', 'openai-compatible/test-model'], { env })
  expect((await program.ended).code).toBe(0)
  const made = Number(readFileSync(join(user.root, `made-${program.pid}`), 'utf8'))
  expect(made).toBeGreaterThan(100)
  expect(made).toBeLessThan(200)
})

interface Told {
  readonly function: { readonly name: string; readonly parameters: unknown }
}
