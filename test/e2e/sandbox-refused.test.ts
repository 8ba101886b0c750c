import { afterEach, expect, test } from 'vitest'
import { inCell } from '../support/in-cell.ts'
import { TestUser } from '../support/test-user.ts'

let user: TestUser | undefined
afterEach(() => user?.remove())

const bash = (command: string) => ({ tool: 'bash', input: { command } })

test(
  'the end of a run names what the sandbox refused, of subagents too, and where the reason is',
  inCell(async () => {
    user = new TestUser()
    const model = user.script({
      main: [
        {
          toolCalls: [
            bash('curl -sS http://one.invalid/; curl -sS http://one.invalid/'),
            { tool: 'task', input: { agent: 'general', task: 'fetch it', label: 'fetch' } },
          ],
        },
        { text: 'Done.' },
      ],
      general: [{ toolCalls: [bash('curl -sS https://two.invalid/')] }, { text: 'Done.' }],
    })
    const args = ['run', 'Go.', '-m', model, '--allow', 'bash', '--sandbox', 'required']
    const { code, stderr } = await user.run(args)
    expect(code).toBe(0)
    const [, id] =
      /refused by the sandbox: one\.invalid:80, two\.invalid:443\n {2}offshoot show (\S+) --tools says why;.*sandbox\.network/.exec(
        stderr,
      )!
    expect((await user.call(['show', id!, '--tools'])).stdout).toContain(
      'the sandbox refused two.invalid:443',
    )
    const quiet = user.script({ main: [{ toolCalls: [bash('true')] }, { text: 'Done.' }] })
    expect((await user.run(args.with(3, quiet))).stderr).not.toContain('refused by the sandbox')
  }),
)
