import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/fresh-copy.ts'
import { textOf } from '../core/message.ts'
import { createTestOffshoot, type TestOffshoot, type TestOptions } from '../testing.ts'
import { agent } from './agent.ts'

const directory = temporaryFolder('base-prompt')
mkdirSync(join(directory, 'secret-folder'))
writeFileSync(join(directory, 'AGENTS.md'), 'Use tabs.')
writeFileSync(join(directory, 'style.md'), 'Write in verse.')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const poet = { name: 'poet', description: 'writes', prompt: 'You write poems.' }

/** The system texts of a chat with the agent, and of the same agent as a subagent. */
async function systemTexts(own: Parameters<typeof agent>[0], options: TestOptions = {}): Promise<string[]> {
  const script = { poet: [{ text: 'a' }, { text: 'b' }] }
  await using t = await createTestOffshoot({ directory, script, agents: [agent(own)], ...options })
  const chat = await t.offshoot.chat({ agent: own.name })
  const runs = [await chat.send('go')]
  await t.clock.until(runs[0]!.result())
  runs.push(await chat.spawn('go', { agent: own.name }))
  await t.clock.until(runs[1]!.result())
  return await Promise.all(runs.map(({ branchId }) => systemText(t, branchId)))
}

async function systemText({ offshoot }: TestOffshoot, branchId: string): Promise<string> {
  const [first] = await offshoot.branches.messages(branchId)
  expect(first!.role).toBe('system')
  return textOf(first!.parts)
}

describe('an agent of a program', () => {
  it('reads its own prompt and nothing else, on the main branch and as a subagent', async () => {
    expect(await systemTexts(poet)).toEqual(['You write poems.\n', 'You write poems.\n'])
  })

  it('reads the files and the schema that it asks for', async () => {
    const outputSchema = { type: 'object', properties: { poem: { type: 'string' } } } as const
    const [text = ''] = await systemTexts(
      { ...poet, contextFiles: ['style.md'], outputSchema },
      {
        script: { poet: [{ text: '{"poem": ""}' }, { text: '{"poem": ""}' }] },
      },
    )
    expect(text).toMatch(/^You write poems\.\n\n# Reference files[^]*Write in verse\.[^]*"poem"/)
    expect(text).not.toContain(directory)
  })

  it.each([
    ['the agent', { ...poet, basePrompt: 'workspace' }, {}],
    ['createOffshoot', poet, { prompt: 'workspace' }],
  ] as const)('reads what the built-in agents read where %s asks for it', async (_, own, options) => {
    const texts = await systemTexts(own, options)
    expect(texts).toHaveLength(2)
    for (const text of texts)
      for (const words of ['# Rules', `Root: ${directory}`, 'secret-folder', 'Use tabs.', '# Limits'])
        expect(text).toContain(words)
  })

  it('may be bare where the others are not', async () => {
    const texts = await systemTexts({ ...poet, basePrompt: 'bare' }, { prompt: 'workspace' })
    expect(texts).toEqual(['You write poems.\n', 'You write poems.\n'])
  })

  it('has at least a heading, which providers need', async () => {
    expect(await systemTexts({ ...poet, prompt: ' ' })).toEqual(['# Role: poet\n', '# Role: poet\n'])
  })

  it.each<[string, () => unknown, string]>([
    ['agent', () => agent({ ...poet, basePrompt: 'none' as never }), 'agent: basePrompt'],
    ['createOffshoot', () => createTestOffshoot({ prompt: 'none' as never }), 'createOffshoot: prompt'],
  ])('is refused with another word: %s', async (_, make, text) => {
    await expect(Promise.try(make)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(text) as string,
    })
  })
})

it('a built-in agent always reads of the directory', async () => {
  await using t = await createTestOffshoot({ directory, script: { main: [{ text: 'a' }] } })
  const run = await (await t.offshoot.chat()).send('go')
  await t.clock.until(run.result())
  expect(await systemText(t, run.branchId)).toContain('secret-folder')
})
