import { afterAll, describe, expect, test } from 'vitest'
import { SANDBOXES } from '../support/in-cell.ts'
import { TestUser } from '../support/test-user.ts'

const users: TestUser[] = []
afterAll(() => users.forEach((user) => user.remove()))

function newUser() {
  const user = new TestUser({})
  users.push(user)
  const call = { toolCalls: [{ tool: 'bash', input: { command: 'false' } }] }
  return { user, model: user.script({ main: [call, { text: 'Done.' }] }) }
}

/** What is said of commands that nothing confines, and of those in a sandbox. */
describe.each(SANDBOXES)('with --sandbox %s', (setting, on) => {
  const force = setting === 'off' ? 'off' : 'no-network'
  const words = force === 'off' ? '' : ' in a sandbox, no network'

  test(
    'receipts, transcripts and exports of a command say what confined it',
    on(async () => {
      const { user, model } = newUser()
      const args = ['run', 'Go.', '-m', model, '--sandbox', setting, '--allow', 'bash']
      const run = await user.run([...args, '--output-format', 'json'])
      expect(JSON.parse(run.stdout).receipts.commands).toEqual([
        { command: 'false', sandbox: force, exit_code: 1 },
      ])
      const texts = [
        ['log', 'last'],
        ['log', 'last', '--tools'],
        ['show', 'last', '--messages'],
      ]
      for (const each of texts) expect((await user.call(each)).stdout).toContain(`← bash completed${words}`)
      const exported = async (format: string) =>
        (await user.call(['export', 'last', '--format', format])).stdout
      const [main] = JSON.parse(await exported('json')).main.metadata.runs
      expect(main.calls[0].facts).toEqual([
        { type: 'command', command: 'false', exitCode: 1, sandbox: force },
      ])
      expect(await exported('md')).toContain(`Result of bash, completed${words && `, ${words.trim()}`}:`)
      expect(await exported('html')).toContain(`false (exit 1${words && `,${words}`})`)
    }),
  )

  test(
    'an approval says it before the command runs, and so does what it leaves',
    on(async () => {
      const { user, model } = newUser()
      const args = ['run', 'Go.', '-m', model, '--sandbox', setting, '--approvals', 'wait']
      const program = user.start([...args, '--output-format', 'events'])
      await program.untilStdout('"type":"approval.requested"')
      const reach =
        force === 'off'
          ? 'runs without a sandbox: with your rights'
          : `runs in a sandbox: no network, writes only in ${user.directory}`
      const writes = force === 'off' ? [] : [user.directory]
      expect((await user.call(['approve', '#1'])).stdout).toContain(`  in ${user.directory}\n  ${reach}\n`)
      expect(await user.call(['approve', '#1', 'once'])).toMatchObject({ code: 0 })
      const { stdout } = await program.ended
      const events = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(events.find(({ type }) => type === 'approval.requested').sandbox).toEqual({ force, writes })
      const page = await user.call(['export', 'last', '--format', 'html'])
      expect(page.stdout).toContain(`Asked as: ${reach}.`)
    }),
  )
})
