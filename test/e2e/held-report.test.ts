import { expect, test } from 'vitest'
import { ScriptedTree, task, type Turn } from '../support/scripted-tree.ts'

const usage = { input_tokens: 100, output_tokens: 10 }
const background = task('one', { run_in_background: true })

test.each(['text', 'json', 'stream-json', 'events'])(
  'a run that ends while a pause holds a report back says so last, with the command that brings it (%s)',
  async (format) => {
    const answer = Promise.withResolvers<Turn>()
    await using tree = await ScriptedTree.open({
      'Go.': [
        { toolCalls: [background], usage },
        { text: 'Done.', usage },
        { text: 'Read.', usage },
      ],
      'Do one.': [() => answer.promise],
    })
    const program = tree.start('run', 'Go.', '--output-format', format)
    await expect.poll(() => tree.of('Do one.').length).toBe(1)
    const main = () => tree.user.rows('SELECT branch_id, conversation_id, status FROM runs WHERE depth = 0')
    await expect.poll(() => main()[0]!['status']).toBe('completed')
    const { branch_id: branch, conversation_id: id } = main()[0]!
    expect((await tree.user.call(['pause', String(id)])).code).toBe(0)
    answer.resolve({ text: 'One.', usage })
    const { code, stdout, stderr } = await program.ended
    expect(code).toBe(0)
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      `offshoot: 1 report waits to be read: offshoot continue ${String(branch)}`,
    )
    expect(stdout).not.toContain('waits to be read')
    if (format !== 'text') return
    expect(stdout).toBe('Done.\n')
    const next = await tree.start('continue', String(branch)).ended
    expect(next).toMatchObject({ code: 0, stdout: 'Read.\n' })
    expect(next.stderr).not.toContain('waits to be read')
  },
)
