import { expect, test } from 'vitest'
import { builtinTools } from './builtin-tools.ts'
import { createRegistry } from './registry.ts'

const registry = createRegistry(builtinTools())
const names = (of: { list(): readonly { name: string }[] }) => of.list().map((tool) => tool.name)

test('lists the built-in tools in this order', () => {
  const always = ['read', 'write', 'edit', 'list', 'glob', 'grep', 'bash', 'todo', 'ask_user', 'webfetch']
  expect(names(registry)).toEqual(always)
  const search = { provider: 'brave', key: 'k' } as const
  expect(names(createRegistry(builtinTools({ search })))).toEqual([...always, 'websearch'])
})

test('finds tools by the names that models use', () => {
  const known = {
    Read: 'read',
    Write: 'write',
    Edit: 'edit',
    MultiEdit: 'edit',
    LS: 'list',
    Glob: 'glob',
    Grep: 'grep',
    Bash: 'bash',
    TodoWrite: 'todo',
    todowrite: 'todo',
    READ_FILE: 'read',
    WebFetch: 'webfetch',
    web_fetch: 'webfetch',
  }
  for (const [alias, name] of Object.entries(known)) expect(registry.get(alias)?.name, alias).toBe(name)
  expect(registry.get('task')).toBeUndefined()
  expect(registry.get('__proto__')).toBeUndefined()
})

test('gives an agent the tools it names, without the disallowed ones', () => {
  expect(names(registry.forAgent())).toEqual(names(registry))
  expect(names(registry.forAgent(['Read', 'grep', 'nothing']))).toEqual(['read', 'grep'])
  expect(names(registry.forAgent(['files'], ['Write', 'edit']))).toEqual(['read', 'list', 'glob', 'grep'])
  expect(names(registry.forAgent(['*'], ['files', 'shell', 'web']))).toEqual(['todo', 'ask_user'])
  expect(names(registry.forAgent(['Bash(git *)'], ['Bash(rm *)']))).toEqual(['bash'])
  expect(names(registry.forAgent([]))).toEqual([])
  expect(registry.forAgent(['read']).get('bash')).toBeUndefined()
  expect(registry.unknownNames(['files', 'Bash(x)', '*', 'nothing'])).toEqual(['nothing'])
})

test('every schema is plain JSON Schema and is created once', () => {
  for (const tool of registry.list()) {
    const schema = registry.schema(tool)
    expect(registry.schema(tool)).toBe(schema)
    expect(JSON.parse(JSON.stringify(schema.inputSchema))).toMatchObject({
      type: 'object',
      properties: expect.any(Object),
    })
    expect(schema.description.length).toBeGreaterThan(50)
    for (const target of Object.values(tool.inputAliases ?? {}))
      expect(JSON.stringify(schema.inputSchema)).toContain(`"${target}"`)
  }
})

test('refuses two tools with the same name', () => {
  expect(() => createRegistry([...builtinTools(), ...builtinTools()])).toThrow(/two tools are named "read"/)
})

test('titles are one line without terminal escape sequences', () => {
  for (const tool of registry.list()) {
    const text = 'a\n\u001b[2J\u0007b'.repeat(100)
    const title = tool.title({
      file_path: text,
      pattern: text,
      path: text,
      command: text,
      url: text,
      items: [],
    } as never)
    expect(title).toMatch(/^[^\u0000-\u001f\u007f-\u009f]{1,160}$/)
  }
})
