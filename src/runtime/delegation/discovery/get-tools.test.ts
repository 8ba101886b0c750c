import { describe, expect, it } from 'vitest'
import { tool } from '../../../../test/support/runtime-harness.ts'
import { parseInput } from '../../../tools/parse-input.ts'
import type { ToolContext } from '../../../tools/port.ts'
import { createRegistry } from '../../../tools/registry.ts'
import { toolSchema } from '../../../tools/tool-schema.ts'
import { createGetTools } from './get-tools.ts'

const tools = [
  tool('crm_get', { toolset: 'crm', description: 'Reads a customer.\nBy its number.' }),
  tool('crm_find', { toolset: 'crm', description: 'Looks for customers by name' }),
  tool('send', { toolset: 'mail', description: 'Sends a letter to a customer' }),
]

async function ask(input: object, known = tools): Promise<string> {
  const getTools = createGetTools(createRegistry(known))
  const execute = getTools.execute as (input: unknown, context: ToolContext) => Promise<unknown>
  return getTools.toModelOutput(await execute(parseInput(getTools, input), {} as ToolContext)).text
}

const schemaOf = (at: number) => JSON.stringify({ toolset: tools[at]!.toolset, ...toolSchema(tools[at]!) })

describe('get_tools', () => {
  it.each([{}, { toolsets: [] }, { tools: [' '], query: ' ' }])('lists all of them for %j', async (input) => {
    expect(await ask(input)).toBe(
      [
        'Toolsets: crm (2), mail (1)',
        'crm:',
        '- crm_get: Reads a customer.',
        '- crm_find: Looks for customers by name',
        'mail:',
        '- send: Sends a letter to a customer',
      ].join('\n'),
    )
  })

  it('names the toolsets in what the model reads of it', () => {
    expect(createGetTools(createRegistry(tools)).description).toContain('Toolsets: crm (2), mail (1)')
  })

  it.each<[string, object, number[]]>([
    ['toolsets', { toolsets: ['crm'] }, [0, 1]],
    ['a toolset as text', { toolsets: 'CRM' }, [0, 1]],
    ['a toolset by another word', { agent: 'mail' }, [2]],
    ['tools', { tools: ['send', 'CrmGet'] }, [2, 0]],
    ['a tool where a toolset belongs', { toolsets: ['send'] }, [2]],
    ['one tool that is named twice', { toolsets: ['mail'], tools: ['send'] }, [2]],
    ['words of a description', { query: 'letter' }, [2]],
    ['words, those in a name first', { query: 'customer find' }, [1, 0, 2]],
    ['words in one toolset', { toolsets: ['crm'], query: 'CUSTOMER by name' }, [1, 0]],
  ])('gives the schemas of what is asked for by %s', async (_, input, expected) => {
    expect((await ask(input)).split('\n')).toEqual(expected.map(schemaOf))
  })

  it('tells of names of nothing, with what may be meant', async () => {
    expect((await ask({ tools: ['send', 'crm_gte', 'find'] })).split('\n')).toEqual([
      'there is no tool or toolset "crm_gte"; near it: crm_get',
      'there is no tool or toolset "find"; near it: crm_find',
      schemaOf(2),
    ])
    await expect(ask({ toolsets: ['mial'] })).rejects.toMatchObject({
      code: 'unknown_tool',
      message: 'there is no tool or toolset "mial"; near it: mail',
    })
  })

  it('says that nothing has these words', async () => {
    expect(await ask({ query: 'weather' })).toBe(
      'No tool has "weather" in its name or description.\nToolsets: crm (2), mail (1)',
    )
  })

  it('wrong input is told by its field', async () => {
    await expect(ask({ tools: [{ crm: 1 }] })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('tools.0: expected string'),
    })
  })

  it.each([60, 1_000, 20_000])('stays within its bounds with %i tools', async (count) => {
    const long = 'a description that goes on and on. '.repeat(40)
    const known = Array.from({ length: count }, (_, n) =>
      tool(`tool_with_a_long_name_${n}`, { toolset: `set_${n % 7}`, description: long }),
    )
    const all = await ask({}, known)
    expect(all.length).toBeLessThan(27_000)
    expect(all).toContain('set_6 (')
    if (count === 60) expect(all).toContain('tool_with_a_long_name_59: a description')
    if (count === 20_000) expect(all).toMatch(/\(and \d+ more lines: ask for toolsets, or with a query\)$/)
    const some = (await ask({ query: 'long' }, known)).split('\n')
    expect(some.join('\n').length).toBeLessThan(29_000)
    expect(some.slice(0, -1).every((line) => JSON.parse(line).description === long)).toBe(true)
    expect(some.at(-1)).toMatch(/^Too long to be shown with these, ask for fewer: tool_with_a_long_name_/)
  })

  it('shows one schema whole, however long it is', async () => {
    const description = 'x'.repeat(40_000)
    expect(await ask({ tools: ['big'] }, [tool('big', { description }), ...tools])).toContain(description)
  })
})
