import { describe, expect, it } from 'vitest'
import type { Mechanism } from '../../support/faults.ts'
import { bash, ScriptedTree, task } from '../../support/scripted-tree.ts'

describe('P7: what a subagent did', () => {
  it('is told by the runtime, and what it only claims is marked', async () => {
    expect(await claims()).toEqual([])
  })

  it('fails without receipts: the parent is not told what was really done', async () => {
    expect(await claims('receipts')).toEqual([
      'the change of notes.md is in no receipt',
      'the failed command is in no receipt',
    ])
  })

  it('fails without the check of claims: a fabricated change passes', async () => {
    expect(await claims('claim-check')).toEqual([
      'the fabricated change of src/made.ts is not marked',
      'nor in the output of the command',
    ])
  })
})

/** One change is real, one is made up, the tests fail, and what it may not do it was denied. */
async function claims(off?: Mechanism): Promise<string[]> {
  const write = { tool: 'write', input: { file_path: 'notes.md', content: 'noted\n' } }
  const calls = [write, bash('exit 3'), bash('touch denied.txt')]
  const report = 'I updated notes.md. I created src/made.ts. All tests pass.'
  await using tree = await ScriptedTree.open(
    {
      'Go.': [{ toolCalls: [task('a')] }, { text: 'Done.' }],
      'Do a.': [{ toolCalls: calls }, { text: report }],
    },
    {
      files: { 'src/made.ts': 'export {}\n' },
      config: {
        permissions: [
          { tool: 'write', action: 'allow' },
          { tool: 'bash', pattern: 'exit *', action: 'allow' },
          { tool: 'bash', pattern: 'touch *', action: 'deny' },
        ],
      },
      off,
    },
  )
  const document = await tree.run()
  expect(document.status).toBe('completed')
  const { last } = tree.of('Go.').at(-1)!
  expect(last).toContain(report)
  const { receipts = '' } =
    /<subagent_receipts [^>]*>\n(?<receipts>[^]*?)\n<\/subagent_receipts>/.exec(last)?.groups ?? {}
  expect(receipts).toMatch(/^denied: .*touch denied\.txt/m)
  const marked = /the receipts show no change to ([^)\n]*)/.exec(last)?.[1] ?? ''
  return [
    ...(/^changed: notes\.md \(new \+1 -0, \w{8}\)$/m.test(receipts)
      ? []
      : ['the change of notes.md is in no receipt']),
    ...(/^commands: `exit 3` \(exit 3\)$/m.test(receipts) ? [] : ['the failed command is in no receipt']),
    ...(marked.includes('src/made.ts') ? [] : ['the fabricated change of src/made.ts is not marked']),
    ...(document.subagents[0]?.note?.includes('src/made.ts') ? [] : ['nor in the output of the command']),
    ...(marked.includes('notes.md') ? ['a change that was made is marked'] : []),
  ]
}
